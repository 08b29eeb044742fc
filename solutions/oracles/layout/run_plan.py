"""A second road to a step: layers are dealt one by one, GPUs work off FLOP in slices, and waiting is added up."""

from __future__ import annotations

from fractions import Fraction
from itertools import cycle

from ..search import bisect


def fullest_stage_layers(*, layers: int, stages: int) -> int:
    """Deal the layers like cards, and look for the largest hand."""
    hands = [0] * stages
    for place, _ in zip(cycle(range(stages)), range(layers), strict=False):
        hands[place] += 1
    return max(hands)


def gpu_bytes(*, state_bytes: float, activation_bytes: float) -> float:
    """Fill a GPU byte range by byte range, in exact numbers."""
    end = Fraction(0)
    for tensor in (Fraction(activation_bytes), Fraction(state_bytes)):
        start, end = end, end + tensor
        assert end >= start
    return float(end)


def compute_seconds(*, step_flop: float, gpus: int, achieved_flop_per_s: float) -> float:
    """Hand out slices of the work to all GPUs, a tenth of a second each, until what is left is less than that."""
    slice_flop = Fraction(achieved_flop_per_s) * gpus / 10
    left, tenths = Fraction(step_flop), 0
    while left >= slice_flop * 4096:
        left, tenths = left - slice_flop * 4096, tenths + 4096
    while left >= slice_flop:
        left, tenths = left - slice_flop, tenths + 1
    return float((tenths + left / slice_flop) / 10)


def step_seconds(*, busy_s: float, idle: float, micro_batches: int, sync_s: float) -> float:
    """Let the work's share of waiting wait in turn, until nothing is added; the traffic begins one micro-batch's work before the end."""
    last_work, added = 0.0, busy_s
    while last_work + added > last_work:
        last_work, added = last_work + added, added * idle
    begins = last_work - busy_s / micro_batches
    return max(last_work, begins + sync_s)


def young_interval_seconds(*, write_s: float, mtbf_s: float) -> float:
    """Close in on the interval at which as much time goes into writing as into work that is done again."""

    def lost_over_writing(interval: float) -> float:
        lost = sum(interval * (tenth + 0.5) / 10 for tenth in range(10)) / 10 / mtbf_s
        return lost - write_s / interval

    return bisect(lost_over_writing, 0.0, 1e3 * mtbf_s)


def sync_seconds(*, weight_bytes: float, replicas: int, bandwidth_bytes_per_s: float) -> float:
    """Send the shards round the ring, hop by hop: first of the gradients, then of the weights."""
    parameters = Fraction(weight_bytes) / 2
    sent = Fraction(0)
    for width in (4, 2):
        for _ in range(replicas - 1):
            sent += parameters * width / replicas
    return float(sent / Fraction(bandwidth_bytes_per_s))
