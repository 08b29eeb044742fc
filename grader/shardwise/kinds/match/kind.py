"""Match: each item belongs to one of the options; the seed decides which are shown, and in which order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from shardwise.errors import Reject
from shardwise.kinds.base import Kind, Posed, Proof, Sample, View
from shardwise.kinds.calls import Runner
from shardwise.kinds.labels import Labelled, as_list, as_view, label
from shardwise.kinds.match import reading
from shardwise.kinds.match.model import KnownMistake, MatchForm, MatchKey, MatchTemplate, Pair
from shardwise.question import Feedback, Outcome, Question, right_in_words
from shardwise.template.draw import Draw
from shardwise.template.expressions import prose
from shardwise.template.references import References
from shardwise.units import show_amount

APART = 0.02  # two values closer than 2 % look alike; such a draw is rejected
AGREEMENT = 1e-9  # relative, between a value and its oracle


@dataclass(frozen=True)
class Solved:
    """The items in the order shown, and the values of those that have one, in base units."""

    shown: tuple[str, ...]
    values: Mapping[str, float]


class MatchKind(Kind[MatchTemplate, MatchForm, MatchKey]):
    """Items that belong to options."""

    name = "match"
    is_shuffled = True
    about = "Items to be matched with what they belong to; each pair has its share of the points."
    Template = MatchTemplate
    Form = MatchForm
    Key = MatchKey
    needs_oracle = False  # a pair may be about a concept, which no oracle can confirm
    guessed = 0.5  # the same option for all items
    starter = """\
params:
  file_bytes: {choice: [1, 2, 5, 10], unit: GB}
  latency_s: {choice: [50, 100], unit: ms}
prompt: |
  A file of {{ file_bytes }} crosses links with a latency of {{ latency_s }}. Match each rate with the time.
answer:
  extra: ["{{ latency_s }}"]                    # options that nothing belongs to
  pairs:
    - id: slow
      text: 100 Gbit/s
      value: ref("example.transfer_seconds", file_bytes=file_bytes, bandwidth_bytes_per_s=12.5e9, latency_s=latency_s)
      oracle: oracle("example.played_transfer_seconds", file_bytes=file_bytes, bandwidth_bytes_per_s=12.5e9, latency_s=latency_s)
      unit: ms
    - id: fast
      text: 400 Gbit/s
      value: ref("example.transfer_seconds", file_bytes=file_bytes, bandwidth_bytes_per_s=50e9, latency_s=latency_s)
      oracle: oracle("example.played_transfer_seconds", file_bytes=file_bytes, bandwidth_bytes_per_s=50e9, latency_s=latency_s)
      unit: ms
mistakes:
  - gives: {slow: fast, fast: slow}
    say: The higher rate is through first.
