"""Delayed scaling without a scale: a value survives between two magnitudes that the earlier steps decide."""

from __future__ import annotations

from math import copysign


def kept_after_delayed_scaling(
    *, older_amax: float, newer_amax: float, margin: int, value: float, largest: float, smallest: float
) -> float:
    """Double the room for each margin, and see on which side of it and of the format's range the value falls."""
    room = newer_amax if newer_amax >= older_amax else older_amax
    for _ in range(margin):
        room += room
    lost = room * smallest / largest / 2
    if -lost <= value <= lost:
        return 0.0
    return value if abs(value) <= room else copysign(room, value)
