"""Pipeline schedules as lists: what each rank does, and in which order. oracles/pipeline.py plays them."""

from __future__ import annotations

Operation = tuple[str, int, int]  # kind, virtual stage on this rank, micro-batch
# Kinds: "F" forward, "B" backward (of the input alone where W follows), "W" backward of the weights


def gpipe(rank: int, stages: int, micro_batches: int) -> list[Operation]:
    """All forwards, and then all backwards, the newest micro-batch first."""
    forwards: list[Operation] = [("F", 0, micro_batch) for micro_batch in range(micro_batches)]
    return forwards + [("B", 0, micro_batch) for micro_batch in reversed(range(micro_batches))]


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


def zb_h1(rank: int, stages: int, micro_batches: int) -> list[Operation]:
    """1F1B whose weight gradients wait: rank i puts them off by i micro-batches, so every rank holds as many as the first."""
    return _split(micro_batches, warmup=stages - 1 - rank, put_off=rank)


def zb_h2(rank: int, stages: int, micro_batches: int) -> list[Operation]:
    """ZB-H1 with the warm-up doubled, which fills the wait for the first backward pass."""
    return _split(micro_batches, warmup=2 * (stages - 1 - rank), put_off=2 * rank)


def _split(micro_batches: int, *, warmup: int, put_off: int) -> list[Operation]:
    """Forwards, then one of each in turn; weight gradients fall behind by `put_off`, and fill the end."""
    forwards = min(micro_batches, warmup)
    order: list[Operation] = [("F", 0, micro_batch) for micro_batch in range(forwards)]
    weights = 0
    for backward in range(micro_batches):
        if forwards < micro_batches:
            order.append(("F", 0, forwards))
            forwards += 1
        order.append(("B", 0, backward))
        if backward + 1 - weights > put_off or forwards == micro_batches:
            order.append(("W", 0, weights))
            weights += 1
    return order + [("W", 0, micro_batch) for micro_batch in range(weights, micro_batches)]


def order(name: str, rank: int, stages: int, micro_batches: int, virtual_stages: int) -> list[Operation]:
    """The operations of one rank under a schedule by its name: "GPipe", "1F1B", "interleaved", "ZB-H1" or "ZB-H2"."""
    if name == "ZB-H1":
        return zb_h1(rank, stages, micro_batches)
    if name == "ZB-H2":
        return zb_h2(rank, stages, micro_batches)
    if name == "GPipe":
        return gpipe(rank, stages, micro_batches)
    return schedule(rank, stages, micro_batches, virtual_stages if name == "interleaved" else 1)
