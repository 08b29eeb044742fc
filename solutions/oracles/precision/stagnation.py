"""Stagnation by trying: sums that are added up, positions that are stored, updates that are bisected and schedules that are walked."""

from __future__ import annotations

import math

import numpy as np

from ..search import bisect
from .formats import nearest, table


def largest_exact_count(*, number_format: str) -> float:
    """The last whole number before the first one that the list lacks."""
    listed = table(number_format)
    whole = listed[listed == np.floor(listed)]
    missing = np.flatnonzero(whole != np.arange(len(whole)))
    if not len(missing):
        raise ValueError("the range ends first")
    return float(missing[0] - 1)


def distinct_positions(*, positions: int, number_format: str) -> int:
    """Store every position, and count what is different."""
    listed = table(number_format)
    ids = np.arange(positions, dtype=np.float64)
    if math.isinf(nearest(listed, float(ids[-1]))):
        raise ValueError("a position is out of range")
    above = np.minimum(np.searchsorted(listed, ids), len(listed) - 1)
    below = np.maximum(above - 1, 0)
    to_above, to_below = listed[above] - ids, ids - listed[below]
    takes_below = (to_below < to_above) | ((to_below == to_above) & (below % 2 == 0))
    stored = np.where(takes_below & (to_above > 0), below, above)
    return len(np.unique(stored))


def smallest_moving_update(*, weight: float, number_format: str) -> float:
    """Bisect the update at which the sum first rounds to another number than the weight."""
    listed = table(number_format)
    place = int(np.searchsorted(listed, nearest(listed, abs(weight))))
    start = float(listed[place])
    gap = float(listed[place + 1]) - start
    return bisect(lambda update: -1.0 if nearest(listed, start + update) == start else 1.0, 0.0, gap)


def expected_steps_to_move(*, weight: float, update: float, number_format: str) -> float:
    """Add up the chance that the weight is still where it was, step by step."""
    listed = table(number_format)
    place = int(np.searchsorted(listed, abs(weight), side="right")) - 1
    low, high = float(listed[place]), float(listed[place + 1])
    stays = 1 - update / (high - low)
    if stays < 0:
        raise ValueError("it moves at once")
    most = max(1, math.ceil(40 / max(1e-12, update / (high - low))))
    chances = stays ** np.arange(min(most, 4_000_000), dtype=np.float64)
    return float(chances.sum())


def stalled_sum(*, addend: float, number_format: str) -> float:
    """Add until nothing changes any more."""
    listed = table(number_format)
    total = 0.0
    while (after := nearest(listed, total + addend)) != total:
        total = after
        if math.isinf(total):
            raise ValueError("the sum left the range")
    return total


def moving_steps(
    *, peak_lr: float, steps: int, weight: float, relative_update: float, number_format: str = "BF16"
) -> int:
    """Walk the whole schedule, and count the steps at which the sum is nearer to the next number than to the weight."""
    listed = table(number_format)
    place = int(np.searchsorted(listed, nearest(listed, abs(weight))))
    start, after = float(listed[place]), float(listed[place + 1])
    turns = np.arange(steps + 1, dtype=np.float64) / steps
    updates = relative_update * peak_lr * (1 - turns)
    moved = np.flatnonzero((start + updates) - start > after - (start + updates))
    if not len(moved):
        raise ValueError("it never moves")
    return len(moved)
