"""A ring all-reduce by `isend` and `recv` between neighbours, with every byte counted."""

from __future__ import annotations

from functools import cache
from typing import Any

from .cases import Case

ELEMENTS = 4800  # of FP32, so 19,200 bytes; divisible by 2, 3, 4 and 5


def _ring(rank: int) -> dict[str, Any]:
    import torch
    import torch.distributed as dist

    ranks = dist.get_world_size()
    mine = torch.full((ELEMENTS,), float(rank + 1))
    chunks = list(mine.chunk(ranks))
    sent = steps = 0

    def pass_on(outgoing: int, incoming: int, *, add: bool) -> None:
        nonlocal sent, steps
        arrived = torch.empty_like(chunks[incoming])
        to_send = chunks[outgoing].clone()
        waiting = dist.isend(to_send, (rank + 1) % ranks)
        dist.recv(arrived, (rank - 1) % ranks)
        waiting.wait()
        chunks[incoming].copy_(chunks[incoming] + arrived if add else arrived)
        sent, steps = sent + to_send.numel() * to_send.element_size(), steps + 1

    for step in range(ranks - 1):  # reduce-scatter
        pass_on((rank - step) % ranks, (rank - step - 1) % ranks, add=True)
    after_one_phase = sent
    for step in range(ranks - 1):  # all-gather
        pass_on((rank + 1 - step) % ranks, (rank - step) % ranks, add=False)
    expected = torch.full((ELEMENTS,), ranks * (ranks + 1) / 2)
    assert torch.equal(mine, expected), "the ring computed another sum"
    by_library = torch.full((ELEMENTS,), float(rank + 1))
    dist.all_reduce(by_library)
    assert torch.equal(mine, by_library), "the all-reduce of PyTorch computed another sum"
    return {"sent": sent, "phase": after_one_phase, "steps": steps}


@cache
def _counted(ranks: int) -> dict[str, Any]:
    from .processes import on_ranks

    results = on_ranks(ranks, _ring)
    assert all(result == results[0] for result in results)
    return dict(results[0])


def _cases(ranks: int) -> list[Case]:
    topic, size = "Ring all-reduce", 4 * ELEMENTS
    both = {"message_bytes": size, "gpus": ranks}
    return [
        Case(topic, f"bytes that each of {ranks} processes sends, {size} bytes reduced by `isend` and `recv`",
             "ring.ring.bytes_sent_per_gpu", both, "bytes", lambda: _counted(ranks)["sent"]),
        Case(topic, f"of these in the reduce-scatter, {ranks} processes", "ring.ring.bytes_sent_per_phase", both, "bytes",
             lambda: _counted(ranks)["phase"]),
        Case(topic, f"steps on {ranks} processes", "ring.ring.steps", {"gpus": ranks}, "steps", lambda: _counted(ranks)["steps"]),
    ]  # fmt: skip


CASES = [case for ranks in (2, 3, 4, 5) for case in _cases(ranks)]
