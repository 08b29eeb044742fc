"""Order: items to be put in sequence, some or all of them drawn by the seed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any, Literal

from pydantic import Field, model_validator

from shardwise.errors import Reject, Unreadable
from shardwise.kinds.base import Kind, Posed, Proof, Sample, View
from shardwise.kinds.calls import Runner
from shardwise.kinds.labels import LONGEST, Labelled, as_list, as_view, in_every_draw, joined, label, letters, lopsided
from shardwise.markdown.plain import to_plain
from shardwise.question import Feedback, Form, Key, Outcome, Question
from shardwise.template import model as author
from shardwise.template.draw import Draw
from shardwise.template.expressions import prose
from shardwise.template.references import References
from shardwise.units import show_amount

_LARGE = re.compile(
    r"\b(?:most|highest|largest|longest|greatest|biggest|dearest|slowest|latest|outermost|last)\b", re.IGNORECASE
)
_SMALL = re.compile(r"\b(?:least|lowest|smallest|shortest|fewest|cheapest|fastest|innermost)\b", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z]{3,}")
MOST_WORDS = 6  # allowed next to the letters of an order that contains < and >
_NUMBERED = re.compile(r"(?<!\w)(\d)(?:\s*[.):=]\s*(?=[A-Za-z(])|(?=[A-Za-z]\b))")
_LINE_NUMBER = re.compile(r"^\s*(\d)[.):]\s+", re.MULTILINE)
_PLACED = re.compile(r"\(?([A-Za-z])\)?\s*[:=.-]?\s*(\d)(?!\w)[\s,;.]*")
APART = 0.05  # values closer than 5 % are not worth ordering; such a draw is rejected


class Item(author.AuthorModel):
    """One thing to be placed."""

    id: str = Field(pattern=r"^[a-z0-9_-]+$", description="Name for use in mistakes; students do not see it.")
    text: author.Prose = Field(min_length=1, description="What the student reads.")
    value: author.Value | None = Field(None, description="Expression to sort by, ascending.")
    oracle: author.Value | None = Field(
        None, description="The same value, computed another way; the lint compares the orders."
    )


class Answer(author.AuthorModel):
    """The `answer` of an ordering problem."""

    first: author.Prose = Field(min_length=3, description="What the beginning of the list means.")
    shown: int | None = Field(None, ge=3, le=10, description="How many items each draw shows; all of them by default.")
    items: tuple[Item, ...] = Field(
        min_length=3, max_length=12, description="The items in the right order, or with values."
    )
    unit: author.UnitName | None = Field(
        None, description="Unit of the values; with it, feedback shows the values of a pair in the wrong order."
    )

    @model_validator(mode="after")
    def _consistent(self) -> Answer:
        if len({item.id for item in self.items}) != len(self.items):
            raise ValueError("two items have the same id")
        if len({item.value is None for item in self.items}) > 1:
            raise ValueError("either every item has a `value` or none has")
        if self.unit is not None and self.items[0].value is None:
            raise ValueError("there is a `unit`, but no item has a `value`")
        return self


class Mistake(author.AuthorModel):
    """A wrong order that teachers know."""

    order: tuple[str, ...] = Field(description="The ids of items in the wrong order.")
    about: tuple[str, ...] = Field(
        (), description="Items that `say` speaks of. Where one is not shown, the mistake is not known."
    )
    when: author.Value | None = Field(
        None, description="An expression: the draws in which this mistake can be recognised; all of them by default."
    )
    say: author.Say

    def is_known(self, draw: Draw) -> bool:
        """Return whether this mistake leads to this order in a draw."""
        return self.when is None or bool(draw.evaluate(self.when))


class OrderTemplate(author.Template):
    """A problem answered by an order."""

    kind: Literal["order"]
    answer: Answer
    mistakes: tuple[Mistake, ...] = ()

    @model_validator(mode="after")
    def _mistakes_are_orders(self) -> OrderTemplate:
        ids = sorted(item.id for item in self.answer.items)
        for mistake in self.mistakes:
            if sorted(mistake.order) != ids:
                raise ValueError(f"a mistake's order names every item once; the items are {', '.join(ids)}")
            if strangers := sorted({*mistake.about} - {*ids}):
                raise ValueError(f"a mistake is about {', '.join(strangers)}; the items are {', '.join(ids)}")
        return self


class OrderForm(Form):
    """The items as the student sees them."""

    first: str
    items: tuple[Labelled, ...]


class KnownMistake(Key):
    """A recognised wrong order."""

    order: tuple[str, ...]
    say: str


class OrderKey(Key):
    """The letters in the right order, and the recognised wrong orders."""

    order: tuple[str, ...]
    mistakes: tuple[KnownMistake, ...] = ()
    values: Mapping[str, str] = {}  # by letter, as they are shown


@dataclass(frozen=True)
class Solved:
    """The ids in the right order, and in the order shown."""

    right: tuple[str, ...]
    shown: tuple[str, ...]


def agreement(given: Sequence[str], right: Sequence[str]) -> float:
    """Return Kendall's rank correlation, at least 0: 1 for the same order, 0 for the average of random orders.

    >>> agreement("abcd", "abcd"), agreement("dcba", "abcd"), round(agreement("bacd", "abcd"), 3)
    (1.0, 0.0, 0.667)
    """
    pairs = list(combinations(right, 2))
    kept = sum(given.index(first) < given.index(second) for first, second in pairs)
    return max(0.0, 2 * kept / len(pairs) - 1)


class OrderKind(Kind[OrderTemplate, OrderForm, OrderKey]):
    """Items to be put in sequence."""

    name = "order"
    is_shuffled = True
    about = "Items to be put in sequence; part of the points for a nearly right order (Kendall's rank correlation)."
    starter = """\
