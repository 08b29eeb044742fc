"""Strides, places, groups and servers of ranks against an array with a side for each axis."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drawing import a_quarter_at_once
from solutions.layout import rank_grid
from solutions.oracles.layout import rank_grid as laid

ORDERS = ["-".join(names) for names in permutations(rank_grid.AXES)]
degrees = st.sampled_from([1, 2, 3, 4, 8])
grids = st.fixed_dictionaries(
    {"order": st.sampled_from(ORDERS), "tp": degrees, "cp": degrees, "pp": degrees, "dp": degrees}
)
LLAMA: dict[str, Any] = {"order": "tp-cp-pp-dp", "tp": 8, "cp": 1, "pp": 16, "dp": 128}
MEGATRON: dict[str, Any] = {**LLAMA, "order": "tp-cp-dp-pp"}


def size(grid: dict[str, Any]) -> int:
    return int(grid["tp"] * grid["cp"] * grid["pp"] * grid["dp"])


@settings(deadline=None, max_examples=a_quarter_at_once(80))
@given(grid=grids, axis=st.sampled_from(rank_grid.AXES), share=st.floats(0, 0.999), on=st.sampled_from([1, 4, 8, 72]))
def test_the_grid_is_that_of_an_array(grid: dict[str, Any], axis: str, share: float, on: int) -> None:
    rank = int(share * size(grid))
    assert rank_grid.stride(axis=axis, **grid) == laid.stride(axis=axis, **grid)
    assert rank_grid.place(rank=rank, axis=axis, **grid) == laid.place(rank=rank, axis=axis, **grid)
    assert rank_grid.group(rank=rank, axis=axis, **grid) == laid.group(rank=rank, axis=axis, **grid)
    case = {"axis": axis, "gpus_per_node": on, **grid}
    assert rank_grid.servers_of_group(**case) == laid.servers_of_group(**case)


@settings(deadline=None, max_examples=a_quarter_at_once(80))
@given(grid=grids, share=st.floats(0, 0.999), stages_on=st.sampled_from([-2, -1, 1, 2]))
def test_a_neighbouring_stage_is_found_by_walking(grid: dict[str, Any], share: float, stages_on: int) -> None:
    case = {"rank": int(share * size(grid)), "stages_on": stages_on, "gpus_per_node": 8, **grid}
    stage = rank_grid.place(rank=case["rank"], axis="pp", **grid)
    if 0 <= stage + stages_on < grid["pp"]:
        assert rank_grid.server_of_stage(**case) == laid.server_of_stage(**case)
    else:
        with pytest.raises(ValueError, match="stages_on must be a whole number from"):
            rank_grid.server_of_stage(**case)


@settings(deadline=None, max_examples=a_quarter_at_once(40))
@given(grid=grids, axis=st.sampled_from(rank_grid.AXES))
def test_the_groups_of_an_axis_share_out_all_ranks(grid: dict[str, Any], axis: str) -> None:
    groups = {rank_grid.group(rank=rank, axis=axis, **grid) for rank in range(size(grid))}
    assert sorted(rank for members in groups for rank in members) == list(range(size(grid)))
    assert {len(members) for members in groups} == {grid[axis]}


def test_stages_are_a_server_apart_in_llama_3_and_thousands_of_ranks_in_megatrons_default() -> None:
    assert rank_grid.stride(axis="pp", **LLAMA) == 8
    assert rank_grid.stride(axis="pp", **MEGATRON) == 1024
    assert rank_grid.stride(axis="dp", **LLAMA) == 128
    assert rank_grid.group(rank=5, axis="tp", **LLAMA) == tuple(range(8))
    assert rank_grid.servers_of_group(axis="tp", gpus_per_node=8, **LLAMA) == 1
    assert rank_grid.servers_of_group(axis="pp", gpus_per_node=8, **LLAMA) == 16
