"""Calibration: how close a student's estimates were each month, and how often they were right at each confidence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from shardwise.student.progress.events import Estimate

_MONTHS = 6  # how many recent months are shown
_SAME, _ONE = 0.5, 1.0  # powers of ten: the same order of magnitude, and one order off
_BANDS = ((0.0, 0.5), (0.5, 0.7), (0.7, 0.9), (0.9, 1.0))  # of confidence; each excludes its upper end


@dataclass(frozen=True)
class Nearness:
    """The number of estimates in a month, and how many were close."""

    month: str  # 2026-11
    count: int
    same: int  # of the right order of magnitude: within a factor of √10 either way
    near: int  # within a factor of 10 either way


@dataclass(frozen=True)
class Confidence:
    """The number of estimates with similar confidence, and how many were right."""

    low: float
    high: float
    count: int
    hits: int


def by_month(estimates: Iterable[Estimate]) -> Sequence[Nearness]:
    """Return how close the estimates of each month were, for the latest months with estimates."""
    months: dict[str, list[float]] = {}
    for estimate in estimates:
        months.setdefault(f"{estimate.at:%Y-%m}", []).append(abs(estimate.off))
    return [
        Nearness(month, len(off), sum(each <= _SAME for each in off), sum(each <= _ONE for each in off))
        for month, off in sorted(months.items())[-_MONTHS:]
    ]


def by_confidence(estimates: Sequence[Estimate]) -> Sequence[Confidence]:
    """Return how many estimates were right in each band of confidence that has any."""
    sure = [(each.confidence, bool(each.hit)) for each in estimates if each.confidence is not None]
    found = []
    for low, high in _BANDS:
        hits = [hit for confidence, hit in sure if low <= confidence < high or (confidence == high == 1.0)]
        if hits:
            found.append(Confidence(low, high, len(hits), sum(hits)))
    return found
