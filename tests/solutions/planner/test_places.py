"""Where the groups of the axes sit: counted rank by rank."""

from __future__ import annotations

import pytest

from solutions.planner.judging import Cluster, Layout
from solutions.planner.places import places


@pytest.mark.parametrize(
    ("gpus_per_node", "layout"),
    [
        (8, Layout(tp=8, cp=2, pp=4, dp=4)), (8, Layout(tp=2, cp=2, pp=2, dp=32, ep=8)), (8, Layout(tp=16, dp=16)),
        (72, Layout(tp=4, pp=2, dp=18)), (256, Layout(tp=4, cp=8, dp=8)), (4, Layout(tp=2, dp=64, ep=16, expert_tp=2)),
    ],
)  # fmt: skip
def test_a_group_is_in_the_nodes_of_its_ranks(gpus_per_node: int, layout: Layout) -> None:
    gpus = layout.tp * layout.cp * layout.pp * layout.dp
    for place in places(Cluster("H100-80GB", gpus, gpus_per_node), layout):
        nodes = {rank // gpus_per_node for rank in place.ranks}
        assert len(place.ranks) == place.size == place.inside * place.nodes and max(place.ranks) < gpus
        assert len(nodes) == place.nodes


def test_an_axis_of_one_rank_has_no_place() -> None:
    assert places(Cluster("H100-80GB", 8), Layout(dp=1)) == ()
