"""The peak of a rank, counted along its operations, and its list of operations under 1F1B."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from . import dualpipe
from .schedules import order


def _peak(holds: Iterable[int]) -> int:
    """Return the maximum of a running sum."""
    held = peak = 0
    for added in holds:
        held += added
        peak = max(peak, held)
    return peak


@lru_cache(maxsize=4096)
def stage_peak_micro_batches(*, schedule: str, stages: int, stage: int, micro_batches: int) -> int:
    """Walk through the rank's operations, and return the most micro-batches that it holds."""
    if schedule == "DualPipe":
        return dualpipe.most_held(list(dualpipe.order(stage, stages, micro_batches)))
    line = order(schedule, stage, stages, micro_batches, 1)
    freeing = "W" if schedule.startswith("ZB") else "B"
    return _peak((kind == "F") - (kind == freeing) for kind, _, _ in line)


def one_f_one_b_line(*, stages: int, stage: int, micro_batches: int) -> tuple[int, ...]:
    """Convert the schedule's list of operations to signed numbers."""
    line = order("1F1B", stage, stages, micro_batches, 1)
    return tuple((micro_batch + 1) * (1 if kind == "F" else -1) for kind, _, micro_batch in line)
