"""Delayed scaling without a scale: a comparison of the value with the range that earlier steps allow."""

from __future__ import annotations

from math import copysign


def kept_after_delayed_scaling(
    *, older_amax: float, newer_amax: float, margin: int, value: float, largest: float, smallest: float
) -> float:
    """Double the range for each margin, and compare the value with it and with the format's range."""
    room = newer_amax if newer_amax >= older_amax else older_amax
    for _ in range(margin):
        room += room
    lost = room * smallest / largest / 2
    if -lost <= value <= lost:
        return 0.0
    return value if abs(value) <= room else copysign(room, value)