"""

    def solve(self, template: MatchTemplate, draw: Draw) -> Solved:
        answer, rng = template.answer, draw.rng.steady
        drawn = sorted(answer.pairs, key=lambda pair: rng.number(f"item {pair.id}"))[: answer.shown]
        values = {pair.id: float(draw.evaluate(pair.value)) for pair in drawn if pair.value is not None}
        for (first, low), (second, high) in combinations(values.items(), 2):
            if abs(high - low) <= APART * max(abs(low), abs(high)):
                raise Reject(f"the values of {first} and {second} lie within {APART:.0%} of each other")
        return Solved(tuple(rng.shuffled(sorted(pair.id for pair in drawn), "items")), values)

    def pose(self, template: MatchTemplate, draw: Draw, solved: Solved) -> Posed:
        names = draw.printed
        pairs = {pair.id: pair for pair in template.answer.pairs}
        right = {name: self._option(pairs[name], solved, names) for name in solved.shown}
        texts = {*right.values(), *(prose(text, names) for text in template.answer.extra)}
        options = label(draw.rng.steady.shuffled(sorted(texts), "options"))
        letter = {option.text: option.label for option in options}
        items = tuple(
            Labelled(label=str(number), text=prose(pairs[name].text, names))
            for number, name in enumerate(solved.shown, start=1)
        )
        number = dict(zip(solved.shown, (item.label for item in items), strict=True))
        key = MatchKey(
            pairs={number[name]: letter[right[name]] for name in solved.shown},
            say={number[name]: prose(pairs[name].say, names) for name in solved.shown if pairs[name].say},
            mistakes=tuple(self._known(template, names, number, {name: letter[right[name]] for name in solved.shown})),
        )
        told = "; ".join(f"**{number[name]}** is **{letter[right[name]]})** {right[name]}" for name in solved.shown)
        return Posed(MatchForm(items=items, options=options), key, names={"key": told})

    def _option(self, pair: Pair, solved: Solved, names: Mapping[str, Any]) -> str:
        """Return the option of an item, as it is shown."""
        return prose(pair.match, names) if pair.match is not None else show_amount(solved.values[pair.id], pair.unit)

    def _known(
        self, template: MatchTemplate, names: Mapping[str, Any], number: Mapping[str, str], letter: Mapping[str, str]
    ) -> Iterator[KnownMistake]:
        """Yield the mistakes that are possible with the items shown, and that give some item a wrong option."""
        for mistake in template.mistakes:
            if {*mistake.gives, *mistake.gives.values()} <= set(number):
                pairs = {number[item]: letter[other] for item, other in mistake.gives.items()}
                if all(letter[item] != letter[other] for item, other in mistake.gives.items()):
                    yield KnownMistake(pairs=pairs, say=prose(mistake.say, names))

    def body(self, form: MatchForm) -> str:
        rows = "\n".join(f"- **{item.label}.** {item.text}" for item in form.items)
        return f"{rows}\n\n*Match each item with an option. An option can be used more than once or not at all.*\n\n{as_list(form.options)}"

    def view(self, form: MatchForm) -> View:
        field = {"type": "pairs", "items": as_view(form.items), "options": as_view(form.options)}
        return {
            "how": "Match each item; an option can be used more than once or not at all.",
            "fields": [field],
        }

    def instruction(self, form: MatchForm, variable: str) -> str:
        return f"Fill in `{variable}`: a letter for each number."

    def parse(self, form: MatchForm, raw: Any) -> dict[str, str]:
        return reading.letters_of(form, raw)

    def read(self, form: MatchForm, value: dict[str, str]) -> str:
        return ", ".join(f"{number} {letter}" for number, letter in value.items())

    def matches(self, question: Question, value: dict[str, str], runner: Runner) -> Feedback:
        key, _ = self.key_and_form(question)
        parts = {number: value[number] == letter for number, letter in key.pairs.items()}
        credit = sum(parts.values()) / len(parts)
        if credit == 1:
            return Feedback.judged(question, 1.0, parts=parts)
        count = right_in_words(sum(parts.values()), len(parts))
        for index, mistake in enumerate(key.mistakes):
            if mistake.pairs.items() <= value.items():
                return Feedback.judged(question, credit, count, mistake.say, mistake=index, parts=parts)
        first = next(number for number, is_right in parts.items() if not is_right)
        said = f"**{first}.** {key.say.get(first, 'It belongs elsewhere.')}"
        return Feedback.judged(question, credit, count, said, parts=parts)

    def example(self, form: MatchForm) -> str:
        return reading.example(form)

    def unthinking(self, form: MatchForm) -> Mapping[str, Any]:
        labels = [option.label for option in form.options]
        same = {f"the option {label} for all": {item.label: label for item in form.items} for label in labels}
        return {**super().unthinking(form), **same}

    def samples(self, question: Question) -> Sequence[Sample]:
        key, form = self.key_and_form(question)
        letters = [option.label for option in form.options]
        first = next(iter(key.pairs))

        def outcome(given: Mapping[str, str]) -> Outcome:
            right = any(given.get(number) == letter for number, letter in key.pairs.items())
            return Outcome.PARTIAL if right else Outcome.INCORRECT

        wrong = {number: next(other for other in letters if other != letter) for number, letter in key.pairs.items()}
        return [
            Sample(dict(key.pairs), Outcome.CORRECT),
            Sample(" ".join(f"{number}{letter}" for number, letter in key.pairs.items()), Outcome.CORRECT),
            Sample(", ".join(key.pairs.values()), Outcome.CORRECT),
            *(
                Sample({**key.pairs, **mistake.pairs}, outcome({**key.pairs, **mistake.pairs}), index)
                for index, mistake in enumerate(key.mistakes)
            ),
            Sample({first: key.pairs[first]}, Outcome.UNREADABLE),
            Sample(wrong, Outcome.INCORRECT, None),
            Sample({"77": "a"}, Outcome.UNREADABLE),
            Sample({first: "?"}, Outcome.UNREADABLE),
            Sample("something", Outcome.UNREADABLE),
            Sample(7, Outcome.UNREADABLE),
            Sample(dict.fromkeys(key.pairs, ...), Outcome.BLANK),
            Sample("", Outcome.BLANK),
        ]

    def cells(self, form: MatchForm, variable: str) -> str:
        rows = "".join(f"    {item.label}: ...,\n" for item in form.items)
        return f"{variable} = {{  # a letter for each, such as {form.options[0].label!r}\n{rows}}}"

    def prove(self, template: MatchTemplate, draw: Draw, solved: Solved) -> Proof:
        pairs = [pair for pair in template.answer.pairs if pair.id in solved.shown]
        proof = Proof(
            confirmed=all(pair.oracle is not None for pair in pairs if pair.value is not None) and bool(solved.values)
        )
        for pair in pairs:
            if pair.oracle is None or pair.value is None:
                continue
            counted = float(draw.evaluate(pair.oracle))
            if abs(counted - solved.values[pair.id]) > AGREEMENT * abs(counted):
                proof.confirmed = False
                proof.faults.append(
                    f"{pair.id}: value gives {show_amount(solved.values[pair.id], pair.unit)} and oracle gives {show_amount(counted, pair.unit)}; "
                    "one of the two is wrong"
                )
        rights = [self._option(pair, solved, draw.printed) for pair in pairs]
        if len(set(rights)) < 2 and not template.answer.extra:
            proof.faults.append("every item belongs to the same option")
        if set(rights) & {prose(text, draw.printed) for text in template.answer.extra}:
            proof.faults.append("an extra option reads like one that an item belongs to")
        return proof

    def faults(self, template: MatchTemplate, references: References) -> Iterator[str]:
        for number, mistake in enumerate(template.mistakes, start=1):
            if all(item == other for item, other in mistake.gives.items()):
                yield f"mistake {number} is the right matching"


KIND = MatchKind()
