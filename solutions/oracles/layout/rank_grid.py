"""The grid of ranks, laid out: all ranks in an array with a side for each axis, in which groups are lines."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray


@lru_cache(maxsize=256)
def _grid(order: str, sizes: tuple[tuple[str, int], ...]) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    """Names of the sides, outermost first, and the ranks, numbered along the innermost side."""
    degrees = dict(sizes)
    names = tuple(reversed(order.split("-")))
    if set(names) != set(degrees) or len(names) != len(degrees):
        raise ValueError("order must name each axis once")
    shape = [degrees[name] for name in names]
    return names, np.arange(int(np.prod(shape))).reshape(shape)


def _laid(order: str, **degrees: int) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    return _grid(order, tuple(sorted(degrees.items())))


def _line(rank: int, axis: str, order: str, **degrees: int) -> tuple[NDArray[np.int64], int]:
    """All ranks on the line of the axis through a rank, and the rank's place on it."""
    names, ranks = _laid(order, **degrees)
    found = np.unravel_index(rank, ranks.shape)
    side = names.index(axis)
    line = np.moveaxis(ranks, side, -1)[tuple(place for at, place in enumerate(found) if at != side)]
    return line, int(found[side])


def stride(*, axis: str, order: str, tp: int, cp: int, pp: int, dp: int) -> int:
    """Make the axis at least two long, and see how far the second rank on it is from the first."""
    degrees = {"tp": tp, "cp": cp, "pp": pp, "dp": dp}
    line, _ = _line(0, axis, order, **{**degrees, axis: max(2, degrees[axis])})
    return int(line[1] - line[0])


def place(*, rank: int, axis: str, order: str, tp: int, cp: int, pp: int, dp: int) -> int:
    """Look the rank up in the array."""
    return _line(rank, axis, order, tp=tp, cp=cp, pp=pp, dp=dp)[1]


def group(*, rank: int, axis: str, order: str, tp: int, cp: int, pp: int, dp: int) -> tuple[int, ...]:
    """Read the line of the array."""
    return tuple(int(member) for member in _line(rank, axis, order, tp=tp, cp=cp, pp=pp, dp=dp)[0])


def server_of_stage(
    *, rank: int, stages_on: int, gpus_per_node: int, order: str, tp: int, cp: int, pp: int, dp: int
) -> int:
    """Walk along the pipeline's line, and look for the node with that rank on it."""
    line, stage = _line(rank, "pp", order, tp=tp, cp=cp, pp=pp, dp=dp)
    wanted = {at: int(member) for at, member in enumerate(line)}[stage + stages_on]
    server, first = 0, 0
    while not first <= wanted < first + gpus_per_node:
        server, first = server + 1, first + gpus_per_node
    return server


def servers_of_group(*, axis: str, gpus_per_node: int, order: str, tp: int, cp: int, pp: int, dp: int) -> int:
    """Mark the group in a row of all GPUs, cut the row into nodes, and count those with a mark."""
    line, _ = _line(0, axis, order, tp=tp, cp=cp, pp=pp, dp=dp)
    row = np.zeros(-(-tp * cp * pp * dp // gpus_per_node) * gpus_per_node, dtype=bool)
    row[line] = True
    return int(row.reshape(-1, gpus_per_node).any(axis=1).sum())
