"""Hybrid sharding (HSDP): memory and communication for a given size of the shard group."""

from __future__ import annotations

from typing import TypedDict

from ..facts.arguments import require_counts, require_not_negative, require_positive


class HybridCost(TypedDict):
    """The cost of a shard group: bytes of model states, and seconds per layer of its collectives."""

    states_bytes: float
    gather_s: float
    reduce_s: float


def hybrid_cost(
    *, shard: int, replicate: int, parameters: float, layers: int, bus_bytes_per_s: float, port_bytes_per_s: float,
    step_s: float,
) -> HybridCost:  # fmt: skip
    """Return the model states and the communication per layer for a shard group, with BF16 gathers and FP32 gradients.

        states  = 16 · P / g
        gather  = 2·w · (g-1)/g / β_bus + (g-1) · α
        reduce  = 4·w · (g-1)/g / β_bus + (g-1) · α  +  2 · 4·w/g · (r-1)/r / β_port + 2·(r-1) · α       w = P/L

    The shards are FP32 weights, gradients and both moments of Adam. Gathers and reduce-scatters run in rings over the
    shard group of g GPUs. Then each GPU all-reduces the gradients of its own shard with the r GPUs that hold the same
    shard, through its own port.

    Units:   counts; bytes/s per direction; step_s (α) seconds per step of a ring. Results in bytes and seconds.
    Raises:  ValueError if a count is below 1, parameters or a rate is not positive, or step_s is negative.
    Source:  Zhao et al. 2023, arXiv:2304.11277, section 3.2.2 (hybrid sharding); Thakur et al. 2005, section 4 (rings).

    >>> run = {"parameters": 8e9, "layers": 32, "bus_bytes_per_s": 340e9, "port_bytes_per_s": 50e9, "step_s": 8e-6}
    >>> costs = [hybrid_cost(shard=g, replicate=1024 // g, **run) for g in (8, 64, 1024)]
    >>> [(round(c["states_bytes"] / 1e9, 2), round(c["gather_s"] * 1e3, 2), round(c["reduce_s"] * 1e3, 2)) for c in costs]
    [(16.0, 1.34, 9.62), (2.0, 1.95, 4.23), (0.12, 9.65, 11.12)]
    """
    require_counts(shard=shard, replicate=replicate, layers=layers)
    require_positive(parameters=parameters, bus_bytes_per_s=bus_bytes_per_s, port_bytes_per_s=port_bytes_per_s)
    require_not_negative(step_s=step_s)
    layer_parameters = parameters / layers
    latency_s = (shard - 1) * step_s
    others = (shard - 1) / shard
    replica_s = 2 * 4 * layer_parameters / shard * (replicate - 1) / replicate / port_bytes_per_s
    return {
        "states_bytes": 16 * parameters / shard,
        "gather_s": 2 * layer_parameters * others / bus_bytes_per_s + latency_s,
        "reduce_s": 4 * layer_parameters * others / bus_bytes_per_s
        + latency_s
        + replica_s
        + 2 * (replicate - 1) * step_s,
    }
