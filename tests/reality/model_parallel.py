"""PyTorch's tensor parallelism and pipeline schedules."""

from __future__ import annotations

from functools import cache
from typing import Any

from .cases import Case

RANKS, WIDTH, INNER, TOKENS = 4, 32, 128, 16
STAGES, MICRO_BATCHES = 4, 12


def _mlp(rank: int) -> dict[str, int]:
    """Return the number of all-reduces of a column- and row-parallel MLP, in the forward pass and in the step, and their bytes."""
    import torch
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
    from torch.utils._python_dispatch import TorchDispatchMode

    seen: list[int] = []

    class Counting(TorchDispatchMode):
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            if "all_reduce" in str(func) or "allreduce" in str(func):
                tensor = args[0] if isinstance(args[0], torch.Tensor) else args[0][0]
                seen.append(tensor.numel() * tensor.element_size())
            return func(*args, **(kwargs or {}))

    torch.manual_seed(0)
    whole = torch.nn.Sequential(torch.nn.Linear(WIDTH, INNER, bias=False), torch.nn.GELU(),
                                torch.nn.Linear(INNER, WIDTH, bias=False))  # fmt: skip
    tokens = torch.randn(TOKENS, WIDTH)
    expected = whole(tokens)
    mesh = init_device_mesh("cpu", (RANKS,))
    split = parallelize_module(whole, mesh, {"0": ColwiseParallel(), "2": RowwiseParallel()})
    tokens.requires_grad_()
    with Counting():
        result = split(tokens)
        forward = len(seen)
        result.sum().backward()
    assert torch.allclose(result, expected, atol=1e-5), "the split MLP computes something else"
    return {"forward": forward, "step": len(seen), "bytes": seen[0], "parameters": split[0].weight.to_local().numel()}


@cache
def _ran() -> dict[str, int]:
    from .processes import on_ranks

    return dict(on_ranks(RANKS, _mlp)[0])


@cache
def _orders() -> dict[int, list[Any]]:
    """Return the passes of each rank in PyTorch's 1F1B, in order, without empty slots."""
    from torch.distributed.pipelining import schedules

    schedule = object.__new__(schedules.Schedule1F1B)  # the list needs no stage and no process
    schedule.__dict__.update(pp_group_size=STAGES, _num_stages=STAGES, _n_microbatches=MICRO_BATCHES)
    order = schedule._get_pipeline_order()
    return {
        rank: [a for a in actions if a is not None and a.computation_type.value in "FB"]
        for rank, actions in order.items()
    }


def _most_in_flight(rank: int) -> int:
    held = most = 0
    for action in _orders()[rank]:
        held += 1 if action.computation_type.value == "F" else -1
        most = max(most, held)
    return most


def _interleaved_chunks(rank: int) -> int:
    """Return the largest number of chunks in flight on a rank of PyTorch's interleaved 1F1B, with two chunks per rank."""
    from torch.distributed.pipelining import schedules

    schedule = object.__new__(schedules.ScheduleInterleaved1F1B)
    schedule.__dict__.update(
        pp_group_size=STAGES, n_local_stages=2, rank=rank, _n_microbatches=MICRO_BATCHES, microbatches_per_round=STAGES
    )
    held = most = 0
    for action in schedule._calculate_single_rank_operations(rank):
        if action is not None and action.computation_type.value in "FB":
            held += 1 if action.computation_type.value == "F" else -1
            most = max(most, held)
    return most


def _numbered(actions: list[Any]) -> list[tuple[str, int]]:
    """Return each pass with its micro-batch, in order. PyTorch 2.15 lists those of the last rank as 1 to m, not 0 to m - 1."""
    kinds = [action.computation_type.value for action in actions]
    return [(kind, kinds[:place].count(kind)) for place, kind in enumerate(kinds)]


def _idle_slots() -> float:
    """Return the share of slots in which the first rank waits, if a backward pass takes as long as a forward pass."""
    lists = _orders()
    ends: dict[tuple[str, int, int], int] = {}
    clock, done = dict.fromkeys(lists, 0), dict.fromkeys(lists, 0)
    passes = {rank: _numbered(actions) for rank, actions in lists.items()}
    while any(done[rank] < len(actions) for rank, actions in passes.items()):
        for rank, actions in passes.items():
            while done[rank] < len(actions):
                kind, number = actions[done[rank]]
                needs = {"F": [("F", rank - 1, number)] if rank else [],
                         "B": [("B", rank + 1, number)] if rank < STAGES - 1 else [("F", rank, number)]}[kind]  # fmt: skip
                if any(need not in ends for need in needs):
                    break
                clock[rank] = max([clock[rank], *(ends[need] for need in needs)]) + 1
                ends[kind, rank, number] = clock[rank]
                done[rank] += 1
    return 1 - 2 * MICRO_BATCHES / max(ends.values())


CASES = [
    Case("Tensor parallelism", f"all-reduces in the forward pass of an MLP, `ColwiseParallel` and `RowwiseParallel` on {RANKS} "
         "processes (a layer has two such blocks)", "tensor_and_context.tensor_parallel.all_reduces", {"layers": 1, "span": "forward"}, "all-reduces",
         lambda: 2 * _ran()["forward"]),
    Case("Tensor parallelism", "the same in forward and backward pass", "tensor_and_context.tensor_parallel.all_reduces", {"layers": 1, "span": "step"},
         "all-reduces", lambda: 2 * _ran()["step"]),
    Case("Tensor parallelism", "bytes that a rank sends for one of them, FP32, on a ring", "tensor_and_context.tensor_parallel.all_reduce_bytes",
         {"tokens": TOKENS, "hidden": WIDTH, "tp": RANKS, "bytes_per_value": 4}, "bytes",
         lambda: 2 * (RANKS - 1) / RANKS * _ran()["bytes"]),
    *[
        Case("Pipelines", f"micro-batches in flight on stage {rank + 1} of {STAGES}, `Schedule1F1B`, {MICRO_BATCHES} micro-batches",
             "pipeline.pipeline.in_flight", {"stages": STAGES, "stage": rank, "micro_batches": MICRO_BATCHES}, "micro-batches",
             lambda rank=rank: _most_in_flight(rank))
        for rank in range(STAGES)
    ],
    Case("Pipelines", "idle fraction of that schedule, played", "pipeline.pipeline.bubble_idle_fraction",
         {"stages": STAGES, "micro_batches": MICRO_BATCHES}, "", _idle_slots),
    *[
        Case("Pipelines", f"chunks in flight on rank {rank + 1} of {STAGES}, `ScheduleInterleaved1F1B`, 2 chunks a rank",
             "pipeline.pipeline.interleaved_chunks_in_flight",
             {"stages": STAGES, "stage": rank, "micro_batches": MICRO_BATCHES, "virtual_stages": 2}, "chunks",
             lambda rank=rank: _interleaved_chunks(rank))
        for rank in range(STAGES)
    ],
]  # fmt: skip
