"""Matches: wrong answers that are right for another student's numbers, and the probability of as many by chance.

The model of chance, for each item: a student who errs gives a multiple of their own key, drawn from the multiples that others
gave in error to this item and, with less weight, to the whole set, both exactly and blurred. The chance of a match is the
share of these multiples that lead to the other student's key; it is never taken for less than once in the whole set. Items are taken as independent, so the chance of
as many matches between two students is that of a sum of independent events (a Poisson binomial). It is then multiplied by
the number of ordered pairs that could have matched (Bonferroni), which bounds the probability that anything is listed
although nobody copied.

Answers that the student's own numbers explain, by a recognised mistake or a slip, are not compared, nor are students whose
keys are the same.
"""

from __future__ import annotations

import math
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
class Compared:
    """What a comparison of all students found."""

    pairs: tuple[PairMatches, ...]  # below the level, least likely first
    pairs_compared: int
    items: int  # items that could be compared
    matches: int  # all matches, those of unlisted pairs included
    expected: float  # the number of matches by chance alone


def compare_students(items: Sequence[ItemNumbers], *, level: float = LEVEL) -> Compared:
    """Return the pairs of students whose answers match more often than chance explains."""
    students = sorted({student for item in items for student in item.keys})
    place = {student: index for index, student in enumerate(students)}
    errors = [(item, found) for item in items if (found := _errors_in(item, place))]
    if not errors:
        return Compared((), 0, 0, 0, 0.0)
    named = [item for item, _ in errors]
    everywhere = frequencies(np.concatenate([found.errors for _, found in errors]))
    chances = [_chances(found, everywhere, len(students)) for _, found in errors]
    chance = np.stack([each for each, _ in chances])
    is_match = np.stack([each for _, each in chances])
    compared = (~np.isnan(chance)).sum(axis=0)
    pairs = int((compared > 0).sum())
    counts = is_match.sum(axis=0)
    listed = []
    for row, column in zip(*np.nonzero(counts), strict=True):
        its = chance[:, row, column]
        alone = at_least(int(counts[row, column]), its[~np.isnan(its)])
        if alone * pairs < level:
            answers = tuple(
                AnswerMatch(item.name, item.wrong[students[row]], item.keys[students[column]], float(its[index]))
                for index, item in enumerate(named)
                if is_match[index, row, column]
            )
            listed.append(
                PairMatches(
                    students[row], students[column], answers, int(compared[row, column]), alone, min(1.0, alone * pairs)
                )
            )
    return Compared(
        tuple(_without_bystanders(sorted(listed, key=lambda pair: pair.chance))),
        pairs,
        len(named),
        int(is_match.sum()),
        float(np.nansum(chance)),
    )


def _without_bystanders(pairs: Sequence[PairMatches]) -> Iterator[PairMatches]:
    """Yield pairs, the least likely first, without those whose matches another listed pair of the same student explains.

    Some students have the same key as the one whose answers were used.
    """
    explained: dict[str, set[str]] = {}
    for pair in pairs:
        its = {match.item for match in pair.matches}
        if not its <= explained.get(pair.student, set()):
            yield pair
            explained[pair.student] = its | explained.get(pair.student, set())


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
    """The wrong answers to an item, as logarithms: of the answer over the student's own key, and the ways to other keys."""

    rows: NDArray[np.int_]  # students who erred
    columns: NDArray[np.int_]  # students with a key
    errors: Numbers
    targets: Numbers  # for each error, of each student's key over the own one
    within: Numbers  # for each target


def _errors_in(item: ItemNumbers, place: Mapping[str, int]) -> _Errors | None:
    """Return the errors of an item; None if nothing can be compared."""
    usable = [student for student, value in item.wrong.items() if value > 0 and item.keys.get(student, 0) > 0]
    keyed = [student for student, key in item.keys.items() if key > 0]
    if not usable or len({f"{item.keys[student]:.6g}" for student in keyed}) < 2:
        return None
    keys = np.array([item.keys[student] for student in keyed])
    half_steps = np.log1p(0.5 / keys) if item.is_whole else np.zeros(len(keys))
    own = np.log([item.keys[student] for student in usable])
    return _Errors(
        np.array([place[student] for student in usable]),
        np.array([place[student] for student in keyed]),
        np.log([item.wrong[student] for student in usable]) - own,
        np.log(keys)[None, :] - own[:, None],
        np.maximum(math.log1p(item.within), half_steps)[None, :],
    )


def _chances(item: _Errors, everywhere: _Frequencies, size: int) -> tuple[Numbers, NDArray[np.bool_]]:
    """Return the chance of a match for each ordered pair, nan where nothing is compared, and where there is one."""
    chance, is_match = np.full((size, size), np.nan), np.zeros((size, size), dtype=bool)
    is_other = (np.abs(item.targets) > 2 * item.within) & (item.columns[None, :] != item.rows[:, None])
    here = frequencies(item.errors)
    rate = (1 + everywhere.near(item)) / len(everywhere.errors)
    likely = (here.near(item) + _WEIGHT * rate) / (len(item.errors) - 1 + _WEIGHT)
    where = np.ix_(item.rows, item.columns)
    chance[where] = np.where(is_other, np.minimum(1.0, likely), np.nan)
    is_match[where] = is_other & (np.abs(item.targets - item.errors[:, None]) <= item.within)
    return chance, is_match


@dataclass(frozen=True)
class _Frequencies:
    """How often students err by a factor: exactly, and blurred."""

    errors: Numbers  # sorted
    density: Numbers  # on the grid

    def near(self, item: _Errors) -> Numbers:
        """Return the number of errors of others that would reach each target of an item."""
        targets, within = item.targets, item.within
        exact = np.searchsorted(self.errors, targets + within, "right") - np.searchsorted(
            self.errors, targets - within, "left"
        )
        blurred = np.interp(targets, _GRID, self.density, left=0.0, right=0.0)
        far = np.abs(targets - item.errors[:, None])  # the student's own error does not count
        own = (far <= within) + _kernel(far) * 2 * within
        return np.maximum(0.0, exact + blurred * 2 * within - own)


def frequencies(errors: Numbers) -> _Frequencies:
    """Return the frequencies of errors, given as logarithms."""
    counts, _ = np.histogram(errors, bins=np.append(_GRID - _STEP / 2, _GRID[-1] + _STEP / 2))
    reach = np.arange(-5 * _BLUR, 5 * _BLUR + _STEP, _STEP)
    return _Frequencies(np.sort(errors), np.convolve(counts, _kernel(reach), "same"))


def _kernel(far: Numbers) -> Numbers:
    density: Numbers = np.exp(-0.5 * (far / _BLUR) ** 2) / (_BLUR * math.sqrt(2 * math.pi))
    return density
