"""What crosses the boundaries, counted on steps that are played: every message, every hop, every number of virtual stages."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from .pipeline import BACKWARD_TICKS, FORWARD_TICKS, play, play_orders
from .schedules import gpipe, schedule


def boundary_message_bytes(*, tokens: int, hidden: int, bytes_per_element: int = 2, tp: int = 1) -> float:
    """Deal the elements of one tensor to the GPUs of the group, row by row, and weigh the first one's part."""
    columns = Fraction(hidden, tp)
    return float(sum(columns for _ in range(tokens)) * bytes_per_element)


@lru_cache(maxsize=256)
def _messages(stages: int, virtual_stages: int) -> tuple[int, ...]:
    """Messages that each rank sends for one micro-batch, both passes, from a step that is played."""
    played = play(stages, stages, virtual_stages)
    return tuple(played.messages_sent(rank, stages) // stages for rank in range(stages))


def boundaries(*, stages: int, virtual_stages: int = 1) -> int:
    """Count the messages of a step that is played; half of them go forward."""
    return sum(_messages(stages, virtual_stages)) // 2


def boundary_growth(*, stages: int, virtual_stages: int) -> float:
    """Count all messages of two steps that are played."""
    return sum(_messages(stages, virtual_stages)) / sum(_messages(stages, 1))


def pipeline_bytes(*, message_bytes: float, stages: int, micro_batches: int, virtual_stages: int = 1) -> float:
    """Add up what every rank sends."""
    return float(sum(_messages(stages, virtual_stages)) * micro_batches * Fraction(message_bytes))


def gpu_bytes(*, message_bytes: float, stages: int, stage: int, micro_batches: int, virtual_stages: int = 1) -> float:
    """Add up what one rank sends."""
    return float(_messages(stages, virtual_stages)[stage] * micro_batches * Fraction(message_bytes))


def busiest_gpu_seconds(
    *, message_bytes: float, stages: int, micro_batches: int, bandwidth_bytes_per_s: float, virtual_stages: int = 1
) -> float:
    """Find the rank that sends most, and send its messages one after the other."""
    each = Fraction(message_bytes) / Fraction(bandwidth_bytes_per_s)
    return float(max(_messages(stages, virtual_stages)) * micro_batches * each)


def gpipe_hop_seconds(*, stages: int, hop_seconds: float) -> float:
    """Play a step of GPipe twice, with a hop and without."""
    orders = [gpipe(rank, stages, 2 * stages) for rank in range(stages)]
    ticks = [{"F": FORWARD_TICKS, "B": BACKWARD_TICKS}] * stages
    hop = Fraction(1, 8)
    late = play_orders(orders, ticks, hop).ticks - play_orders(orders, ticks).ticks
    return float(late / hop * Fraction(hop_seconds))


@lru_cache(maxsize=256)
def _hops_of_1f1b(stages: int, micro_batches: int) -> Fraction:
    orders = [schedule(rank, stages, micro_batches, 1) for rank in range(stages)]
    ticks = [{"F": FORWARD_TICKS, "B": BACKWARD_TICKS}] * stages
    hop = Fraction(1, 8)
    return Fraction(play_orders(orders, ticks, hop).ticks - play_orders(orders, ticks).ticks) / hop


def one_f_one_b_hop_seconds(*, stages: int, micro_batches: int, hop_seconds: float) -> float:
    """Play a step of 1F1B twice, with a hop and without."""
    return float(_hops_of_1f1b(stages, micro_batches) * Fraction(hop_seconds))


def best_virtual_stages(
    *, stages: int, stage_layers: int, micro_batches: int, layer_seconds: float, message_seconds: float
) -> int:
    """Play the bubble of every number of virtual stages, add the busiest rank's messages, and take the quickest."""
    if stages < 3 or micro_batches < 1:
        raise ValueError("the busiest rank has no neighbours on both sides")
    timed = []
    for virtual_stages in (count for count in range(1, stage_layers + 1) if stage_layers % count == 0):
        wait, of_a_micro_batch = _wait_and_work(stages, virtual_stages)
        compute = (micro_batches + Fraction(wait, of_a_micro_batch)) * stage_layers * Fraction(repr(layer_seconds))
        sends = max(_messages(stages, virtual_stages)) * micro_batches * Fraction(repr(message_seconds))
        timed.append((compute + sends, virtual_stages))
    return min(timed)[1]


@lru_cache(maxsize=256)
def _wait_and_work(stages: int, virtual_stages: int) -> tuple[int, int]:
    played = play(stages, stages, virtual_stages)
    return int(played.ticks - played.busy_ticks), int(played.busy_ticks) // stages
