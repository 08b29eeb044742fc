"""Split backward passes, played: every schedule as lists of operations, its waits and what its ranks hold."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from ..communication.parts import in_parts
from .pipeline import Played, Ticks, play_orders
from .schedules import order


@lru_cache(maxsize=512)
def _played(
    name: str, stages: int, micro_batches: int, virtual_stages: int, forward: int, of_input: int, of_weights: int
) -> Played:
    """Play a schedule; the ticks are those of one virtual stage. Without a split a rank computes both gradients in one go."""
    split = name in ("ZB-H1", "ZB-H2")
    times = 1 if name == "interleaved" else virtual_stages
    backward = of_input if split else of_input + of_weights
    ticks: dict[str, Ticks] = {"F": forward * times, "B": backward * times, "W": of_weights * times}
    orders = [order(name, rank, stages, micro_batches, virtual_stages) for rank in range(stages)]
    return play_orders(orders, [ticks] * stages)


def _step(
    schedule: str,
    stages: int,
    micro_batches: int,
    forward_s: float,
    input_backward_s: float,
    weight_backward_s: float,
    virtual_stages: int,
) -> tuple[Played, Fraction]:
    """A played step, in ticks of which every time is a whole number, and how many ticks a second has."""
    (forward, of_input, of_weights), ticks_a_second = in_parts(forward_s, input_backward_s, weight_backward_s)
    step = _played(schedule, stages, micro_batches, virtual_stages, forward, of_input, of_weights)
    return step, ticks_a_second * virtual_stages


def bubble_seconds(
    *,
    schedule: str,
    stages: int,
    forward_s: float,
    input_backward_s: float,
    weight_backward_s: float,
    virtual_stages: int = 1,
) -> float:
    """Play a step of two rounds, and find the longest wait."""
    step, ticks_a_second = _step(
        schedule, stages, 2 * stages, forward_s, input_backward_s, weight_backward_s, virtual_stages
    )
    return float(Fraction(step.bubble_ticks) / ticks_a_second)


def step_seconds(
    *,
    schedule: str,
    stages: int,
    micro_batches: int,
    forward_s: float,
    input_backward_s: float,
    weight_backward_s: float,
    virtual_stages: int = 1,
) -> float:
    """Play the step, and clock the rank that takes longest from its first operation to its last."""
    step, ticks_a_second = _step(
        schedule, stages, micro_batches, forward_s, input_backward_s, weight_backward_s, virtual_stages
    )
    return float(Fraction(max(step.occupied(rank) for rank in range(stages))) / ticks_a_second)


def throughput_gain(
    *,
    schedule: str,
    stages: int,
    micro_batches: int,
    forward_s: float,
    input_backward_s: float,
    weight_backward_s: float,
    virtual_stages: int = 1,
) -> float:
    """Play both steps, and compare how long the slowest rank is occupied."""
    lengths = []
    for name in ("1F1B", schedule):
        step, _ = _step(name, stages, micro_batches, forward_s, input_backward_s, weight_backward_s, virtual_stages)
        lengths.append(Fraction(max(step.occupied(rank) for rank in range(stages))))
    return float(lengths[0] / lengths[1] - 1)


def bubble_rate_with_hops(
    *,
    schedule: str,
    stages: int,
    micro_batches: int,
    forward_s: float,
    input_backward_s: float,
    weight_backward_s: float,
    hop_s: float,
) -> float:
    """Play the step with hops, and compare the longest that a rank is occupied with its work."""
    forward, of_input, of_weights, hop = (
        Fraction(seconds) for seconds in (forward_s, input_backward_s, weight_backward_s, hop_s)
    )
    split = schedule in ("ZB-H1", "ZB-H2")
    ticks: dict[str, Ticks] = {"F": forward, "B": of_input if split else of_input + of_weights, "W": of_weights}
    orders = [order(schedule, rank, stages, micro_batches, 1) for rank in range(stages)]
    step = play_orders(orders, [ticks] * stages, hop)
    cost = Fraction(max(step.occupied(rank) for rank in range(stages)))
    return float(1 - micro_batches * (forward + of_input + of_weights) / cost)


@lru_cache(maxsize=4096)
def peak_micro_batches(*, schedule: str, stages: int, micro_batches: int, virtual_stages: int = 1) -> float:
    """Play the step, and follow what every rank holds."""
    step = _played(schedule, stages, micro_batches, virtual_stages, 1, 1, 1)
    chunks = virtual_stages if schedule == "interleaved" else 1
    return max(step.peak_held(rank) for rank in range(stages)) / chunks


def quickest_schedule_that_fits(
    *,
    stages: int,
    micro_batches: int,
    forward_s: float,
    input_backward_s: float,
    weight_backward_s: float,
    virtual_stages: int,
    micro_batch_bytes: float,
    room_bytes: float,
    splits_backward: bool,
) -> str:
    """Play every schedule, drop those that overflow, and take the quickest; the leaner one of two."""
    kept = []
    for name in (*(("ZB-H2", "ZB-H1") if splits_backward else ()), "interleaved", "1F1B", "GPipe"):
        shape = {"schedule": name, "stages": stages, "micro_batches": micro_batches, "virtual_stages": virtual_stages}
        held = peak_micro_batches(**shape)
        if Fraction(held) * Fraction(micro_batch_bytes) <= Fraction(room_bytes):
            seconds = step_seconds(
                **shape, forward_s=forward_s, input_backward_s=input_backward_s, weight_backward_s=weight_backward_s
            )
            kept.append((round(seconds, 12), held, name))
    return min(kept)[2] if kept else "nothing fits"
