"""A pipeline step, played: every rank works off its list of operations as soon as what they depend on is done."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

FORWARD_TICKS, BACKWARD_TICKS = 1, 2  # a backward is two products for each weight, a forward one

Operation = tuple[str, int, int]  # "F" or "B", virtual stage on this rank, micro-batch


def schedule(rank: int, stages: int, micro_batches: int, virtual_stages: int) -> list[Operation]:
    """The order of operations on one rank: 1F1B, or interleaved 1F1B in groups of `stages` micro-batches."""
    total = micro_batches * virtual_stages
    if virtual_stages == 1:
        visits = [(0, micro_batch) for micro_batch in range(micro_batches)]
        warmup = min(total, stages - rank - 1)
    else:
        if micro_batches % stages:
            raise ValueError("interleaving needs a multiple of the stages as micro-batches")
        visits = [
            (chunk, first + turn)
            for first in range(0, micro_batches, stages)
            for chunk in range(virtual_stages)
            for turn in range(stages)
        ]
        warmup = min(total, 2 * (stages - rank - 1) + (virtual_stages - 1) * stages)
    forwards: list[Operation] = [("F", chunk, micro_batch) for chunk, micro_batch in visits]
    backwards: list[Operation] = [("B", virtual_stages - 1 - chunk, micro_batch) for chunk, micro_batch in visits]
    steady = [forwards[warmup + turn // 2] if turn % 2 == 0 else backwards[turn // 2]
              for turn in range(2 * (total - warmup))]  # fmt: skip
    return forwards[:warmup] + steady + backwards[total - warmup :]


def _needs(operation: Operation, rank: int, stages: int, virtual_stages: int) -> tuple[str, int, int] | None:
    """What must be done before: (kind, position in the whole pipeline, micro-batch), or nothing."""
    kind, chunk, micro_batch = operation
    position = chunk * stages + rank
    last = stages * virtual_stages - 1
    if kind == "F":
        return None if position == 0 else ("F", position - 1, micro_batch)
    return ("F", last, micro_batch) if position == last else ("B", position + 1, micro_batch)


@dataclass(frozen=True)
class Played:
    """A pipeline step that was played: when it ended, and what each rank did when."""

    ticks: int
    busy_ticks: int  # of one rank
    spans: tuple[tuple[int, str, int, int, int], ...]  # rank, kind, micro-batch, start, end


@lru_cache(maxsize=256)
def play(stages: int, micro_batches: int, virtual_stages: int = 1) -> Played:
    """Play one step; communication is free, so what remains is the bubble."""
    orders = [schedule(rank, stages, micro_batches, virtual_stages) for rank in range(stages)]
    places, clocks = [0] * stages, [0] * stages
    ended: dict[tuple[str, int, int], int] = {}
    spans: list[tuple[int, str, int, int, int]] = []
    moved = True
    while moved:
        moved = False
        for rank, order in enumerate(orders):
            while places[rank] < len(order):
                kind, chunk, micro_batch = order[places[rank]]
                need = _needs(order[places[rank]], rank, stages, virtual_stages)
                if need is not None and need not in ended:
                    break
                start = max(clocks[rank], 0 if need is None else ended[need])
                clocks[rank] = start + (FORWARD_TICKS if kind == "F" else BACKWARD_TICKS)
                ended[kind, chunk * stages + rank, micro_batch] = clocks[rank]
                spans.append((rank, kind, micro_batch, start, clocks[rank]))
                places[rank] += 1
                moved = True
    if any(place < len(order) for place, order in zip(places, orders, strict=True)):
        raise RuntimeError("the schedule deadlocks")
    busy = sum(end - start for rank, _, _, start, end in spans if rank == 0)
    return Played(max(clocks), busy, tuple(spans))
