"""Quantity: a number with a unit, right within a tolerance."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from shardwise.errors import Reject, ShardwiseError, Unreadable
from shardwise.kinds.base import Kind, Posed, Proof, Sample, View
from shardwise.kinds.calls import Runner
from shardwise.question import Form, Key, Outcome, Question, Verdict
from shardwise.template import model as author
from shardwise.template.draw import Draw
from shardwise.template.expressions import prose, shown
from shardwise.template.references import References
from shardwise.units import Direction, Reading, from_base, read, show, to_base, unit

AGREEMENT = 1e-9  # relative; a key and its oracle are both doubles, and sums of a few thousand terms lose a few digits


class Tolerance(author.AuthorModel):
    """How near is near enough: exactly one of the three, 1 % when none is given."""

    rel_tol: float | None = Field(None, gt=0, lt=0.5, description="Relative, 0.01 is one per cent.")
    abs_tol: float | None = Field(None, ge=0, description="Absolute, in the answer's unit; 0 asks for it exactly.")
    sig_figs: int | None = Field(None, ge=1, le=8, description="As many significant figures must be right.")

    @model_validator(mode="after")
    def _one(self) -> Tolerance:
        if sum(way is not None for way in (self.rel_tol, self.abs_tol, self.sig_figs)) > 1:
            raise ValueError("give one of rel_tol, abs_tol and sig_figs, not several")
        return self


class Answer(Tolerance):
    """The `answer` of a quantity problem."""

    reference: str = Field(pattern=r"^[a-z_0-9]+\.[a-z_0-9]+$", description="module.function in solutions/")
    oracle: str = Field(pattern=r"^[a-z_0-9]+\.[a-z_0-9]+$", description="module.function in solutions/oracles/")
    arguments: Mapping[str, author.Value] = Field({}, description="keyword: expression, where names differ")
    unit: str = Field("1", description="The unit asked for; another of the same dimension is read as well.")
    direction: Literal["per direction", "duplex", "none"] | None = None

    @field_validator("unit")
    @classmethod
    def _known(cls, text: str) -> str:
        try:
            unit(text)
        except ShardwiseError as error:
            raise ValueError(str(error)) from None
        return text

    @model_validator(mode="after")
    def _directed(self) -> Answer:
        if unit(self.unit).dimension == "[information] / [time]" and self.direction is None:
            raise ValueError("a bandwidth needs a direction: per direction, duplex or none")
        return self


class Mistake(author.AuthorModel):
    """A wrong answer that teachers know: its value, and what to say to it."""

    factor: float | None = Field(None, description="The key times this.")
    value: author.Value | None = Field(None, description="An expression in base units; `key` is the right answer.")
    say: author.Prose = Field(min_length=10, description="One or two sentences that unstick; Jinja2.")

    @model_validator(mode="after")
    def _one(self) -> Mistake:
        if (self.factor is None) == (self.value is None):
            raise ValueError("a mistake has either a factor or a value")
        return self

    def of(self, key: float, draw: Draw) -> float:
        """The mistake's value for a draw, in base units."""
        if self.factor is not None:
            return key * self.factor
        return float(draw.evaluate(self.value or 0, key=key))


class QuantityTemplate(author.Template):
    """A problem answered by a number with a unit."""

    kind: Literal["quantity"]
    answer: Answer
    mistakes: tuple[Mistake, ...] = Field((), description="Recognised wrong answers.")


class QuantityForm(Form):
    """The unit asked for."""

    unit: str
    direction: Direction


class KnownMistake(Key):
    """A recognised mistake: its value in base units, and what to say."""

    value: float
    say: str


class QuantityKey(Key):
    """The right value in base units, how near is near enough, and the recognised mistakes."""

    value: float
    rel_tol: float | None = None
    abs_tol: float | None = None  # base units
    sig_figs: int | None = None
    mistakes: tuple[KnownMistake, ...] = ()


@dataclass(frozen=True)
class Solved:
    """Key and mistakes of one draw, in base units."""

    key: float
    mistakes: tuple[float, ...]


def tolerance(value: float, *, rel_tol: float | None, abs_tol: float | None, sig_figs: int | None) -> float:
    """How far from `value` an answer may lie, in the unit of `value`.

    >>> round(tolerance(1.75, rel_tol=0.01, abs_tol=None, sig_figs=None), 6)
    0.0175
    >>> tolerance(29.3, rel_tol=None, abs_tol=None, sig_figs=3)  # 29.25 to 29.35 round to 29.3
    0.05
    """
    if abs_tol is not None:
        return abs_tol
    if sig_figs is not None:
        return 0.5 * 10.0 ** (math.floor(math.log10(abs(value))) - sig_figs + 1) if value else 0.0
    return abs(value) * (0.01 if rel_tol is None else rel_tol)


def near(given: float, value: float, allowed: float) -> bool:
    """Whether an answer lies within the tolerance; rounding in the last bits never decides."""
    return abs(given - value) <= allowed + 1e-12 * max(abs(given), abs(value))


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
