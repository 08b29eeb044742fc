"""Quantity: a number with a unit, right within a tolerance."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from shardwise.errors import Reject, Unreadable
from shardwise.kinds.base import Kind, Posed, Proof, Sample, View
from shardwise.kinds.calls import Runner
from shardwise.kinds.quantity.model import (
    Answer,
    KnownMistake,
    QuantityForm,
    QuantityKey,
    QuantityTemplate,
    near,
    tolerance,
)
from shardwise.question import Outcome, Question, Verdict
from shardwise.template.draw import Draw
from shardwise.template.expressions import prose, shown
from shardwise.template.references import References
from shardwise.units import Reading, from_base, read, show, to_base, unit

AGREEMENT = 1e-9  # relative; a key and its oracle are both doubles, and sums of a few thousand terms lose a few digits


@dataclass(frozen=True)
class Solved:
    """Key and mistakes of one draw, in base units."""

    key: float
    mistakes: tuple[float, ...]


# Slips that happen everywhere, tried when no recognised mistake fits: the ratio of answer to key, and what to say.
_EVERYWHERE = (
    (8.0, "You are exactly 8 times too high: were those bits, where bytes are asked for?"),
    (0.125, "You are exactly 8 times too low: a byte has 8 bits. Which of the two do your numbers count?"),
    (2.0, "You are exactly twice too high. Is a factor of 2 counted twice, or a duplex bandwidth halved?"),
    (0.5, "You are exactly half of the right value. Is there a second phase, direction or copy?"),
    (1.024**3, "You are off by 1.074: GB is 10⁹ bytes, GiB is 2³⁰."),
    (1.024**-3, "You are off by 1.074: GB is 10⁹ bytes, GiB is 2³⁰."),
    (100.0, "You are 100 times too high: a fraction and a percentage?"),
    (0.01, "You are 100 times too low: a fraction and a percentage?"),
    *((1000.0**power, "You are off by a power of 1,000: look at the prefixes (k, M, G, T; m, µ).")
      for power in (-4, -3, -2, -1, 1, 2, 3, 4)),
    (-1.0, "The size is right; the sign is not."),
)  # fmt: skip


class QuantityKind(Kind[QuantityTemplate, QuantityForm, QuantityKey]):
    """A number with a unit."""

    name = "quantity"
    about = "A number with a unit, right within a tolerance; unreadable units cost no attempt."
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
    Template = QuantityTemplate
    Form = QuantityForm
    Key = QuantityKey

    def solve(self, template: QuantityTemplate, draw: Draw) -> Solved:
        answer, references = template.answer, draw.references
        key = float(references.call(references.reference(answer.reference), draw.values, answer.arguments))
        mistakes = tuple(mistake.of(key, draw) for mistake in template.mistakes)
        allowed = [self._allowed(answer, value) for value in (key, *mistakes)]
        for first, value in enumerate((key, *mistakes)):
            for second in range(first + 1, 1 + len(mistakes)):
                if abs(value - mistakes[second - 1]) <= 1.000001 * (allowed[first] + allowed[second]):
                    pair = f"mistake {first} and mistake {second}" if first else f"mistake {second} and the key"
                    raise Reject(f"{pair} lie within their tolerances")
        return Solved(key, mistakes)

    def _allowed(self, answer: Answer, value: float) -> float:
        """The tolerance around a base-unit value, in base units."""
        way = answer.direction or "none"
        if answer.abs_tol is not None:
            return float(to_base(answer.abs_tol, answer.unit, way))
        if answer.sig_figs is not None:
            step = tolerance(from_base(value, answer.unit, way), rel_tol=None, abs_tol=None, sig_figs=answer.sig_figs)
            return float(to_base(step, answer.unit, way))
        return tolerance(value, rel_tol=answer.rel_tol, abs_tol=None, sig_figs=None)

    def pose(self, template: QuantityTemplate, draw: Draw, solved: Solved) -> Posed:
        answer = template.answer
        direction = answer.direction or "none"
        names = {**draw.printed, "key": shown(solved.key, answer.unit, direction)}
        key = QuantityKey(
            value=solved.key,
            rel_tol=answer.rel_tol,
            abs_tol=None if answer.abs_tol is None else float(to_base(answer.abs_tol, answer.unit, direction)),
            sig_figs=answer.sig_figs,
            mistakes=tuple(
                KnownMistake(value=value, say=prose(mistake.say, names))
                for mistake, value in zip(template.mistakes, solved.mistakes, strict=True)
            ),
        )
        return Posed(QuantityForm(unit=answer.unit, direction=direction), key, names={"key": names["key"]})

    def parse(self, form: QuantityForm, raw: Any) -> Reading:
        if isinstance(raw, bool) or not isinstance(raw, str | int | float):
            raise Unreadable(f"I expected a number with its unit, and this is {_kind_of(raw)}.")
        if isinstance(raw, int) and abs(raw) > 10**60:
            raise Unreadable("That whole number has more than 60 digits.")
        if isinstance(raw, float) and not math.isfinite(raw):
            raise Unreadable(f"{raw} is not a number that I can mark.")
        text = raw if isinstance(raw, str) else repr(raw)
        reading = read(text, form.unit, form.direction)
        if not math.isfinite(reading.value):
            raise Unreadable("That number is too large to mark.")
        return reading

    def read(self, form: QuantityForm, value: Reading) -> str:
        return value.text

    def matches(self, question: Question, value: Reading, runner: Runner) -> Verdict:
        key, form = question.key, question.form
        assert isinstance(key, QuantityKey) and isinstance(form, QuantityForm)
        if near(value.value, key.value, self._key_allowed(key, form, key.value)):
            return Verdict(credit=1.0)
        for index, mistake in enumerate(key.mistakes):
            if near(value.value, mistake.value, self._key_allowed(key, form, mistake.value)):
                return Verdict(credit=0.0, say=mistake.say, mistake=index)
        for factor, words in _EVERYWHERE:
            if key.value and near(value.value / key.value, factor, abs(factor) * 1e-3):
                return Verdict(credit=0.0, say=words)
        return Verdict(credit=0.0, say=_how_far(value.value, key.value))

    def _key_allowed(self, key: QuantityKey, form: QuantityForm, value: float) -> float:
        if key.sig_figs is not None:
            shown = from_base(value, form.unit, form.direction)
            step = tolerance(shown, rel_tol=None, abs_tol=None, sig_figs=key.sig_figs)
            return float(to_base(step, form.unit, form.direction))
        return tolerance(value, rel_tol=key.rel_tol, abs_tol=key.abs_tol, sig_figs=None)

    def view(self, form: QuantityForm) -> View:
        example = self.example(form)
        if unit(form.unit).is_count:
            how = f"A number, for example {example}."
        else:
            way = "" if form.direction == "none" else f" {form.direction}"
            how = f"A number with its unit, for example {example}{way}; any unit of that kind will do."
        return {"how": how, "fields": [{"type": "line", "label": "Your answer"}]}

    def example(self, form: QuantityForm) -> str:
        return show(float(to_base(2.5, form.unit)) if not unit(form.unit).is_count else 7, form.unit).replace(",", "")

    def samples(self, question: Question) -> Sequence[Sample]:
        key, form = question.key, question.form
        assert isinstance(key, QuantityKey) and isinstance(form, QuantityForm)

        def written(value: float) -> str:
            return f"{from_base(value, form.unit, form.direction)!r} {form.unit} " + (
                "duplex" if form.direction == "duplex" else ""
            )

        wrong = "3 GB" if unit(form.unit).dimension == "[time]" else "3 ms"
        return [
            Sample(written(key.value), Outcome.CORRECT),
            *(Sample(written(mistake.value), Outcome.INCORRECT, index) for index, mistake in enumerate(key.mistakes)),
            Sample("", Outcome.BLANK),
            Sample(None, Outcome.BLANK),
            Sample("a lot", Outcome.UNREADABLE),
            Sample(wrong, Outcome.UNREADABLE),
            Sample(float("nan"), Outcome.UNREADABLE),
            Sample([1, 2], Outcome.UNREADABLE),
            *([] if unit(form.unit).is_count else [Sample("3", Outcome.UNREADABLE)]),
        ]

    def cells(self, form: QuantityForm, variable: str) -> str:
        return f"{variable} = ...  # a number with its unit, such as {self.example(form)!r}"

    def prove(self, template: QuantityTemplate, draw: Draw, solved: Solved) -> Proof:
        proof = Proof()
        answer, references = template.answer, draw.references
        counted = float(references.call(references.oracle(answer.oracle), draw.values, answer.arguments))
        proof.confirmed = math.isclose(counted, solved.key, rel_tol=AGREEMENT, abs_tol=1e-15)
        if not proof.confirmed:
            proof.faults.append(
                f"{answer.reference} gives {show(solved.key, answer.unit)} and {answer.oracle} gives "
                f"{show(counted, answer.unit)}; one of the two is wrong"
            )
        if not math.isfinite(solved.key):
            proof.faults.append(f"the key is {solved.key}")
        everything = (solved.key, *solved.mistakes)
        for first in range(len(everything)):
            for other in range(first + 1, len(everything)):
                allowed = self._allowed(answer, everything[first]) + self._allowed(answer, everything[other])
                gap = abs(everything[first] - everything[other])
                proof.near(gap / allowed if allowed else float("inf"))
        return proof

    def faults(self, template: QuantityTemplate, references: References) -> Iterator[str]:
        if not template.mistakes:
            yield "no recognised mistakes; name at least one wrong answer that students give"


def _kind_of(raw: Any) -> str:
    return {bool: "True or False", list: "a list", dict: "a dictionary", type(None): "nothing"}.get(
        type(raw), f"of type {type(raw).__name__}"
    )


def _how_far(given: float, key: float) -> str:
    """A nudge that tells the direction but not the number."""
    if key and given * key > 0:
        ratio = given / key
        if 0.9 < ratio < 1.1:
            return "Close, but outside the tolerance. Is something rounded on the way, or an (N-1)/N left out?"
        far = max(ratio, 1 / ratio)
        size = "more than ten times" if far > 10 else "more than twice" if far > 2 else "less than twice"
        return f"Too {'high' if ratio > 1 else 'low'}: {size} off."
    return "That is not it."


KIND = QuantityKind()
