"""Events: what a student did at a variant of a problem, in the order in which it was done. All else follows from them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple

Place = Literal["cell", "form", "terminal"]


class Variant(NamedTuple):
    """One draw of one problem. Two banks may have a problem of the same id."""

    bank: str  # "shipped", or its folder
    problem: str
    seed: str


@dataclass(frozen=True)
class Event:
    """A judged answer, a hint or a look at the solution."""

    at: datetime
    variant: Variant
    digest: str  # of the problem's file, by which it is found again under another name
    what: Literal["answer", "hint", "solution"]
    place: Place
    outcome: str = ""  # of an answer: correct, partial or incorrect
    points: float = 0.0  # of an answer
    hint: int = 0  # which one it was, counted from 1
    seconds: float | None = None  # from when the question was shown to the answer, where that is known


@dataclass(frozen=True)
class Estimate:
    """A number that was guessed before it was known."""

    at: datetime
    variant: Variant
    off: float  # by how many powers of ten; above 0 when it was too high
    confidence: float | None = None  # from 0 to 1, where it was asked for
    hit: bool | None = None  # whether it was near enough, where the question says how near is right
