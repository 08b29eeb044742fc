"""Quantity: a number with a unit, right within a tolerance."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations
from typing import Any

from shardwise.errors import Unreadable
from shardwise.kinds.answers import as_read
from shardwise.kinds.base import NumericKind, Posed, Proof, Sample, View
from shardwise.kinds.calls import Runner
from shardwise.kinds.quantity.general import Trait, traits_of
from shardwise.kinds.quantity.judging import is_near, judged_quantity
from shardwise.kinds.quantity.magnitude import example_number, usual_sizes
from shardwise.kinds.quantity.model import (
    KnownMistake,
    QuantityForm,
    QuantityKey,
    QuantityTemplate,
    absolute,
    allowed,
    near,
)
from shardwise.kinds.quantity.slips.plan import omission_faults, plan_of
from shardwise.kinds.quantity.solving import AGREEMENT, Solved, solve
from shardwise.question import Feedback, Outcome, Question
from shardwise.template.draw import Draw
from shardwise.template.expressions import number_in_unit, prose
from shardwise.template.model import Template
from shardwise.template.references import References
from shardwise.units import (
    THIN_SPACE,
    Reading,
    from_base,
    normal,
    nouns_asked_for,
    nouns_in,
    read,
    show_amount,
    to_base,
    unit,
)

_SHARE_ASKED = re.compile(
    r"\b(?:share|fraction|per ?cent|percentage|probability|chance)\b(?:[^.?!]|\.(?=\d))*\?", re.IGNORECASE
)


FIGURES = 3  # significant figures that suffice unless a template asks for more; see `Tolerance`
_IN_WORDS = {3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight"}


class QuantityKind(NumericKind[QuantityTemplate, QuantityForm, QuantityKey]):
    """A number with a unit."""

    name = "quantity"
    about = "A number with a unit, right within a tolerance, in any unit of the right kind."
    starter = """\
# Drawn once per student and seed. A bare value is fixed.
params:
  file_bytes: {choice: [1, 2, 5, 10], unit: GB}
  bandwidth_bytes_per_s: {choice: [100, 200, 400], unit: Gbit/s, direction: per direction}
  latency_s: {choice: [50, 100], unit: ms}
prompt: |
  A file of {{ file_bytes }} crosses a link of {{ bandwidth_bytes_per_s }} with a latency of {{ latency_s }}.
  When has its last byte arrived?
answer:
  reference: example.transfer_seconds           # solutions/example.py
  oracle: example.played_transfer_seconds       # solutions/oracles/example.py; the lint compares the two
  unit: ms
  rel_tol: 0.005
mistakes:                                       # answers we recognise, and one sentence to unstick each
  - value: key - latency_s
    say: The first byte is on its way for a while, too.
  - value: latency_s + file_bytes / bandwidth_bytes_per_s / 8
    say: The link's rate counts bits, and the file bytes.
