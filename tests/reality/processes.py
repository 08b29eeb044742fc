"""Ranks of a training job as processes that communicate over Gloo."""

from __future__ import annotations

import os
import socket
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any


def on_ranks(count: int, work: Callable[..., Any], *arguments: Any) -> list[Any]:
    """Return the results of work(rank, *arguments) on `count` processes, by rank."""
    import torch
    import torch.multiprocessing as mp

    with tempfile.TemporaryDirectory() as folder:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        mp.spawn(_rank, (count, port, folder, work, arguments), nprocs=count)
        return [torch.load(Path(folder, f"{rank}"), weights_only=False) for rank in range(count)]


def _rank(rank: int, count: int, port: int, folder: str, work: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    import torch
    import torch.distributed as dist

    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    torch.set_num_threads(1)
    dist.init_process_group("gloo", rank=rank, world_size=count)
    try:
        torch.save(work(rank, *arguments), Path(folder, f"{rank}"))
        dist.barrier()
    finally:
        dist.destroy_process_group()
