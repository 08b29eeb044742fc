"""What crosses the boundaries, counted on steps that are played: every message, every hop, every number of virtual stages."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from .pipeline import BACKWARD_TICKS, FORWARD_TICKS, Ticks, play, play_orders
from .schedules import Operation, gpipe, schedule


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


@lru_cache(maxsize=4096)
def _seconds_a_micro_batch(stages: int, ahead: int, micro_batch: Fraction, hop: Fraction) -> Fraction:
    """Play a schedule in which each rank is `ahead` micro-batches before the next, twice, and see what a further one adds."""
    ends = []
    in_flight = 1 + (stages - 1) * ahead
    for micro_batches in (3 * in_flight, 4 * in_flight):
        orders = [_alternating((stages - 1 - rank) * ahead, micro_batches) for rank in range(stages)]
        ticks: dict[str, Ticks] = {"F": micro_batch / 3, "B": micro_batch * 2 / 3}
        ends.append(Fraction(play_orders(orders, [ticks] * stages, hop).ticks))
    return (ends[1] - ends[0]) / in_flight


def _alternating(warm_up: int, micro_batches: int) -> list[Operation]:
    """So many forwards first, then one of each in turn."""
    order: list[Operation] = [("F", 0, micro_batch) for micro_batch in range(min(warm_up, micro_batches))]
    for micro_batch in range(micro_batches):
        if micro_batch + warm_up < micro_batches:
            order.append(("F", 0, micro_batch + warm_up))
        order.append(("B", 0, micro_batch))
    return order


def one_f_one_b_slowdown(*, stages: int, micro_batch_seconds: float, hop_seconds: float) -> float:
    """Play two long steps of 1F1B, and see how much more than its computing a further micro-batch adds."""
    micro_batch, hop = Fraction(repr(micro_batch_seconds)), Fraction(repr(hop_seconds))
    return float(_seconds_a_micro_batch(stages, 1, micro_batch, hop) / micro_batch - 1)


def in_flight_that_hides_hops(*, stages: int, micro_batch_seconds: float, hop_seconds: float) -> int:
    """Send every rank further ahead of the next, until a further micro-batch adds its computing and nothing else."""
    micro_batch, hop = Fraction(repr(micro_batch_seconds)), Fraction(repr(hop_seconds))
    ahead = 1
    while _seconds_a_micro_batch(stages, ahead, micro_batch, hop) > micro_batch:
        ahead += 1
    return 1 + (stages - 1) * ahead


def waiting_step_seconds(
    *,
    layers: int,
    stages: int,
    virtual_stages: int,
    micro_batches: int,
    layer_seconds: float,
    tokens: int,
    hidden: int,
    tp: int,
    bandwidth_bytes_per_s: float,
) -> float:
    """Play the bubble, count the messages of the busiest rank, and lay work, wait and sending end to end."""
    if stages < 3:
        raise ValueError("the busiest rank has no neighbours on both sides")
    wait, of_a_micro_batch = _wait_and_work(stages, virtual_stages)
    lengths = micro_batches + Fraction(wait, of_a_micro_batch)
    message = boundary_message_bytes(tokens=tokens, hidden=hidden, tp=tp)
    sends = max(_messages(stages, virtual_stages)) * micro_batches * Fraction(message)
    work = lengths * Fraction(layers, stages) * Fraction(layer_seconds)
    return float(work + sends / Fraction(bandwidth_bytes_per_s))


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