"""
    estimated_first = True
    Template = QuantityTemplate
    Form = QuantityForm
    Key = QuantityKey

    def solve(self, template: QuantityTemplate, draw: Draw) -> Solved:
        return solve(template, draw)

    def pose(self, template: QuantityTemplate, draw: Draw, solved: Solved) -> Posed:
        answer = template.answer
        direction = answer.direction or "none"
        names = {**draw.printed, "key": number_in_unit(solved.key, answer.unit, direction)}
        key = QuantityKey(
            value=solved.key,
            rel_tol=answer.rel_tol,
            abs_tol=absolute(answer),
            sig_figs=answer.sig_figs,
            mistakes=tuple(
                KnownMistake(value=value, say=prose(mistake.say, names), steady=number not in solved.unsteady)
                for number, (mistake, value) in enumerate(zip(template.mistakes, solved.mistakes, strict=True))
                if value is not None
            ),
            slips=solved.slips,
            stops=tuple(stop for stop in solved.stops if not near(stop[0], solved.key, allowed(answer, solved.key))),
            traits=traits_in(template, template.answer.unit),
        )
        nouns, others = words_of(template, answer.nouns, draw)
        usual = usual_sizes(template, answer, draw)
        whole = unit(answer.unit).is_count and answer.abs_tol is not None and answer.abs_tol % 1 == 0
        form = QuantityForm(
            unit=answer.unit,
            direction=direction,
            nouns=nouns,
            others=others,
            whole=whole,
            usual=usual,
            example=example_number(usual, is_whole=whole or counts_things(answer.unit)),
            figures=None if answer.abs_tol is not None else answer.sig_figs or FIGURES,
        )
        return Posed(form, key, names={"key": names["key"]})

    def parse(self, form: QuantityForm, raw: Any) -> Reading:
        if isinstance(raw, bool) or not isinstance(raw, str | int | float):
            raise Unreadable(f"I expected a number with its unit, but this is {_kind_of(raw)}.")
        if isinstance(raw, int) and abs(raw) > 10**60:
            raise Unreadable("That number has more than 60 digits.")
        if isinstance(raw, float) and not math.isfinite(raw):
            raise Unreadable(f"I cannot mark {raw} as a number.")
        text = raw if isinstance(raw, str) else repr(raw)
        reading = read(text, form.unit, form.direction, form.nouns, form.others, whole=form.whole, usual=form.usual)
        if not math.isfinite(reading.value):
            raise Unreadable("That number is too large to mark.")
        return reading

    def read(self, form: QuantityForm, value: Reading) -> str:
        return value.text

    def matches(self, question: Question, value: Reading, runner: Runner) -> Feedback:
        key, form = self.key_and_form(question)
        return judged_quantity(question, form, key, value)

    def number(self, key: QuantityKey) -> float:
        return key.value

    def given(self, question: Question, value: Reading) -> float:
        assert isinstance(question.key, QuantityKey)
        return value.nearest(question.key.value).value

    def written(self, form: QuantityForm, number: float) -> str:
        text = repr(float(f"{from_base(number, form.unit, form.direction):.12g}"))  # 124.00000000000001 ms are 124
        if re.fullmatch(r"-?\d{1,3}\.\d{3}", text):  # for a count, it may mean 859,375, so the student is asked
            text += "0"
        return f"{text} {unit(form.unit).text} {'duplex' if form.direction == 'duplex' else ''}".strip()

    def is_near(self, form: QuantityForm, key: QuantityKey, number: float) -> bool:
        return is_near(form, key, number)

    def is_whole(self, form: QuantityForm, key: QuantityKey) -> bool:
        return key.abs_tol is not None and unit(form.unit).is_count and float(key.value).is_integer()

    def with_number(self, key: QuantityKey, number: float) -> QuantityKey:
        return key.model_copy(update={"value": number, "mistakes": (), "slips": (), "stops": ()})

    def recomputed(self, template: QuantityTemplate, references: References, values: Mapping[str, Any]) -> Any:
        function = references.reference(template.answer.reference)
        return references.call(function, values, template.answer.arguments)

    def view(self, form: QuantityForm) -> View:
        example = self.example(form)
        if unit(form.unit).is_count:
            how = f"A number, for example {example}."
        else:
            way = "" if form.direction == "none" else f" {form.direction}"
            how = f"A number with its unit, for example {example}{way}. Any unit of that kind works."
        how = " ".join([how, *precision(form)])
        return {"how": how, "fields": [{"type": "line", "label": "Your answer", "has_preview": True}]}

    def instruction(self, form: QuantityForm, variable: str) -> str:
        return " ".join([super().instruction(form, variable), *precision(form)])

    def preview(self, form: QuantityForm, raw: Any) -> View:
        return as_read(self, form, raw)

    def example(self, form: QuantityForm) -> str:
        return _example(
            form.unit, form.example or example_number(None, is_whole=form.whole or counts_things(form.unit))
        )

    def samples(self, question: Question) -> Sequence[Sample]:
        key, form = self.key_and_form(question)

        wrong = "3 GB" if unit(form.unit).dimension == "[time]" else "3 ms"
        return [
            Sample(self.written(form, key.value), Outcome.CORRECT),
            *(
                Sample(self.written(form, mistake.value), Outcome.INCORRECT, index)
                for index, mistake in enumerate(key.mistakes)
            ),
            Sample("", Outcome.BLANK),
            Sample(None, Outcome.BLANK),
            Sample("a lot", Outcome.UNREADABLE),
            Sample(wrong, Outcome.UNREADABLE),
            Sample(float("nan"), Outcome.UNREADABLE),
            Sample([1, 2], Outcome.UNREADABLE),
            *(
                [Sample("3", Outcome.UNREADABLE)]
                if unit(form.unit).powers and not unit(form.unit).is_count and unit(form.unit).text != "FLOP"
                else []
            ),
        ]

    def cells(self, form: QuantityForm, variable: str) -> str:
        example = self.example(form)
        what = "a number with its unit" if unit(form.unit).text else "a number"
        return f"{variable} = ...  # {what}, such as {example!r}"

    def prove(self, template: QuantityTemplate, draw: Draw, solved: Solved) -> Proof:
        proof = Proof()
        answer, references = template.answer, draw.references
        counted = float(references.call(references.oracle(answer.oracle), draw.values, answer.arguments))
        # in the answer's unit, because 1 nm is not near 0, although it is 1e-9 m
        in_unit = (from_base(value, answer.unit) for value in (counted, solved.key))
        proof.confirmed = math.isclose(*in_unit, rel_tol=AGREEMENT, abs_tol=1e-15)
        if not proof.confirmed:
            proof.faults.append(
                f"{answer.reference} gives {show_amount(solved.key, answer.unit)} and {answer.oracle} gives "
                f"{show_amount(counted, answer.unit)}; one of the two is wrong"
            )
        if (published := self._published(template, solved.key)) is not None:
            proof.faults.append(
                f"the solution shows {published} for the key, but an answer of that would be wrong; show more digits, as in "
                f'{{{{ key | unit("{answer.unit}", 6) }}}}'
            )
        proof.faults.extend(_unproved(template, draw, solved))
        values = [value for value in (solved.key, *solved.mistakes) if value is not None]
        tolerances = [allowed(answer, value) for value in values]
        for (each, its), (other, others) in combinations(zip(values, tolerances, strict=True), 2):
            proof.near(abs(each - other) / (its + others) if its + others else float("inf"))
        return proof

    def _published(self, template: QuantityTemplate, key: float) -> str | None:
        """Return what the solution shows for the key, if that is too imprecise to be right."""
        if re.search(r"\{\{-?\s*key\s*(\|\s*tex\s*)?-?\}\}", template.explanation) is None:
            return None
        answer = template.answer
        way = answer.direction or "none"
        rounded = float(f"{from_base(key, answer.unit, way):.4g}")
        if abs(rounded) < 10**9 and float(key).is_integer() and unit(answer.unit).factor == 1:
            return None  # a whole number is shown with all its digits
        if near(float(to_base(rounded, answer.unit, way)), key, allowed(answer, key)):
            return None
        return show_amount(key, answer.unit, way)

    def faults(self, template: QuantityTemplate, references: References) -> Iterator[str]:
        if not template.mistakes:
            yield "no recognised mistakes; name at least one wrong answer that students give"
        if not re.search(r"\{\{[^}]*\bkey\b", template.explanation):
            yield "the solution never shows the right number; write {{ key }} where the calculation ends"

    def faults_over(
        self, template: QuantityTemplate, references: References, drawn: Sequence[Question]
    ) -> Iterator[tuple[str, str]]:
        return ((fault, "") for fault in omission_faults(template, references))


def _unproved(template: QuantityTemplate, draw: Draw, solved: Solved) -> Iterator[str]:
    """Yield faults of a draw's slips: too close to the key, or with words that reveal it."""
    answer = template.answer
    again = plan_of(template, draw).program.run(draw.values)[0]
    if not math.isclose(again, solved.key, rel_tol=AGREEMENT):
        yield (
            f"{answer.reference} gives {show_amount(solved.key, answer.unit)}, but {show_amount(again, answer.unit)} when it is traced "
            "step by step, so the lint cannot tell what an omission in it would give"
        )
    number = f"{from_base(solved.key, answer.unit, answer.direction or 'none'):.4g}"
    for _, how in solved.slips:
        if len(number) > 3 and number in how:
            yield f"the sentence about a slip gives away the key, {number}: {how}"


