"""Fairness: how much the work differs between draws of a problem, so that no student gets all the hard numbers.

The measure is rough and the same for every kind. In the text that a student reads, it counts the digits that a
calculation has to carry and the units to convert, and it adds how close the nearest wrong answer is to the key.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from shardwise.bank.bank import Banks, Problem
from shardwise.bank.lint.lint import Job, chosen, problem_of
from shardwise.bank.posing import question_of, solved
from shardwise.bank.processes import processes
from shardwise.errors import AUTHORS_CAN_RAISE, ShardwiseError, said_by
from shardwise.kinds import text_of
from shardwise.markdown.plain import to_plain
from shardwise.question import Question
from shardwise.units import unit

A_CONVERSION = 2.0  # a conversion is as much work as two more digits
NEAR = 16.0  # tolerances between two answers: beyond that, a slip obviously gives another number

_NUMERAL = re.compile(r"(?<![\w.,])(\d[\d,\u202f ]*(?:\.\d+)?)(?:\s?[\u202f ]?([A-Za-zµ%][\w/µ]*))?")


@dataclass(frozen=True)
class Effort:
    """The work that one draw takes, in digits."""

    seed: str
    digits: float
    conversions: float
    nearness: float

    @property
    def total(self) -> float:
        """The sum of all parts."""
        return self.digits + self.conversions + self.nearness


@dataclass(frozen=True)
class Spread:
    """The easiest and the hardest draw of a problem."""

    problem: str
    easiest: Effort
    hardest: Effort

    @property
    def gap(self) -> float:
        """How much more work the hardest draw takes than the easiest, in digits."""
        return self.hardest.total - self.easiest.total

    @property
    def why(self) -> str:
        """Where the gap comes from, the largest part first."""
        parts = {
            name: getattr(self.hardest, name) - getattr(self.easiest, name)
            for name in ("digits", "conversions", "nearness")
        }
        largest = sorted((part for part in parts.items() if abs(part[1]) >= 0.05), key=lambda part: -abs(part[1]))
        return ", ".join(f"{name} {size:+.1f}" for name, size in largest)


def spreads(
    banks: Banks, *, seeds: int, only: Sequence[str] = (), progress: Callable[[int], None] | None = None
) -> list[Spread]:
    """Return the spread of each problem, or of those that `only` names, widest first.

    Raises ShardwiseError for a problem that cannot be drawn, Faulty for one that cannot be read.
    """
    jobs = [(str(bank.folder), name, seeds) for bank, name in chosen(banks, only)]
    found = []
    with processes() as pool:
        for made in pool.map(_job, jobs):
            found.append(made)
            if progress:
                progress(len(jobs))
    return sorted(found, key=lambda spread: -spread.gap)


def _job(job: Job) -> Spread:
    return spread(problem_of(job), seeds=job[2])


def spread(problem: Problem, *, seeds: int) -> Spread:
    """Return the easiest and the hardest draw among some seeds. Raises ShardwiseError."""
    efforts = sorted((effort(problem, str(seed)) for seed in range(seeds)), key=lambda each: each.total)
    return Spread(problem.id, efforts[0], efforts[-1])


def effort(problem: Problem, seed: str) -> Effort:
    """Return the work that a seed's draw takes. Raises ShardwiseError."""
    try:
        drawn, made = solved(problem, seed)
        question = question_of(problem, drawn, made)
        margin = problem.kind.prove(problem.template, drawn, made).margin
    except AUTHORS_CAN_RAISE as error:
        why = str(error) if isinstance(error, ShardwiseError) else said_by(error)
        raise ShardwiseError(f"{problem.id}, seed {seed}: {why}") from error
    return effort_of(question, margin)


def effort_of(question: Question, margin: float) -> Effort:
    """Return the work that a question takes. `margin` is the distance of its nearest wrong answer; see `Proof.margin`."""
    numbers, units = _read(question)
    return Effort(
        question.seed,
        digits=float(sum(significant_digits(number) - 1 for number in numbers)),
        conversions=A_CONVERSION * max(0, len(units) - 1),
        nearness=math.log2(NEAR / min(max(margin, 1.0), NEAR)),
    )


def _read(question: Question) -> tuple[Sequence[str], set[object]]:
    """Return the distinct numbers in a question's text, and the factors of the units that it gives and asks for."""
    numbers: dict[str, None] = {}
    factors: set[object] = set()
    for number, name in _pairs(to_plain(text_of(question))):
        numbers.setdefault(number)
        factors |= _factor(name)
    return list(numbers), factors | _factor(getattr(question.form, "unit", ""))


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    for found in _NUMERAL.finditer(text):
        yield found[1].strip(" ,\u202f"), found[2] or ""


def _factor(name: str) -> set[object]:
    """Return a unit's factor as a set of one; an empty set for a count or an ordinary word."""
    if not name:
        return set()
    try:
        known = unit(name)
    except ShardwiseError:
        return set()
    return set() if known.factor == 1 else {known.factor}


def significant_digits(numeral: str) -> int:
    """Return how many digits of a numeral a calculation has to carry.

    >>> [significant_digits(numeral) for numeral in ("8", "16,384", "4096", "1.750", "0.05", "989", "2000")]
    [1, 5, 4, 3, 1, 3, 1]
    """
    whole = re.sub(r"[,\u202f ]", "", numeral)
    return max(1, len(whole.replace(".", "").lstrip("0").rstrip("0")))
