"""The data of a quantity problem: the template an author writes, the unit a student sees, the key and its tolerance."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Literal

from pydantic import Field, model_validator

from shardwise.errors import ShardwiseError
from shardwise.kinds.quantity.general import Trait
from shardwise.question import Form, Key
from shardwise.template import model as author
from shardwise.template.draw import Draw
from shardwise.units import Direction, from_base, to_base, unit

THREE_FIGURES = 0.005  # relative; the largest error of rounding to three significant figures: 1.00 for 1.00499


class Tolerance(author.AuthorModel):
    """The tolerance of an answer: one of the three, or 1 % by default.

    Three significant figures are enough, in any unit, unless the template asks for more.
    """

    rel_tol: float | None = Field(None, gt=0, lt=0.5, description="Relative, 0.01 is one per cent; at least 0.005.")
    abs_tol: float | None = Field(None, ge=0, description="Absolute, in the answer's unit; 0 asks for it exactly.")
    sig_figs: int | None = Field(None, ge=4, le=8, description="As many significant figures must be right, over three.")

    @model_validator(mode="after")
    def _one(self) -> Tolerance:
        if sum(way is not None for way in (self.rel_tol, self.abs_tol, self.sig_figs)) > 1:
            raise ValueError("give one of rel_tol, abs_tol and sig_figs, not several")
        if self.rel_tol is not None and self.rel_tol < THREE_FIGURES:
            raise ValueError(
                f"rel_tol {self.rel_tol} would refuse an answer that is right to three significant figures; write 0.005, "
                "or sig_figs: 4 and ask for four in the prompt"
            )
        return self


class Measured(author.AuthorModel):
    """A number with a unit that a reference gives and an oracle confirms."""

    reference: author.Reference = Field(pattern=r"^[a-z_0-9]+(\.[a-z_0-9]+)+$")
    oracle: author.Oracle = Field(pattern=r"^[a-z_0-9]+(\.[a-z_0-9]+)+$")
    arguments: author.Arguments = Field({})
    unit: author.UnitName = Field("1", description="The unit asked for; another of the same dimension is read as well.")
    direction: Literal["per direction", "duplex", "none"] | None = Field(
        None, description="Required for bandwidths: the rate in one direction, in both together, or neither."
    )
    nouns: tuple[str, ...] = Field(
        (), description="More nouns for what the question counts; those in the prompt are known."
    )

    @model_validator(mode="after")
    def _directed(self) -> Measured:
        if unit(self.unit).dimension == "[information] / [time]" and self.direction is None:
            raise ValueError("a bandwidth needs a direction: per direction, duplex or none")
        return self


class Answer(Tolerance, Measured):
    """The `answer` of a quantity problem."""

    negligible: Mapping[str, str] = Field(
        {}, description="Parts of the reference that an answer may omit, named as the lint does, and why."
    )

    @model_validator(mode="after")
    def _has_an_absolute_tolerance(self) -> Answer:
        if unit(self.unit).offset and self.abs_tol is None and self.sig_figs is None:
            raise ValueError(
                "a temperature in °C or °F needs abs_tol, because its zero is arbitrary, and so is 1 % of it"
            )
        return self


class Mistake(author.AuthorModel):
    """A wrong answer that teachers know: its value, and the feedback on it."""

    factor: float | None = Field(None, description="The key times this.")
    value: author.Value | None = Field(None, description="An expression in base units; `key` is the right answer.")
    when: author.Value | None = Field(
        None, description="An expression: the draws in which this mistake can be recognised; all of them by default."
    )
    say: author.Say

    @model_validator(mode="after")
    def _one(self) -> Mistake:
        if (self.factor is None) == (self.value is None):
            raise ValueError("a mistake has either a factor or a value")
        return self

    @property
    def is_chosen(self) -> bool:
        """Whether its sentence depends on the draw, and may be about different slips in different draws."""
        return "{%" in self.say

    @property
    def depends(self) -> bool:
        """Whether its sentence, or whether it applies at all, depends on the draw."""
        return self.is_chosen or self.when is not None

    def of(self, key: float, draw: Draw) -> float | None:
        """Return the wrong number that this mistake gives in a draw, in base units; None if `when` excludes the draw."""
        if self.when is not None and not draw.evaluate(self.when, key=key):
            return None
        return self._value(key, draw)

    def unknown(self, key: float, draw: Draw) -> float | None:
        """Return the mistake's value in a draw that `when` excludes, if it has one."""
        if self.when is None or draw.evaluate(self.when, key=key):
            return None
        try:
            return self._value(key, draw)
        except (ShardwiseError, TypeError, ValueError, ArithmeticError):  # `when` may exclude the draw for that reason
            return None

    def _value(self, key: float, draw: Draw) -> float:
        return key * self.factor if self.factor is not None else float(draw.evaluate(self.value or 0, key=key))


