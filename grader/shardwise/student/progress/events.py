"""Events: what a student did with a variant of a problem, in order. Everything else is derived from them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, NamedTuple

Place = Literal["cell", "form", "terminal"]
READ, SETTING = "read", "setting"
MARKS = (READ, SETTING)  # the purposes of marks


class Variant(NamedTuple):
    """One draw of one problem. Two banks may have a problem with the same id."""

    bank: str  # "shipped", or its folder
    problem: str
    seed: str


SEED = "0"  # of the variant in every practice notebook, which check() marks by default


@dataclass(frozen=True)
class Event:
    """A judged answer, a hint or a look at the solution."""

    at: datetime
    variant: Variant
    digest: str  # of the problem's file, to recognise it after a rename
    what: Literal["answer", "hint", "solution"]
    place: Place
    outcome: str = ""  # of an answer: correct, partial or incorrect
    points: float = 0.0  # of an answer
    hint: int = 0  # its number, counted from 1
    seconds: float | None = None  # from showing the question to the answer, if known


@dataclass(frozen=True)
class Estimate:
    """A number that a student guessed before computing it."""

    at: datetime
    variant: Variant
    off: float  # in powers of ten; positive if the estimate was too high
    confidence: float | None = None  # from 0 to 1, if the question asks for it
    hit: bool | None = None  # whether it was close enough, if the question has a tolerance


@dataclass(frozen=True)
class Mark:
    """A mark that the app keeps: a section that was read, or a setting."""

    at: str  # in UTC, as text that sorts
    bank: str  # empty for a setting
    purpose: str  # read or setting
    name: str  # of the section, as chapter/step, or of the setting
    value: Any
