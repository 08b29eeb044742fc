"""Matches: wrong answers that are right for another student's numbers, and how likely so many are by chance.

The model of chance, for each item: a student who errs gives a multiple of their own key, drawn from the multiples that the
others of the class gave in error, blurred, with some weight on a number anywhere within a factor of 100. The chance of a
match is the share of these multiples that lead to the other student's key. Items are taken as independent, so the chance of
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

Numbers = NDArray[np.float64]

LEVEL = 0.05  # the probability that a class in which nobody copied has a listed pair
_BLUR = 0.05  # of the logarithm of a multiple
_FARTHEST = math.log(100.0)
_STEP = 0.005  # of the grid of logarithms; finer than the blur


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


def compare(items: Sequence[ItemNumbers], *, level: float = LEVEL) -> Compared:
    """Return the pairs of students whose answers match more often than chance explains."""
    students = sorted({student for item in items for student in item.keys})
    place = {student: index for index, student in enumerate(students)}
    chances = [_chances(item, place) for item in items]
    usable = [found for found in chances if found is not None]
    if not usable:
        return Compared((), 0, 0, 0, 0.0)
    chance = np.stack([each for each, _ in usable])
    is_match = np.stack([each for _, each in usable])
    compared = (~np.isnan(chance)).sum(axis=0)
    pairs = int((compared > 0).sum())
    counts = is_match.sum(axis=0)
    named = [item for item, found in zip(items, chances, strict=True) if found is not None]
    listed = []
    for row, column in zip(*np.nonzero(counts), strict=True):
        its = chance[:, row, column]
        alone = at_least(int(counts[row, column]), its[~np.isnan(its)])
        if alone * pairs < level:
            found = tuple(
                AnswerMatch(
                    item.name, item.wrong[students[row]], item.keys[students[column]], float(its[index])
                )
                for index, item in enumerate(named)
                if is_match[index, row, column]
            )
            listed.append(
                PairMatches(
                    students[row], students[column], found, int(compared[row, column]), alone, min(1.0, alone * pairs)
                )
            )
    return Compared(
        tuple(_without_bystanders(sorted(listed, key=lambda pair: pair.chance))),
        pairs,
        len(usable),
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


def _chances(item: ItemNumbers, place: Mapping[str, int]) -> tuple[Numbers, NDArray[np.bool_]] | None:
    """Return the chance of a match for each ordered pair, nan where nothing is compared, and where there is one."""
    usable = {student: value for student, value in item.wrong.items() if value > 0 and item.keys.get(student, 0) > 0}
    keyed = [student for student, key in item.keys.items() if key > 0]
    if not usable or len({f"{item.keys[student]:.6g}" for student in keyed}) < 2:
        return None
    size = len(place)
    chance, is_match = np.full((size, size), np.nan), np.zeros((size, size), dtype=bool)
    columns = np.array([place[student] for student in keyed])
    keys = np.log([item.keys[student] for student in keyed])
    errors = {student: math.log(value / item.keys[student]) for student, value in usable.items()}
    half_steps = np.log1p(0.5 / np.exp(keys)) if item.is_whole else np.zeros(len(keys))
    within = np.maximum(math.log1p(item.within), half_steps)
    for student, error in errors.items():
        own = math.log(item.keys[student])
        to_reach = keys - own  # the logarithm of the multiple that leads to each other key
        others = np.sort([each for other, each in errors.items() if other != student])
        likely = _share_near(others, to_reach, within)
        is_other = (np.abs(to_reach) > 2 * within) & (columns != place[student])
        row = place[student]
        chance[row, columns] = np.where(is_other, likely, np.nan)
        is_match[row, columns] = is_other & (np.abs(to_reach - error) <= within)
    return chance, is_match


def _share_near(others: Numbers, targets: Numbers, within: Numbers) -> Numbers:
    """Return how likely an error within reach of each target is, if one is drawn from those of others."""
    exact = np.searchsorted(others, targets + within, "right") - np.searchsorted(others, targets - within, "left")
    grid = np.arange(-_FARTHEST, _FARTHEST + _STEP, _STEP)
    density = np.zeros(len(grid))
    for other in others[np.abs(others) < _FARTHEST]:
        density += np.exp(-0.5 * ((grid - other) / _BLUR) ** 2)
    blurred = np.interp(targets, grid, density / (_BLUR * math.sqrt(2 * math.pi)), left=0.0, right=0.0) * 2 * within
    anywhere = within / _FARTHEST
    return np.minimum(1.0, (exact + blurred + anywhere) / (len(others) + 1))