# Drawn once per student and seed. A bare value is fixed.
params:
  file_bytes: {choice: [1, 2, 5, 10], unit: GB}
  bandwidth_bytes_per_s: {choice: [100, 200, 400], unit: Gbit/s, direction: per direction}
  latency_s: {choice: [50, 100], unit: ms}
prompt: |
  Files cross a link of {{ bandwidth_bytes_per_s }} with a latency of {{ latency_s }}. Put them in the order of their time.
answer:
  first: the shortest time
  items:                                        # by their value; without one, in the order given here
    - {id: half, text: "{{ file_bytes / 2 }} bytes", value: latency_s + file_bytes / 2 / bandwidth_bytes_per_s}
    - {id: whole, text: "{{ file_bytes }}", value: latency_s + file_bytes / bandwidth_bytes_per_s}
    - {id: two, text: "two files of {{ file_bytes }}, one after the other", value: 2 * (latency_s + file_bytes / bandwidth_bytes_per_s)}
    - {id: three, text: "3 GB", value: latency_s + 3.0e+9 / bandwidth_bytes_per_s}
mistakes:
  - order: [whole, half, two, three]
    say: The smaller file is through first.
"""
    Template = OrderTemplate
    Form = OrderForm
    Key = OrderKey
    needs_oracle = False  # many orders are about concepts, which no oracle can confirm
    guessed = 0.5  # a random order has some neighbours in the right order, which earn a share

    def solve(self, template: OrderTemplate, draw: Draw) -> Solved:
        answer, rng = template.answer, draw.rng.steady
        items = sorted(answer.items, key=lambda item: rng.number(f"item {item.id}"))
        drawn = {item.id for item in items[: answer.shown or len(items)]}
        right = self._sorted([item for item in answer.items if item.id in drawn], draw, use_oracle=False)
        mixed = rng.shuffled(sorted(right), "shuffle")
        if tuple(mixed) == right:  # never present the items in the right order
            mixed = [*mixed[1:], mixed[0]]
        return Solved(right, tuple(mixed))

    def _sorted(self, items: Sequence[Item], draw: Draw, *, use_oracle: bool) -> tuple[str, ...]:
        if items[0].value is None:
            return tuple(item.id for item in items)

        def size(item: Item) -> float:
            given = item.oracle if use_oracle and item.oracle is not None else item.value
            return float(draw.evaluate(given if given is not None else 0))

        sizes = sorted((size(item), item.id) for item in items)
        for (low, _), (high, _) in pairwise(sizes):
            if high - low <= APART * max(abs(low), abs(high)) and not use_oracle:
                raise Reject(f"two values lie within {APART:.0%} of each other")
        return tuple(name for _, name in sizes)

    def pose(self, template: OrderTemplate, draw: Draw, solved: Solved) -> Posed:
        names = draw.printed
        texts = {item.id: prose(item.text, names) for item in template.answer.items}
        labelled = label([texts[name] for name in solved.shown])
        letter = {name: line.label for name, line in zip(solved.shown, labelled, strict=True)}
        right = tuple(letter[name] for name in solved.right)
        known: dict[tuple[str, ...], KnownMistake] = {}
        for mistake in template.mistakes:
            order = tuple(letter[name] for name in mistake.order if name in letter)
            is_shown = letter.keys() >= {*mistake.about}
            if order != right and order not in known and is_shown and mistake.is_known(draw):
                known[order] = KnownMistake(order=order, say=prose(mistake.say, names))
        form = OrderForm(first=prose(template.answer.first, names), items=labelled)
        values = {
            letter[item.id]: self._value(template, item, draw) for item in template.answer.items if item.id in letter
        }
        key_text = joined(sorted(labelled, key=lambda line: right.index(line.label)))
        return Posed(
            form,
            OrderKey(order=right, mistakes=tuple(known.values()), values=values if template.answer.unit else {}),
            names={"key": key_text},
        )

    def _value(self, template: OrderTemplate, item: Item, draw: Draw) -> str:
        """Return an item's value as it is shown; a negative value only serves to reverse the order."""
        unit = template.answer.unit
        return show_amount(abs(float(draw.evaluate(item.value or 0))), unit) if unit else ""

    def body(self, form: OrderForm) -> str:
        return f"{as_list(form.items)}\n\n*Put the letters in order, beginning with {form.first}.*"

    def view(self, form: OrderForm) -> View:
        return {
            "how": to_plain(f"Put these in order, beginning with {form.first}."),
            "fields": [{"type": "order", "items": as_view(form.items)}],
        }

    def parse(self, form: OrderForm, raw: Any) -> tuple[str, ...]:
        if isinstance(raw, set | frozenset):
            raise Unreadable(f"A set has no order. An answer looks like “{self.example(form)}”.", shows_example=True)
        if isinstance(raw, Mapping) and all(
            isinstance(part, str) or (isinstance(part, int | float) and part in range(100))
            for pair in raw.items()
            for part in pair
        ):
            raw = ", ".join(f"{name}: {place}" for name, place in raw.items())
        if isinstance(raw, str) and len(raw) <= LONGEST:
            raw = _without_numbers(form, _by_place(form, raw))
            _refuse_signs(form, raw)
        given = letters(raw, form.items, self.example(form))
        missing = [item.label for item in form.items if item.label not in given]
        if missing:
            raise Unreadable(f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing: use every letter.")
        return tuple(given)

    def read(self, form: OrderForm, value: tuple[str, ...]) -> str:
        return " → ".join(value)

    def matches(self, question: Question, value: tuple[str, ...], runner: Runner) -> Feedback:
        key, _ = self.key_and_form(question)
        if value == key.order:
            return Feedback.judged(question, 1.0)
        credit = agreement(value, key.order)
        for index, mistake in enumerate(key.mistakes):
            if value == mistake.order:
                return Feedback.judged(question, credit, mistake.say, mistake=index)
        pairs = enumerate(zip(value, key.order, strict=True))
        wrong = next(place for place, (given, right) in pairs if given != right)
        right = "The first is right" if wrong == 1 else f"The first {wrong} are right"
        said = f"{right}; **{value[wrong]}** does not come next." if wrong else f"**{value[0]}** does not come first."
        return Feedback.judged(question, credit, f"{said} {_turned_pair(key, value)}")

    def example(self, form: OrderForm) -> str:
        return " ".join(item.label for item in form.items)

    def samples(self, question: Question) -> Sequence[Sample]:
        key, _ = self.key_and_form(question)

        def outcome(order: Sequence[str]) -> Outcome:
            return Outcome.PARTIAL if agreement(order, key.order) > 0 else Outcome.INCORRECT

        return [
            Sample(" ".join(key.order), Outcome.CORRECT),
            Sample(list(key.order), Outcome.CORRECT),
            Sample("".join(key.order).upper(), Outcome.CORRECT),
            *(Sample(" ".join(wrong.order), outcome(wrong.order), index) for index, wrong in enumerate(key.mistakes)),
            Sample(" ".join(key.order[:-1]), Outcome.UNREADABLE),
            Sample("z y x", Outcome.UNREADABLE),
            Sample("", Outcome.BLANK),
        ]

    def faults_over(
        self, template: OrderTemplate, references: References, drawn: Sequence[Question]
    ) -> Iterator[tuple[str, str]]:
        return lopsided([_right_texts(question) for question in drawn])

    def cells(self, form: OrderForm, variable: str) -> str:
        return f"{variable} = ...  # every letter once, such as {self.example(form)!r}"

    def prove(self, template: OrderTemplate, draw: Draw, solved: Solved) -> Proof:
        items = [item for item in template.answer.items if item.id in solved.right]
        proof = Proof(confirmed=all(item.oracle is not None for item in items))
        if proof.confirmed and self._sorted(items, draw, use_oracle=True) != solved.right:
            proof.faults.append("the values and the oracles give different orders")
        if template.answer.shown and template.answer.shown > len(template.answer.items):
            proof.faults.append(
                f"answer.shown is {template.answer.shown}, but there are only {len(template.answer.items)} items"
            )
        return proof

    def faults(self, template: OrderTemplate, references: References) -> Iterator[str]:
        fixed = tuple(item.id for item in template.answer.items if item.value is None)
        for number, mistake in enumerate(template.mistakes, start=1):
            if mistake.order == fixed:
                yield f"mistake {number} is the right order"


def _right_texts(question: Question) -> tuple[str, ...]:
    """Return the items of a draw in the right order."""
    key, form = question.key, question.form
    assert isinstance(key, OrderKey) and isinstance(form, OrderForm)
    texts = in_every_draw(form.items)
    return tuple(texts[label] for label in key.order)


def _turned_pair(key: OrderKey, given: Sequence[str]) -> str:
    """Return a question about the first two neighbours in the wrong order, with their values if the author gave a unit."""
    first, second = next(pair for pair in pairwise(given) if key.order.index(pair[0]) > key.order.index(pair[1]))
    if key.values:
        return f"**{first}** is {key.values[first]} and **{second}** is {key.values[second]}: which of these two comes first?"
    return (
        f"Compare **{first}** with **{second}**, which you put right after it: which of these two comes first, and why?"
    )


def _without_numbers(form: OrderForm, text: str) -> str:
    """Return an order without the numbers of a numbered list, if they count the items."""
    places = [str(place) for place, _ in enumerate(form.items, start=1)]
    written = next((pattern for pattern in (_LINE_NUMBER, _NUMBERED) if pattern.findall(text) == places), None)
    return written.sub(" ", text) if written else text


def _by_place(form: OrderForm, text: str) -> str:
    """Return the letters in order, "b a", from a text with the place of each, "a: 2, b: 1". Any other text is unchanged."""
    found = _PLACED.findall(text)
    is_numbered = sorted(place for _, place in found) == [str(place) for place, _ in enumerate(form.items, start=1)]
    if _PLACED.sub("", text).strip() or not is_numbered:
        return text
    return " ".join(name for name, _ in sorted(found, key=lambda pair: pair[1]))


def _refuse_signs(form: OrderForm, text: str) -> None:
    """Raise Unreadable if < or > may mean the opposite of the order of the letters."""
    if len(_WORD.findall(text)) > MOST_WORDS:  # copied items, with their words
        return
    arrows = re.sub(r"[-=]+>", " ", text)
    if "=" in arrows:
        raise Unreadable("I saw “=”, but two letters cannot share a place.")
    is_down = bool(_LARGE.search(form.first))
    is_up = bool(_SMALL.search(form.first))
    for sign, is_doubtful, says in (("<", is_down, "less"), (">", is_up, "greater")):
        if sign in arrows and (is_doubtful or (">" in arrows and "<" in arrows)):
            raise Unreadable(
                f"“{sign}” can be read as “then” and as “is {says} than”, which gives the opposite order. "
                f"Write the letters alone, beginning with {form.first}."
            )


KIND = OrderKind()
