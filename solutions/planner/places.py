"""Placement of the groups of each axis of a layout: on neighbouring GPUs, in one node, or across nodes."""

from __future__ import annotations

from dataclasses import dataclass

from ..layout.rank_grid import stride
from .links import spread
from .shapes import Cluster, Layout

ORDER = "tp-cp-dp-pp"  # innermost axis first, as data_seconds and hop_seconds count


@dataclass(frozen=True)
class Place:
    """A group of one axis: its size, its stride, its ranks per node, and its number of nodes."""

    axis: str
    size: int
    stride: int
    inside: int
    nodes: int

    @property
    def ranks(self) -> tuple[int, ...]:
        """Return the group that rank 0 is in."""
        return tuple(range(0, self.size * self.stride, self.stride))


def places(cluster: Cluster, layout: Layout) -> tuple[Place, ...]:
    """Return the placement of each axis that has more than one rank.

    TP is the innermost axis, followed by CP, DP and PP. Experts are sharded over TP, CP and DP together.

    Source:  the order of planner_data.data_seconds and planner_time; Megatron-LM's is the same, tp-cp-ep-dp-pp.

    >>> [(place.axis, place.inside, place.nodes) for place in places(Cluster("H100-80GB", 64), Layout(tp=4, dp=8, pp=2))]
    [('tp', 4, 1), ('dp', 2, 4), ('pp', 1, 2)]
    """
    degrees = {"tp": layout.tp, "cp": layout.cp, "pp": layout.pp, "dp": layout.dp}
    strides = {axis: stride(axis=axis, order=ORDER, **degrees) for axis in degrees}
    sizes = {"tp": layout.tp, "cp": layout.cp, "ep": layout.ep, "dp": layout.dp, "pp": layout.pp}
    strides["ep"] = layout.expert_tp
    return tuple(
        Place(axis, size, strides[axis], *spread(cluster, size=size, stride=strides[axis]))
        for axis, size in sizes.items()
        if size > 1
    )
