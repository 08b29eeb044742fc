"""Measures of classical test theory: facility, discrimination, reliability, and whether success depends on a number.

Points are tables with a row per student and a column per item; nan stands for an item that a student was not asked.
"""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

FEWEST = 3  # values for a correlation
RESAMPLED = 5000  # permutations: a p-value is exact to about 0.003 near 0.05
_95 = NormalDist().inv_cdf(0.975)


def standard_error(values: Numbers) -> float:
    """Return the standard error of a mean; nan for fewer than two values."""
    return float(np.std(values, ddof=1) / math.sqrt(len(values))) if len(values) > 1 else math.nan


def correlation(first: Numbers, second: Numbers) -> float:
    """Return Pearson's correlation of the pairs without nan; nan if there are too few or if a side does not vary."""
    is_pair = ~(np.isnan(first) | np.isnan(second))
    x, y = first[is_pair], second[is_pair]
    if len(x) < FEWEST or np.ptp(x) < 1e-12 or np.ptp(y) < 1e-12:
        return math.nan
    return float(np.corrcoef(x, y)[0, 1])


def correlation_interval(r: float, n: int) -> tuple[float, float]:
    """Return the 95 % confidence interval of a correlation by Fisher's transformation; from -1 to 1 for fewer than four pairs."""
    if math.isnan(r) or n < 4:
        return -1.0, 1.0
    centre, half = math.atanh(max(-1 + 1e-12, min(r, 1 - 1e-12))), _95 / math.sqrt(n - 3)
    return math.tanh(centre - half), math.tanh(centre + half)


def rest_scores(points: Numbers, most: Numbers, column: int) -> Numbers:
    """Return each student's share of the points of all other items that they were asked; nan without any."""
    asked = ~np.isnan(points)
    asked[:, column] = False
    possible = np.where(asked, most, 0.0).sum(axis=1)
    earned = np.where(asked, points, 0.0).sum(axis=1)
    return np.where(possible > 0, earned / np.where(possible > 0, possible, 1.0), np.nan)


def discrimination(own: Numbers, rest: Numbers) -> tuple[float, int]:
    """Return the correlation of the credit for an item with the scores on the rest of the set, and for how many students."""
    return correlation(own, rest), int((~(np.isnan(own) | np.isnan(rest))).sum())


def without_gaps(points: Numbers) -> Numbers:
    """Return the rows of the students with points for every item."""
    return points[~np.isnan(points).any(axis=1)]


def cronbach_alpha(points: Numbers) -> float:
    """Return Cronbach's alpha of the students with points for every item; nan if it is not defined.

        α = k / (k - 1) · (1 - Σ variance of an item / variance of the total)

    Source: Cronbach 1951, Psychometrika 16.
    """
    whole = without_gaps(points)
    students, items = whole.shape
    if items < 2 or students < 2:
        return math.nan
    total = float(np.var(whole.sum(axis=1), ddof=1))
    if total < 1e-12:
        return math.nan
    return float(items / (items - 1) * (1 - np.var(whole, axis=0, ddof=1).sum() / total))


def alpha_interval(points: Numbers) -> tuple[float, float]:
    """Return the 95 % confidence interval of alpha, from resampling the students."""
    whole = without_gaps(points)
    rng = np.random.default_rng(0)
    found = [cronbach_alpha(whole[rng.integers(0, len(whole), len(whole))]) for _ in range(RESAMPLED // 10)]
    known = [alpha for alpha in found if not math.isnan(alpha)]
    low, high = np.percentile(known, [2.5, 97.5]) if known else (math.nan, math.nan)
    return float(low), float(high)


def ranks(values: Numbers) -> Numbers:
    """Return the rank of each value, from 1; equal values share the mean of their ranks.

    >>> ranks(np.array([10.0, 20.0, 20.0, 5.0])).tolist()
    [2.0, 3.5, 3.5, 1.0]
    """
    _, group, sizes = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(sizes)
    return (last - (sizes - 1) / 2)[group]


def rank_correlation(first: Numbers, second: Numbers) -> tuple[float, float]:
    """Return Spearman's rank correlation, and the probability of one as far from 0 if the pairs were random.

    The probability comes from random permutations, so it holds with ties and for small classes as well.
    """
    x, y = ranks(first), ranks(second)
    rho = correlation(x, y)
    if math.isnan(rho):
        return math.nan, 1.0
    others = _permuted(y - y.mean()) @ (x - x.mean()) / (np.linalg.norm(x - x.mean()) * np.linalg.norm(y - y.mean()))
    return rho, _at_least(np.abs(others), abs(rho))


def group_effect(groups: NDArray[np.int_], values: Numbers) -> float:
    """Return the probability that groups with randomly assigned values have means that differ at least as much.

    `groups` numbers the group of each value from 0. The probability comes from random permutations.
    """
    members = np.eye(int(groups.max()) + 1)[groups]
    around = values - values.mean()
    total = float(around @ around)
    if total < 1e-12:
        return 1.0

    def between(rows: Numbers) -> Numbers:
        """Return the share of the variance between the groups, for each row of values."""
        share: Numbers = ((rows @ members) ** 2 / members.sum(axis=0)).sum(axis=-1) / total
        return share

    return _at_least(between(_permuted(around)), float(between(around)))


def _permuted(values: Numbers) -> Numbers:
    """Return random permutations of values, one per row."""
    return np.random.default_rng(0).permuted(np.tile(values, (RESAMPLED, 1)), axis=1)


def _at_least(others: Numbers, found: float) -> float:
    return float((1 + (others >= found - 1e-12).sum()) / (1 + len(others)))


def holm(chances: list[float]) -> list[float]:
    """Return p-values corrected for their number by Holm's method.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    found, so_far = [1.0] * len(chances), 0.0
    for place, index in enumerate(sorted(range(len(chances)), key=chances.__getitem__)):
        so_far = max(so_far, min(1.0, (len(chances) - place) * chances[index]))
        found[index] = so_far
    return found
