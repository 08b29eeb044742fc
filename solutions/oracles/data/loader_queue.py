"""Loader and GPU, played: two clocks, a queue between them, and processes that each open an index of their own."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from ..search import smallest
from .loader_run import play_loaders

STEPS = 60


def workers_for_step(*, samples: int, sample_s: float, step_s: float) -> int:
    """Add workers until they hand over as many samples in a step as the GPU takes."""
    made_by_one = Fraction(step_s) / Fraction(sample_s) * (1 + Fraction(1, 10**12))
    return smallest(lambda workers: workers * made_by_one >= samples, largest=10**6)


def fed_step_seconds(*, step_s: float, batch_s: float, workers: int) -> float:
    """Deal batches out to workers in turn, each at most two ahead, let the GPU take them in order, and time a late round."""
    done = [Fraction(0)] * workers
    taken: list[Fraction] = []
    for batch in range(STEPS * workers):
        worker = batch % workers
        room = taken[batch - 2 * workers] if batch >= 2 * workers else Fraction(0)
        done[worker] = max(done[worker], room) + Fraction(batch_s)
        taken.append(max(done[worker], taken[-1] + Fraction(step_s)) if taken else done[worker])
    late = STEPS // 2 * workers
    return float((taken[-1] - taken[-1 - late]) / late)


def waiting_seconds(*, load_s: Sequence[float], step_s: float, prefetch: int, workers: int = 1) -> float:
    """Play loaders and GPU, and add up how long the GPU stood still."""
    spans = play_loaders(load_s, step_s=step_s, prefetch=prefetch, workers=workers)
    return float(sum(span.ended - span.begun for span in spans if span.kind == "waits"))


@lru_cache(maxsize=4096)
def uneven_waiting_seconds(
    *, batches: int, fast_s: float, slow_s: float, slow_every: int, step_s: float, prefetch: int
) -> float:
    """Write the log down, one slow batch after so many fast ones, and play it."""
    log: list[float] = []
    while len(log) < batches:
        log += [fast_s] * (slow_every - 1) + [slow_s]
    return waiting_seconds(load_s=log[:batches], step_s=step_s, prefetch=prefetch)


def stall_wait_seconds(*, stall_s: float, ready_batches: int, step_s: float) -> float:
    """Work off the step that runs and the queue, and look at the clock."""
    clock = Fraction(step_s)
    for _ in range(int(ready_batches)):
        clock += Fraction(step_s)
    return float(Fraction(stall_s) - clock) if clock < Fraction(stall_s) else 0.0


def batches_for_stall(*, stall_s: float, step_s: float) -> int:
    """Put one batch more into the queue until the GPU no longer waits."""
    ready = 0
    while stall_wait_seconds(stall_s=stall_s * (1 - 1e-12), ready_batches=ready, step_s=step_s) > 0:
        ready += 1
    return ready


def refill_seconds(*, batches: int, step_s: float, load_s: float) -> float:
    """Follow the level of the queue over one second, and ask how many such seconds fill it."""
    gained = 1 / Fraction(load_s) - 1 / Fraction(step_s)
    if gained <= 0:
        raise ValueError("the queue never fills")
    return float(batches / gained)


def index_bytes_on_host(
    *, samples: float, bytes_per_sample: float, gpus: int, workers_per_gpu: int, shared: bool
) -> float:
    """Start every process of the host, and add up what each brings along."""
    held = Fraction(0)
    for _ in range(gpus):
        for _ in range(int(workers_per_gpu) + 1):
            if held == 0 or not shared:
                held += Fraction(samples) * Fraction(bytes_per_sample)
    return float(held)
