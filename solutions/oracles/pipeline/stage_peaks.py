"""Peaks of schedules, counted along each rank's operations; those of DualPipe follow DeepSeek's program."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from .schedules import order


def _peak(holds: Iterable[int]) -> int:
    """The most that is held, given what each operation adds."""
    held = peak = 0
    for added in holds:
        held += added
        peak = max(peak, held)
    return peak


def dualpipe_line(rank: int, stages: int, micro_batches: int) -> list[str]:
    """Letters of one rank: F and B of the nearer end's micro-batches, f and b of the farther end's; "Bw", "bw" leave W for later.

    The eight steps of deepseek-ai/DualPipe, dualpipe/dualpipe.py. A pair that is overlapped is written forward first.
    """
    half, place = stages // 2, min(rank, stages - 1 - rank)
    rest = half - place - 1
    line = ["F"] * (2 * rest) + ["F", "f"] * (place + 1) + ["bw", "W", "f"] * rest
    line += ["F", "b", "f", "B"] * (micro_batches // 2 - stages + place + 1) + ["b", "f", "B"] * rest
    ends = ["b", "B"] * (place + 1)
    split_from = 2 * ((place + 1) // 2) + (place % 2 == 0)
    line += [letter + "w" if turn >= split_from else letter for turn, letter in enumerate(ends)]
    return line + ["W", "Bw"] * rest + ["W"] * (place + 1)


def _dualpipe(rank: int, stages: int, micro_batches: int) -> int:
    added = {"F": 1, "f": 1, "B": -1, "b": -1, "Bw": 0, "bw": 0, "W": -1}
    return _peak(added[letter] for letter in dualpipe_line(rank, stages, micro_batches))


@lru_cache(maxsize=4096)
def stage_peak_micro_batches(*, schedule: str, stages: int, stage: int, micro_batches: int) -> int:
    """Follow the rank's own list of operations, and keep the most that it held."""
    if schedule == "DualPipe":
        return _dualpipe(stage, stages, micro_batches)
    line = order(schedule, stage, stages, micro_batches, 1)
    freeing = "W" if schedule.startswith("ZB") else "B"
    return _peak((kind == "F") - (kind == freeing) for kind, _, _ in line)


def one_f_one_b_line(*, stages: int, stage: int, micro_batches: int) -> tuple[int, ...]:
    """Read the schedule's list, in signed numbers."""
    line = order("1F1B", stage, stages, micro_batches, 1)
    return tuple((micro_batch + 1) * (1 if kind == "F" else -1) for kind, _, micro_batch in line)
