"""The step of the capstone's mixture, simulated: DualPipe on a clock, tokens sent one by one, and rings."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from itertools import combinations

from ..pipeline import dualpipe
from ..pipeline.pipeline import step_seconds
from ..ring.ring import simulated_bytes_sent_per_phase
from .mixture_memory import stage_weights


def limited_exchange_seconds(
    *, tokens: int, hidden: int, node_limit: int, nodes: int, port_bytes_per_s: float
) -> float:
    """Return the average of the bytes that a token of node 0 sends over the network, over every choice of nodes."""
    choices = list(combinations(range(nodes), node_limit))
    copies = Fraction(sum(node != 0 for choice in choices for node in choice), len(choices))
    sent = Fraction(0)
    for _ in ("forward", "backward"):
        for width in (1, 2):  # out in FP8, back in BF16
            sent += copies * tokens * hidden * width
    return float(sent / Fraction(port_bytes_per_s))


def exposed_step_seconds(*, work_s: float, exchange_s: float, stages: int, micro_batches: int) -> float:
    """Simulate 1F1B with passes that include their exchange."""
    return step_seconds(stages=stages, micro_batches=micro_batches, micro_batch_seconds=work_s + exchange_s)


def _times(work_s: float, exchange_s: float) -> dict[str, Fraction]:
    work, exchange = Fraction(work_s), Fraction(exchange_s)
    weights = work / 3
    forward, backward = work / 3 + exchange / 2, 2 * work / 3 + exchange / 2
    return {"F": forward, "B": backward, "I": backward - weights, "W": weights, "FB": max(work, exchange)}


@lru_cache(maxsize=256)
def _dualpipe(work_s: float, exchange_s: float, stages: int, micro_batches: int) -> tuple[Fraction, Fraction]:
    """Return the end of the last GPU, and the waiting time of the GPU with the least work."""
    times, lines = _times(work_s, exchange_s), dualpipe.orders(stages, micro_batches)
    end = dualpipe.run(lines, times)
    busy = [sum(times[kind] for kind, _ in line) for line in lines]
    return end, end - min(busy)


def dualpipe_bubble_seconds(*, work_s: float, exchange_s: float, stages: int) -> float:
    """Run the schedule on a clock, and return the longest waiting time of a GPU."""
    return float(_dualpipe(work_s, exchange_s, stages, 2 * stages)[1])


def dualpipe_step_seconds(
    *, work_s: float, exchange_s: float, bubble_s: float, stages: int, micro_batches: int
) -> float:
    """Run the schedule on a clock, and replace its bubble by the given one."""
    end, waited = _dualpipe(work_s, exchange_s, stages, micro_batches)
    return float(end - waited + Fraction(bubble_s))


def hidden_share(*, exchange_s: float, stages: int, micro_batches: int, exposed_s: float, pipeline_s: float) -> float:
    """Count the pairs on a middle GPU of the schedule, and add up the exchanges that they hide."""
    middle = dualpipe.order(stages // 2, stages, micro_batches)
    hidden = sum((Fraction(exchange_s) for kind, _ in middle if kind == "FB"), Fraction(0))
    return float(hidden / (Fraction(exposed_s) - Fraction(pipeline_s)))


def two_ring_sync_seconds(
    *, parameters: float, routed_parameters: float, stages: int, dp: int, ep: int, port_bytes_per_s: float
) -> float:
    """Simulate one ring phase for each tensor that is sent, among the GPUs with the same weights."""
    run = {"parameters": parameters, "routed_parameters": routed_parameters}
    sent = 0.0
    for weights, holders in stage_weights(**run, stages=stages, dp=dp, ep=ep):
        for width in (4, 2):
            sent += simulated_bytes_sent_per_phase(message_bytes=float(weights * width), gpus=holders)
    return sent / port_bytes_per_s


def synced_step_seconds(*, pipeline_s: float, sync_s: float) -> float:
    """Advance a clock by both phases."""
    clock = Fraction(0)
    for phase in (pipeline_s, sync_s):
        clock += Fraction(phase)
    return float(clock)


def gpu_hours_per_trillion(*, step_s: float, gpus: int, batch_tokens: float) -> float:
    """Find the tokens per GPU-hour, and divide the trillion by them."""
    tokens_per_gpu_hour = Fraction(batch_tokens) / gpus * 3600 / Fraction(step_s)
    return float(Fraction(10**12) / tokens_per_gpu_hour)


def mixture_rent_dollars(*, hours_per_trillion: float, tokens: float, dollars_per_gpu_hour: float) -> float:
    """Pay for one billion tokens at a time, and then for the remainder."""
    billion = Fraction(hours_per_trillion) / 1000 * Fraction(dollars_per_gpu_hour)
    whole, rest = divmod(Fraction(tokens), 10**9)
    paid = sum((billion for _ in range(int(whole))), Fraction(0))
    return float(paid + billion * rest / 10**9)