class QuantityTemplate(author.Template):
    """A problem answered by a number with a unit."""

    kind: Literal["quantity"]
    answer: Answer
    mistakes: tuple[Mistake, ...] = Field((), description="Recognised wrong answers.")


class QuantityForm(Form):
    """The unit asked for, and the words in which the question counts."""

    aids = frozenset(("usual", "example", "figures"))
    unit: str
    direction: Direction
    nouns: tuple[str, ...] = ()  # the nouns for what it counts
    others: tuple[str, ...] = ()  # nouns that it only mentions, in normal form
    whole: bool = False  # whether the answer must be a whole number
    usual: tuple[float, float] | None = None  # the range of the answers to all draws, in the unit
    example: float | None = None  # a number, in the unit, that is the answer to no draw
    figures: int | None = None  # significant figures that are enough; None if the question asks for the exact number


class KnownMistake(Key):
    """A recognised mistake: its value in base units, and what to say."""

    value: float
    say: str
    steady: bool = True  # whether it is the same multiple of the key in every draw


class QuantityKey(Key):
    """The right value in base units, its tolerance, the recognised mistakes, and slips that nobody listed."""

    value: float
    rel_tol: float | None = None
    abs_tol: float | None = None  # base units
    sig_figs: int | None = None
    mistakes: tuple[KnownMistake, ...] = ()
    slips: tuple[tuple[float, str], ...] = ()  # wrong values that nobody listed, and what the student did (after “You”)
    stops: tuple[tuple[float, str], ...] = ()  # parameters and intermediate results, each with a sentence about it
    traits: tuple[Trait, ...] = ()


def tolerance(
    value: float,
    unit_text: str,
    direction: Direction,
    rel_tol: float | None,
    abs_tol: float | None,
    sig_figs: int | None,
) -> float:
    """Return how far an answer may be from a value. Value, `abs_tol` and result are in base units; figures are those in the unit.

    >>> round(tolerance(1.75, "1", "none", 0.01, None, None), 6)
    0.0175
    >>> tolerance(29.3, "1", "none", None, None, 3)  # 29.25 to 29.35 round to 29.3
    0.05
    """
    if abs_tol is not None:
        return abs_tol
    if sig_figs is None:
        return abs(value) * (0.01 if rel_tol is None else rel_tol)
    in_unit = abs(from_base(value, unit_text, direction))
    last = 10.0 ** (math.floor(math.log10(in_unit)) - sig_figs + 1) if in_unit else 0.0
    return float(to_base(0.5 * last, unit(unit_text).of_differences, direction))


def allowed(answer: Answer, value: float) -> float:
    """Return the tolerance around a base-unit value, in base units."""
    way = answer.direction or "none"
    return tolerance(value, answer.unit, way, answer.rel_tol, absolute(answer), answer.sig_figs)


def absolute(answer: Answer) -> float | None:
    """Return the absolute tolerance in base units, if the answer has one."""
    if answer.abs_tol is None:
        return None
    return float(to_base(answer.abs_tol, unit(answer.unit).of_differences, answer.direction or "none"))


def near(given: float, value: float, allowed: float) -> bool:
    """Return whether an answer is within the tolerance; rounding in the last bits never decides."""
    return abs(given - value) <= allowed + 1e-12 * max(abs(given), abs(value))
