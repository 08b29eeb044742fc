"""Loader workers and a GPU, played: what each of them does at every moment."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

GPU = -1  # the lane of the GPU; workers are counted from 0


@dataclass(frozen=True)
class Span:
    """A worker "loads" a batch, or the GPU "waits" for one or "computes" with it; batches are counted from 0, times in seconds."""

    lane: int
    kind: str
    batch: int
    begun: Fraction
    ended: Fraction


def play_loaders(load_s: Sequence[float], *, step_s: float, prefetch: int, workers: int = 1) -> list[Span]:
    """Go from event to event: a load ends, or a step ends, and whoever can go on does.

    Batches are dealt out in turn. A worker begins its next one while fewer than `prefetch` of its own are in the queue.
    The GPU takes them in their order.
    """
    to_load = [deque(range(worker, len(load_s), workers)) for worker in range(workers)]
    loading: dict[int, Span] = {}
    ready: set[int] = set()
    spans: list[Span] = []
    clock = step_ends = Fraction(0)
    following = 0
    while following < len(load_s):
        for worker, span in list(loading.items()):
            if span.ended <= clock:
                ready.add(loading.pop(worker).batch)
        if step_ends <= clock and following in ready:
            if step_ends < clock:
                spans.append(Span(GPU, "waits", following, step_ends, clock))
            step_ends = clock + Fraction(step_s)
            spans.append(Span(GPU, "computes", following, clock, step_ends))
            ready.remove(following)
            following += 1
        for worker, batches in enumerate(to_load):
            own = sum(batch % workers == worker for batch in ready)
            if worker not in loading and batches and own < prefetch:
                batch = batches.popleft()
                loading[worker] = Span(worker, "loads", batch, clock, clock + Fraction(load_s[batch]))
                spans.append(loading[worker])
        ends = [span.ended for span in loading.values()]
        clock = min([*ends, step_ends] if step_ends > clock else ends)
    return spans
