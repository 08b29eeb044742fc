"""Matches: wrong answers that are right for another student's numbers, and how likely that many are by chance.

The model of chance, for each item: a student who errs gives a multiple of their own key, drawn from the multiples that others
gave in error to this item and, with less weight, to the whole set, both exactly and blurred. The chance of a match is the
share of these multiples that lead to the other student's key, and at least one error of the whole set. Items are assumed to be
independent, so the number of matches between two students is a sum of independent events (a Poisson binomial). The probability
of as many is multiplied by the number of ordered pairs that could have matched (Bonferroni), which bounds the probability that
anything is listed although nobody copied.

Answers that the student's own numbers explain, by a recognised mistake or a slip, are not compared, nor are students whose
keys are the same.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shardwise.analysis.measures import Numbers

LEVEL = 0.05  # the probability that a class in which nobody copied has a listed pair
_BLUR = 0.05  # of the logarithm of a multiple
_STEP = 0.01  # of the grid of logarithms; finer than the blur
_GRID = np.arange(-14.0, 14.0, _STEP)  # about a factor of a million in each direction
_WEIGHT = 5.0  # of the whole set's errors, in errors to the item itself


@dataclass(frozen=True)
class ItemNumbers:
    """The keys of an item and the unexplained wrong answers to it, by student."""

    name: str
    keys: Mapping[str, float]
    wrong: Mapping[str, float]
    within: float  # the relative tolerance
    is_whole: bool = False  # whether it asks for a whole number


@dataclass(frozen=True)
class AnswerMatch:
    """A student's wrong answer that equals another student's key."""

    item: str
    answer: float
    key: float  # of the other student
    chance: float


@dataclass(frozen=True)
class PairMatches:
    """The answers of a student that match the keys of another."""

    student: str
    other: str
    matches: tuple[AnswerMatch, ...]
    compared: int  # wrong answers that could have matched
    chance: float  # of as many matches, for this pair alone
    corrected: float  # for the number of pairs compared


@dataclass(frozen=True)
class Comparison:
    """The result of comparing all students of a class with each other."""

    pairs: tuple[PairMatches, ...]  # below the level, least likely first
    pairs_compared: int
    items: int  # items that could be compared
    matches: int  # all matches, those of unlisted pairs included
    expected: float  # the number of matches by chance alone


def compare_students(items: Sequence[ItemNumbers]) -> Comparison:
    """Return the pairs of students whose answers match more often than chance explains."""
    students = sorted({student for item in items for student in item.keys})
    errors = [found for item in items if (found := _errors_in(item, students))]
    if not errors:
        return Comparison((), 0, 0, 0, 0.0)
    everywhere = _frequencies(np.concatenate([item.here.errors for item in errors]))
    unlikely: list[tuple[float, str, str, tuple[AnswerMatch, ...], int]] = []
    pairs, matches, expected = 0, 0, 0.0
    for student in students:  # one at a time, because a table of all pairs of a large class would fill the memory
        rows = [item.chances(student, everywhere, len(students)) for item in errors]
        chance, is_match = (np.stack(each) for each in zip(*rows, strict=True))
        compared, counts = (~np.isnan(chance)).sum(axis=0), is_match.sum(axis=0)
        pairs += int((compared > 0).sum())
        matches += int(counts.sum())
        expected += float(np.nansum(chance))
        for column in np.flatnonzero(counts):
            its, other = chance[:, column], students[column]
            alone = at_least(int(counts[column]), its[~np.isnan(its)])
            if alone < LEVEL:
                answers = tuple(
                    AnswerMatch(item.name, item.wrong[student], item.keys[other], float(its[place]))
                    for place, item in enumerate(each.item for each in errors)
                    if is_match[place, column]
                )
                unlikely.append((alone, student, other, answers, int(compared[column])))
    listed = [
        PairMatches(student, other, answers, compared, alone, alone * pairs)
        for alone, student, other, answers, compared in sorted(unlikely, key=lambda pair: pair[0])
        if alone * pairs < LEVEL
    ]
    return Comparison(tuple(_without_repeats(listed)), pairs, len(errors), matches, expected)


def _without_repeats(pairs: Sequence[PairMatches]) -> Iterator[PairMatches]:
    """Yield the pairs in order, except those whose matches are all in earlier pairs of the same student.

    If a student copied from somebody, everyone with the same keys as that person matches as well.
    """
    listed: dict[str, set[str]] = defaultdict(set)
    for pair in pairs:
        its = {match.item for match in pair.matches}
        if not its <= listed[pair.student]:
            yield pair
            listed[pair.student] |= its


def at_least(count: int, chances: Numbers) -> float:
    """Return the probability that at least this many of independent events happen.

    >>> round(at_least(1, np.array([0.5, 0.5])), 3), round(at_least(2, np.array([0.5, 0.1])), 3)
    (0.75, 0.05)
    """
    exactly = np.zeros(len(chances) + 1)
    exactly[0] = 1.0
    for chance in chances:
        exactly[1:] = exactly[1:] * (1 - chance) + exactly[:-1] * chance
        exactly[0] *= 1 - chance
    return float(exactly[count:].sum())


@dataclass(frozen=True)
class _Errors:
    """The wrong answers to an item, each as the logarithm of the factor between it and the student's own key."""

    item: ItemNumbers
    factors: Mapping[str, float]  # by student
    here: _Frequencies
    columns: NDArray[np.int_]  # places in the class of the students with a key
    keys: Numbers  # their keys, as logarithms
    within: Numbers  # the tolerance of each key

    def chances(self, student: str, everywhere: _Frequencies, size: int) -> tuple[Numbers, NDArray[np.bool_]]:
        """Return the chance that a student's answer matches each key of the class, and whether it does.

        The chance is nan where nothing is compared.
        """
        chance, is_match = np.full(size, np.nan), np.zeros(size, dtype=bool)
        error = self.factors.get(student)
        if error is not None:
            targets = self.keys - math.log(self.item.keys[student])  # the factors that lead to each key
            is_other = np.abs(targets) > 2 * self.within
            rate = (1 + everywhere.near(targets, self.within, error)) / len(everywhere.errors)
            near = self.here.near(targets, self.within, error)
            likely = (near + _WEIGHT * rate) / (len(self.factors) - 1 + _WEIGHT)
            chance[self.columns] = np.where(is_other, np.minimum(1.0, likely), np.nan)
            is_match[self.columns] = is_other & (np.abs(targets - error) <= self.within)
        return chance, is_match


