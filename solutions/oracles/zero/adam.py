"""What Adam keeps of a whole model: rows of the ownership table of ZeRO, added up for a single rank that shards nothing."""

from __future__ import annotations

from ..search import smallest
from .zero import Tensor, adam_tensors, counted


def weight_bytes(*, parameters: float, bytes_per_weight: float = 2) -> float:
    """The weights' row of the table."""
    rows = [row for row in adam_tensors(weight=bytes_per_weight) if row.name == "weight"]
    return counted(parameters, 1, 0, rows)


def parameters_in(*, weight_bytes: float, bytes_per_weight: float = 2) -> float:
    """Search the model whose row of weights has this many bytes."""

    def fills(parameters: int) -> bool:
        return counted(parameters, 1, 0, [Tensor("weight", bytes_per_weight, 3)]) >= weight_bytes

    return smallest(fills, largest=1 << 60)


def optimizer_bytes(*, parameters: float, bytes_per_master: float = 4, bytes_per_moment: float = 4) -> float:
    """The rows of the optimizer: master copy and both moments."""
    rows = adam_tensors(master=bytes_per_master, moment=bytes_per_moment)
    return counted(parameters, 1, 0, [row for row in rows if row.sharded_from == 1])


def optimizer_to_weight_ratio(
    *, bytes_per_weight: float, bytes_per_master: float = 4, bytes_per_moment: float = 4
) -> float:
    """Fill the table for a model of a thousand weights, and divide the optimizer's rows by that of the weights."""
    states = optimizer_bytes(parameters=1000, bytes_per_master=bytes_per_master, bytes_per_moment=bytes_per_moment)
    return states / weight_bytes(parameters=1000, bytes_per_weight=bytes_per_weight)


def replica_state_bytes(
    *,
    parameters: float,
    bytes_per_weight: float = 2,
    bytes_per_gradient: float = 2,
    bytes_per_master: float = 4,
    bytes_per_moment: float = 4,
) -> float:
    """All rows of the table, on a single rank that shards nothing."""
    rows = adam_tensors(
        weight=bytes_per_weight, gradient=bytes_per_gradient, master=bytes_per_master, moment=bytes_per_moment
    )
    return counted(parameters, 1, 0, rows)


def optimizer_width(*, optimizer_bytes: float, parameters: float) -> int:
    """Lay out tables whose optimizer is one, two, three ... bytes wide, and take the one nearest to the size."""
    misses = {}
    for width in range(1, 33):
        rows = [Tensor("states of the optimizer", width, 1)]
        misses[abs(counted(parameters, 1, 0, rows) - optimizer_bytes)] = width
    return misses[min(misses)]
