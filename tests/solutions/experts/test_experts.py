"""Experts: counts, capacity, traffic, memory and compute, against what is played, and at their edges."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solutions.experts import expert_capacity, expert_memory, expert_traffic
from solutions.oracles.experts import expert_capacity as played_capacity
from solutions.oracles.experts import expert_memory as played_memory
from solutions.oracles.experts import expert_traffic as played_traffic
from solutions.oracles.shapes import moe as listed
from solutions.shapes import moe
from solutions.zero.zero import state_bytes_per_gpu


@given(
    layers=st.integers(2, 5), dense_layers=st.integers(0, 2), experts=st.integers(2, 9), shared_experts=st.integers(0, 2),
    mlp_matrices=st.sampled_from([2, 3]), biases=st.booleans(), router_bias=st.booleans(), chosen=st.integers(1, 2),
)  # fmt: skip
def test_counts_are_those_of_all_tensors_one_by_one(layers: int, experts: int, chosen: int, **rest: Any) -> None:
    shape: dict[str, Any] = {
        "layers": layers, "hidden": 6, "attention_parameters": 100, "experts": experts, "expert_ffn_hidden": 5,
        "vocabulary": 11, "ffn_hidden": 13, **rest,
    }  # fmt: skip
    assert moe.total_parameters(**shape) == listed.total_parameters(**shape)
    assert moe.total_parameters(**shape, tied=True) == listed.total_parameters(**shape, tied=True)
    for vocabulary_matrices in (0, 1, 2):
        case = {**shape, "experts_per_token": chosen, "vocabulary_matrices": vocabulary_matrices}
        assert moe.active_parameters(**case) == listed.active_parameters(**case)


def test_routed_and_all_other_parameters_make_the_whole() -> None:
    shape: dict[str, Any] = {"layers": 7, "hidden": 16, "experts": 8, "expert_ffn_hidden": 12, "dense_layers": 2}
    routed = moe.routed_parameters(**shape)
    assert routed == listed.routed_parameters(**shape) == 5 * 8 * 3 * 16 * 12
    with_experts = moe.total_parameters(**shape, attention_parameters=50, vocabulary=10, ffn_hidden=9)
    active = moe.active_parameters(**shape, attention_parameters=50, vocabulary=10, ffn_hidden=9, experts_per_token=2)
    assert with_experts - routed == active - routed // 4
    with pytest.raises(ValueError, match="7 of 7 layers cannot be dense"):
        moe.routed_parameters(**{**shape, "dense_layers": 7})


def test_one_expert_a_token_meets_one_node_and_all_experts_all_nodes() -> None:
    assert expert_traffic.expected_nodes(experts=64, experts_per_token=1, nodes=8) == pytest.approx(1)
    assert expert_traffic.expected_nodes(experts=64, experts_per_token=64, nodes=8) == pytest.approx(8)
    with pytest.raises(ValueError, match="evenly over 5 nodes"):
        expert_traffic.expected_nodes(experts=64, experts_per_token=2, nodes=5)
    with pytest.raises(ValueError, match="65 of 64"):
        expert_traffic.expected_nodes(experts=64, experts_per_token=65, nodes=8)


@pytest.mark.parametrize("gpus", [2, 4, 8, 16])
@pytest.mark.parametrize("k", [1, 2])
def test_cutting_experts_sends_more_and_breaks_even_above_one(gpus: int, k: int) -> None:
    case: dict[str, Any] = {
        "gpus": gpus, "experts_per_token": k, "expert_ffn_hidden": 14336, "flop_per_s": 4e14, "bytes_per_s": 3.6e11,
    }  # fmt: skip
    even = expert_traffic.break_even_imbalance(**case)
    assert even == pytest.approx(played_traffic.break_even_imbalance(**case))
    for imbalance, word in ((even * 0.999, "whole"), (even * 1.001, "cut")):
        if imbalance >= 1:
            assert expert_traffic.quicker_split(imbalance=imbalance, **case) == word
            assert played_traffic.quicker_split(imbalance=imbalance, **case) == word
    assert (even == pytest.approx(1)) == (k == gpus)


def test_gathering_is_not_compared_where_it_sends_less() -> None:
    with pytest.raises(ValueError, match="8 copies of a token are more than 4 GPUs"):
        expert_traffic.break_even_imbalance(
            gpus=4, experts_per_token=8, expert_ffn_hidden=768, flop_per_s=4e14, bytes_per_s=3.6e11
        )
    with pytest.raises(ValueError, match="group of 1"):
        expert_traffic.exchange_over_all_reduce(experts_per_token=2, ep=8, tp=1)


def test_deepseek_v3_hides_nearly_thirteen_experts_behind_four_nodes() -> None:
    case: dict[str, Any] = {"port_bytes_per_s": 50e9, "nvlink_bytes_per_s": 160e9}
    assert expert_traffic.experts_behind_the_port(**case, node_limit=1) == pytest.approx(3.2)
    assert expert_traffic.experts_behind_the_port(**case, node_limit=4) == pytest.approx(12.8)
    assert played_traffic.experts_behind_the_port(**case, node_limit=4) == pytest.approx(12.8)


@pytest.mark.parametrize("stage", [0, 1, 2, 3])
@pytest.mark.parametrize("ep", [1, 2, 8, 64])
def test_states_are_those_in_the_table_of_owners(ep: int, stage: int) -> None:
    case: dict[str, Any] = {"dense_parameters": 1.6e9, "routed_parameters": 45.1e9, "dp": 64, "ep": ep, "stage": stage}
    found = expert_memory.mixture_state_bytes(**case)
    assert found == pytest.approx(played_memory.mixture_state_bytes(**case))
    dense = state_bytes_per_gpu(parameters=1.6e9, gpus=64, stage=stage)
    assert found == pytest.approx(dense + state_bytes_per_gpu(parameters=45.1e9 / ep, gpus=64 // ep, stage=stage))
    if stage == 3:
        assert found == pytest.approx(16 * 46.7e9 / 64)  # everything is sharded over all ranks, whatever ep is


def test_the_smallest_degree_fits_and_the_next_smaller_does_not() -> None:
    case: dict[str, Any] = {"dense_parameters": 1.6e9, "routed_parameters": 45.1e9, "experts": 8, "dp": 64}
    for room in (40e9, 60e9, 70e9, 200e9):
        ep = expert_memory.smallest_ep(**case, room_bytes=room)
        assert ep == played_memory.smallest_ep(**case, room_bytes=room)
    assert expert_memory.smallest_ep(**case, room_bytes=200e9) == 1
    with pytest.raises(ValueError, match="no degree fits"):
        expert_memory.smallest_ep(**case, room_bytes=1e9)
    with pytest.raises(ValueError, match="3 expert-parallel ranks must divide the 64"):
        expert_memory.expert_replicas(dp=64, ep=3)


@given(
    loads=st.lists(st.integers(0, 60), min_size=2, max_size=9).filter(any),
    percent=st.sampled_from([100, 110, 125, 150, 200]),
)
def test_each_expert_above_the_limit_gets_as_many_copies_as_it_needs(loads: list[int], percent: int) -> None:
    limit = percent / 100
    extra = expert_capacity.redundant_experts(loads=loads, limit=limit)
    assert extra == played_capacity.redundant_experts(loads=loads, limit=limit)
    assert (extra == 0) == (expert_capacity.load_imbalance(loads=loads) <= limit + 1e-9)
    with pytest.raises(ValueError, match="limit"):
        expert_capacity.redundant_experts(loads=loads, limit=0)
