"""The grid of ranks: how the axes of a layout number its GPUs, who is in a group with whom, and how many nodes that takes."""

from __future__ import annotations

from ..facts.arguments import require_counts, require_index

AXES = ("tp", "cp", "pp", "dp")


def stride(*, axis: str, order: str, tp: int, cp: int, pp: int, dp: int) -> int:
    """Distance in rank between two neighbours on an axis.

        stride = product of the degrees of all axes further in

    `order` names the axes from the innermost, whose neighbours have consecutive ranks, to the outermost: "tp-cp-pp-dp".

    Units:   degrees are counts. Result is a difference of ranks.
    Raises:  ValueError if a degree is below 1, the order does not name each of tp, cp, pp and dp once, or the axis is none of them.
    Source:  Llama Team 2024, arXiv:2407.21783, section 3.3.2 ([TP, CP, PP, DP]); Megatron-LM, megatron/core/parallel_state.py,
             `order` of initialize_model_parallel (default tp-cp-ep-dp-pp).

    >>> [stride(axis="pp", order=order, tp=8, cp=2, pp=16, dp=64) for order in ("tp-cp-pp-dp", "tp-cp-dp-pp")]
    [16, 1024]
    """
    degrees = {"tp": tp, "cp": cp, "pp": pp, "dp": dp}
    require_counts(**degrees)
    names = order.split("-")
    if sorted(names) != sorted(AXES):
        raise ValueError(f"order must name each of {', '.join(AXES)} once, not {order!r}")
    if axis not in AXES:
        raise ValueError(f"axis must be one of {', '.join(AXES)}, not {axis!r}")
    distance = 1
    for name in names[: names.index(axis)]:
        distance *= degrees[name]
    return distance


def place(*, rank: int, axis: str, order: str, tp: int, cp: int, pp: int, dp: int) -> int:
    """Place of a rank on an axis, counted from 0: its pipeline stage, its replica, its slice of the matrices.

        place = ⌊rank / stride⌋ mod degree

    Units:   counts. Result is from 0 to the degree less 1.
    Raises:  ValueError as `stride`, or if the rank is not from 0 to the number of GPUs less 1.
    Source:  as `stride`.

    >>> place(rank=16383, axis="pp", order="tp-cp-pp-dp", tp=8, cp=1, pp=16, dp=128)
    15
    """
    distance = stride(axis=axis, order=order, tp=tp, cp=cp, pp=pp, dp=dp)
    require_index(below=tp * cp * pp * dp, rank=rank)
    return rank // distance % {"tp": tp, "cp": cp, "pp": pp, "dp": dp}[axis]


def group(*, rank: int, axis: str, order: str, tp: int, cp: int, pp: int, dp: int) -> tuple[int, ...]:
    """Ranks that differ from a rank on one axis alone, the rank among them, ascending.

        group = first, first + stride, ..., first + (degree - 1) · stride,   first = rank - place · stride

    Units:   counts. Result is a tuple of ranks.
    Raises:  ValueError as `place`.
    Source:  as `stride`.

    >>> group(rank=11, axis="cp", order="tp-cp-pp-dp", tp=4, cp=4, pp=2, dp=2)
    (3, 7, 11, 15)
    """
    degrees = {"tp": tp, "cp": cp, "pp": pp, "dp": dp}
    distance = stride(axis=axis, order=order, **degrees)
    first = rank - place(rank=rank, axis=axis, order=order, **degrees) * distance
    return tuple(range(first, first + degrees[axis] * distance, distance))


def server_of_stage(
    *, rank: int, stages_on: int, gpus_per_node: int, order: str, tp: int, cp: int, pp: int, dp: int
) -> int:
    """Node, counted from 0, of the rank that is some pipeline stages further on and equal on all other axes.

        server = ⌊(rank + stages_on · stride of pp) / gpus_per_node⌋

    A stage receives activations from the stage before it (stages_on = -1) and gradients from the one after it (+1).

    Units:   counts; stages_on may be negative. Nodes hold consecutive ranks.
    Raises:  ValueError as `place`, if gpus_per_node is below 1, or if the pipeline has no such stage.
    Source:  as `stride`.

    >>> server_of_stage(rank=100, stages_on=-1, gpus_per_node=8, order="tp-cp-pp-dp", tp=8, cp=2, pp=4, dp=8)
    10
    """
    require_counts(gpus_per_node=gpus_per_node)
    degrees = {"tp": tp, "cp": cp, "pp": pp, "dp": dp}
    stage = place(rank=rank, axis="pp", order=order, **degrees)
    if stages_on not in range(-stage, pp - stage):
        raise ValueError(f"stages_on must be a whole number from {-stage} to {pp - 1 - stage}, not {stages_on!r}")
    return (rank + stages_on * stride(axis="pp", order=order, **degrees)) // gpus_per_node


def servers_of_group(*, axis: str, gpus_per_node: int, order: str, tp: int, cp: int, pp: int, dp: int) -> int:
    """Nodes, or NVLink domains, that the first group of an axis spans.

        servers = ⌊(degree - 1) · stride / gpus_per_node⌋ + 1   where stride ≤ gpus_per_node, else degree

    Units:   counts; nodes hold consecutive ranks.
    Raises:  ValueError as `stride`, or if gpus_per_node is below 1.
    Source:  as `stride`.

    >>> [servers_of_group(axis="cp", gpus_per_node=size, order="tp-cp-pp-dp", tp=8, cp=8, pp=4, dp=4) for size in (8, 72)]
    [8, 1]
    """
    require_counts(gpus_per_node=gpus_per_node)
    members = group(rank=0, axis=axis, order=order, tp=tp, cp=cp, pp=pp, dp=dp)
    return len({rank // gpus_per_node for rank in members})
