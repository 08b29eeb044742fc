"""Data parallelism: what DDP with no_sync, the optimizer of ZeRO-1, and FSDP2 communicate and keep."""

from __future__ import annotations

from functools import cache
from typing import Any

from .cases import Case

WIDTH, RANKS, MICRO_BATCHES = 100, 4, 8
PARAMETERS = WIDTH * WIDTH + WIDTH  # one linear layer with its bias
LAYERS, FSDP_WIDTH = 4, 64


def _ddp(rank: int, waits: bool) -> list[int]:
    """Return the bytes of each gradient bucket that DDP reduces in a step of eight micro-batches."""
    from contextlib import nullcontext

    import torch
    import torch.distributed as dist
    from torch.nn.parallel import DistributedDataParallel

    torch.manual_seed(0)
    model = DistributedDataParallel(torch.nn.Linear(WIDTH, WIDTH))
    reduced: list[int] = []

    def hook(state, bucket):  # type: ignore[no-untyped-def]  # DDP refuses annotations other than its own
        buffer = bucket.buffer()
        reduced.append(buffer.numel() * buffer.element_size())
        return dist.all_reduce(buffer.div_(RANKS), async_op=True).get_future().then(lambda done: done.value()[0])

    model.register_comm_hook(None, hook)
    for number in range(MICRO_BATCHES):
        with model.no_sync() if waits and number < MICRO_BATCHES - 1 else nullcontext():
            model(torch.randn(2, WIDTH)).square().mean().backward()
    return reduced


def _zero_1(rank: int) -> int:
    """Return the bytes of Adam's moments that this rank keeps."""
    import torch
    from torch.distributed.optim import ZeroRedundancyOptimizer

    model = torch.nn.Sequential(*[torch.nn.Linear(FSDP_WIDTH, FSDP_WIDTH, bias=False) for _ in range(2 * RANKS)])
    optimizer = ZeroRedundancyOptimizer(model.parameters(), torch.optim.Adam)
    model(torch.randn(1, FSDP_WIDTH)).sum().backward()
    optimizer.step()
    kept = [value for state in optimizer.optim.state.values() for name, value in state.items() if name != "step"]
    return sum(value.numel() * value.element_size() for value in kept)


def _fsdp(rank: int, reshards: bool) -> dict[str, int]:
    """Return the bytes that this rank sends in the collectives of one step, on a ring, and the bytes of its shards."""
    import torch
    import torch.distributed as dist
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard
    from torch.utils._python_dispatch import TorchDispatchMode

    received = {"gathered": 0, "scattered": 0}

    class Counting(TorchDispatchMode):
        """A count of the bytes that each all-gather and reduce-scatter moves."""

        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            name = str(func)
            if name.startswith("c10d.") and "allgather" in name:
                gathered = args[0] if isinstance(args[0], torch.Tensor) else args[0][0]
                received["gathered"] += gathered.numel() * gathered.element_size()
            if name.startswith("c10d.") and "reduce_scatter" in name:
                whole = args[1] if isinstance(args[1], torch.Tensor) else args[1][0]
                received["scattered"] += whole.numel() * whole.element_size()
            return func(*args, **(kwargs or {}))

    mesh = init_device_mesh("cpu", (RANKS,))
    model = torch.nn.Sequential(*[torch.nn.Linear(FSDP_WIDTH, FSDP_WIDTH, bias=False) for _ in range(LAYERS)])
    model = model.to(torch.bfloat16)
    for layer in model:
        fully_shard(layer, mesh=mesh, reshard_after_forward=reshards)
    shards = sum(p.to_local().numel() * p.element_size() for p in model.parameters())
    with Counting():
        model(torch.randn(2, FSDP_WIDTH, dtype=torch.bfloat16)).float().sum().backward()
    own_part = (dist.get_world_size() - 1) / dist.get_world_size()
    return {"sent": int(own_part * (received["gathered"] + received["scattered"])), "shards": shards}


@cache
def _ran(name: str, *arguments: Any) -> Any:
    from .processes import on_ranks

    results = on_ranks(RANKS, globals()[name], *arguments)
    assert all(result == results[0] for result in results), results
    return results[0]


CASES = [
    Case("Data parallelism", f"bytes that DDP reduces in a step of {MICRO_BATCHES} micro-batches with `no_sync`, "
         f"{PARAMETERS} FP32 parameters", "zero.adam.weight_bytes", {"parameters": PARAMETERS, "bytes_per_weight": 4}, "bytes",
         lambda: sum(_ran("_ddp", True))),
    Case("Data parallelism", "what `no_sync` saves in each of the two phases", "accumulation.gradient_buffers.deferred_traffic_bytes",
         {"parameters": PARAMETERS, "gpus": RANKS, "accumulation_steps": MICRO_BATCHES, "bytes_per_gradient": 4}, "bytes",
         lambda: (sum(_ran("_ddp", False)) - sum(_ran("_ddp", True))) * (RANKS - 1) / RANKS),
    Case("Data parallelism", f"Adam's moments on a rank of {RANKS}, `ZeroRedundancyOptimizer`, FP32", "zero.adam.optimizer_bytes",
         {"parameters": 2 * RANKS * FSDP_WIDTH**2 / RANKS, "bytes_per_master": 0}, "bytes", lambda: _ran("_zero_1")),
    Case("Data parallelism", f"bytes that a rank of {RANKS} sends in a step of FSDP2, weights kept after the forward pass",
         "zero.fsdp.sharded_step_bytes",
         {"parameters": LAYERS * FSDP_WIDTH**2, "gpus": RANKS, "weight_gathers": 1, "bytes_per_gradient": 2}, "bytes",
         lambda: _ran("_fsdp", False)["sent"]),
    Case("Data parallelism", "the same, weights dropped and gathered again (ZeRO-3)", "zero.fsdp.sharded_step_bytes",
         {"parameters": LAYERS * FSDP_WIDTH**2, "gpus": RANKS, "weight_gathers": 2, "bytes_per_gradient": 2}, "bytes",
         lambda: _ran("_fsdp", True)["sent"]),
    Case("Data parallelism", f"bytes of the BF16 weights that a rank of {RANKS} keeps", "zero.adam.weight_bytes",
         {"parameters": LAYERS * FSDP_WIDTH**2 / RANKS, "bytes_per_weight": 2}, "bytes",
         lambda: _ran("_fsdp", True)["shards"]),
]  # fmt: skip