def precision(form: QuantityForm) -> Iterator[str]:
    """Yield a sentence about the required precision; nothing if the answer must be a whole number."""
    if form.figures is not None:
        more = "are enough" if form.figures == FIGURES else "are needed"
        yield f"{_IN_WORDS[form.figures].capitalize()} significant figures {more}."


@cache
def _example(text: str, number: float) -> str:
    """Return a number with its unit as one would type it, without a thin space."""
    return show_amount(to_base(number, text), text).replace(THIN_SPACE, "")


def counts_things(text: str) -> bool:
    """Return whether a unit counts whole things: nodes, tokens, steps."""
    return unit(text).is_count and bool(unit(text).powers)


def words_of(template: Template, nouns: Sequence[str], draw: Draw) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the nouns for what a question counts, including those that its author adds, and the nouns that it only mentions."""
    prompt = prose(template.prompt, draw.printed)
    named = tuple(dict.fromkeys((*nouns_asked_for(prompt), *nouns_asked_for(template.title), *nouns)))
    return named, tuple(sorted({*nouns_in(f"{template.title}. {prompt}")} - {*map(normal, named)}))


def traits_in(template: Template, unit_text: str) -> tuple[Trait, ...]:
    """Return the subject of a question, from the units of its answer and its parameters."""
    units = (unit_text, *(given.unit for given in template.params.values() if given.unit))
    return traits_of(units, is_share=_SHARE_ASKED.search(template.prompt) is not None)


def _kind_of(raw: Any) -> str:
    return {bool: "True or False", list: "a list", dict: "a dictionary", type(None): "nothing"}.get(
        type(raw), f"of type {type(raw).__name__}"
    )


KIND = QuantityKind()