def _errors_in(item: ItemNumbers, students: Sequence[str]) -> _Errors | None:
    """Return the errors of an item; None if nothing can be compared."""
    columns = [place for place, student in enumerate(students) if item.keys.get(student, 0) > 0]
    keys = np.array([item.keys[students[place]] for place in columns])
    factors = {
        student: math.log(value) - math.log(item.keys[student])
        for student, value in item.wrong.items()
        if value > 0 and item.keys.get(student, 0) > 0
    }
    if not factors or len({f"{key:.6g}" for key in keys}) < 2:
        return None
    within = np.log1p(np.maximum(item.within, 0.5 * item.is_whole / keys))
    return _Errors(item, factors, _frequencies(np.array([*factors.values()])), np.array(columns), np.log(keys), within)


@dataclass(frozen=True)
class _Frequencies:
    """How often students err by a factor: exactly, and blurred."""

    errors: Numbers  # sorted
    density: Numbers  # on the grid

    def near(self, targets: Numbers, within: Numbers, error: float) -> Numbers:
        """Return the number of errors that would reach each target, without the student's own error."""
        below = np.searchsorted(self.errors, targets - within, "left")
        exact = np.searchsorted(self.errors, targets + within, "right") - below
        blurred = np.interp(targets, _GRID, self.density, left=0.0, right=0.0)
        far = np.abs(targets - error)
        own = (far <= within) + _kernel(far) * 2 * within
        return np.maximum(0.0, exact + blurred * 2 * within - own)


def _frequencies(errors: Numbers) -> _Frequencies:
    """Return the frequencies of errors, given as logarithms."""
    counts, _ = np.histogram(errors, bins=np.append(_GRID - _STEP / 2, _GRID[-1] + _STEP / 2))
    reach = np.arange(-5 * _BLUR, 5 * _BLUR + _STEP, _STEP)
    return _Frequencies(np.sort(errors), np.convolve(counts, _kernel(reach), "same"))


def _kernel(far: Numbers) -> Numbers:
    density: Numbers = np.exp(-0.5 * (far / _BLUR) ** 2) / (_BLUR * math.sqrt(2 * math.pi))
    return density
