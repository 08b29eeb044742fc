"""Experts: counts, capacity, traffic, memory and compute, against what is played, and at their edges."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solutions.experts import expert_capacity, expert_compute, expert_memory, expert_traffic
from solutions.oracles.experts import expert_capacity as played_capacity
from solutions.oracles.experts import expert_compute as played_compute
from solutions.oracles.experts import expert_memory as played_memory
from solutions.oracles.experts import expert_traffic as played_traffic
from solutions.oracles.shapes import moe as listed
from solutions.shapes import models, moe
from solutions.zero.zero import state_bytes_per_gpu

LOADS = st.lists(st.integers(0, 5000), min_size=2, max_size=12).filter(any)


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


@given(
    tokens=st.integers(1, 9000), experts=st.integers(1, 70), k=st.integers(1, 8), factor=st.sampled_from([1.0, 1.1, 1.25, 1.5, 2.0])
)  # fmt: skip
def test_capacity_is_the_least_room_for_what_the_factor_asks(tokens: int, experts: int, k: int, factor: float) -> None:
    case: dict[str, Any] = {
        "tokens": tokens,
        "experts": experts,
        "experts_per_token": k,
        "capacity_factor": factor,
    }
    assert expert_capacity.expert_capacity(**case) == played_capacity.expert_capacity(**case)


def test_a_factor_that_is_no_binary_fraction_does_not_buy_a_place_more() -> None:
    assert (
        expert_capacity.expert_capacity(tokens=8000, experts=8, experts_per_token=1, capacity_factor=1.1) == 1100
    )  # 1100.0000000000002 in floats


@given(loads=LOADS, factor=st.sampled_from([1.0, 1.1, 1.25, 1.5, 2.0, 4.0]))
def test_dropped_copies_are_those_that_are_turned_away(loads: list[int], factor: float) -> None:
    dropped = expert_capacity.dropped_copies(loads=loads, capacity_factor=factor)
    assert dropped == played_capacity.dropped_copies(loads=loads, capacity_factor=factor)
    assert 0 <= dropped <= sum(loads)


@given(loads=LOADS)
def test_the_imbalance_is_the_least_factor_that_drops_nothing(loads: list[int]) -> None:
    factor = expert_capacity.load_imbalance(loads=loads)
    assert factor == pytest.approx(played_capacity.load_imbalance(loads=loads))
    assert expert_capacity.dropped_copies(loads=loads, capacity_factor=factor) == 0
    if max(loads) > 1 and factor > 1:
        assert expert_capacity.dropped_copies(loads=loads, capacity_factor=factor * (1 - 1.01 / max(loads))) > 0


def test_the_least_factor_keeps_to_the_limit_and_smaller_ones_do_not() -> None:
    case: dict[str, Any] = {"loads": [900, 500, 400, 200], "factors": [2.0, 1.0, 1.25, 1.5]}
    found = {
        limit: expert_capacity.least_factor(**case, largest_dropped_share=limit) for limit in (0.01, 0.1, 0.15, 0.3)
    }
    assert found == {0.01: 2.0, 0.1: 1.5, 0.15: 1.25, 0.3: 1.0}
    assert all(
        played_capacity.least_factor(**case, largest_dropped_share=limit) == factor for limit, factor in found.items()
    )
    with pytest.raises(ValueError, match="drops more than 1%"):
        expert_capacity.least_factor(loads=[9, 1], factors=[1.0], largest_dropped_share=0.01)


@given(loads=st.lists(st.integers(1, 5000), min_size=12, max_size=12), ep=st.sampled_from([2, 3, 4, 6]))
def test_ranks_are_filled_and_experts_exchanged_as_played(loads: list[int], ep: int) -> None:
    ranks = expert_capacity.rank_loads(loads=loads, ep=ep)
    assert ranks == played_capacity.rank_loads(loads=loads, ep=ep)
    case: dict[str, Any] = {"loads": loads, "ep": ep}
    peaks = []
    for find in (expert_capacity.best_swap, played_capacity.best_swap):
        first, second = (int(part) for part in find(**case).split(" and ")) if "-1" not in find(**case) else (0, 0)
        peaks.append(expert_capacity.swapped_peak(**case, first=first, second=second))
        assert peaks[-1] == played_capacity.swapped_peak(**case, first=first, second=second)
    assert peaks[0] == peaks[1] <= max(ranks)


def test_loads_are_refused_that_are_none() -> None:
    for bad in ([], [0, 0], [-1, 3]):
        with pytest.raises(ValueError, match="loads"):
            expert_capacity.load_imbalance(loads=bad)
    with pytest.raises(ValueError, match="3 experts cannot be shared out evenly over 2"):
        expert_capacity.rank_loads(loads=[1, 2, 3], ep=2)
    with pytest.raises(ValueError, match="second must be a whole number from 0 to 3, not 4"):
        expert_capacity.swapped_peak(loads=[1, 2, 3, 4], ep=2, first=0, second=4)


@given(k=st.integers(1, 9), ep=st.sampled_from([1, 2, 8, 64]), tp=st.sampled_from([2, 4, 8]))
def test_an_exchange_sends_what_leaves_a_rank(k: int, ep: int, tp: int) -> None:
    case: dict[str, Any] = {"tokens": 4096, "hidden": 512, "experts_per_token": k, "ep": ep}
    sent = expert_traffic.exchange_bytes(**case, bytes_per_element=1)
    assert sent == pytest.approx(played_traffic.exchange_bytes(**case, bytes_per_element=1))
    step = expert_traffic.step_exchange_bytes(**case, layers=3, bytes_per_element=1)
    assert step == pytest.approx(12 * sent)
    assert step == pytest.approx(played_traffic.step_exchange_bytes(**case, layers=3, bytes_per_element=1))
    ratio = expert_traffic.exchange_over_all_reduce(experts_per_token=k, ep=ep, tp=tp)
    assert ratio == pytest.approx(played_traffic.exchange_over_all_reduce(experts_per_token=k, ep=ep, tp=tp))
    assert ratio == pytest.approx(sent / (2 * 4096 * 512 * (tp - 1) / tp))


@given(held=st.integers(1, 20), nodes=st.integers(1, 8), k=st.integers(1, 8))
def test_nodes_met_are_the_mean_over_all_choices(held: int, nodes: int, k: int) -> None:
    k = min(k, held * nodes)
    case: dict[str, Any] = {"experts": held * nodes, "experts_per_token": k, "nodes": nodes}
    met = expert_traffic.expected_nodes(**case)
    assert met == pytest.approx(played_traffic.expected_nodes(**case))
    assert met * (1 + 1e-12) >= 1
    assert met <= min(k, nodes) * (1 + 1e-12)
    assert expert_traffic.saved_share(**case) == pytest.approx(played_traffic.saved_share(**case), abs=1e-12)
    sizes: dict[str, Any] = {**case, "tokens": 10, "hidden": 7}
    assert expert_traffic.port_bytes(**sizes) == pytest.approx(played_traffic.port_bytes(**sizes))


def test_one_expert_a_token_meets_one_node_and_all_experts_all_nodes() -> None:
    assert expert_traffic.expected_nodes(experts=64, experts_per_token=1, nodes=8) == pytest.approx(1)
    assert expert_traffic.expected_nodes(experts=64, experts_per_token=64, nodes=8) == pytest.approx(8)
    with pytest.raises(ValueError, match="evenly over 5 nodes"):
        expert_traffic.expected_nodes(experts=64, experts_per_token=2, nodes=5)
    with pytest.raises(ValueError, match="65 of 64"):
        expert_traffic.expected_nodes(experts=64, experts_per_token=65, nodes=8)


@given(
    width=st.sampled_from([768, 2048, 14336]), ep=st.sampled_from([2, 8, 64]), flop=st.sampled_from([2e14, 4e14]),
    rate=st.sampled_from([25e9, 50e9, 360e9]), ratio=st.sampled_from([0.25, 0.5, 1.0]),
)  # fmt: skip
def test_a_thin_expert_computes_less_than_it_exchanges(
    width: int, ep: int, flop: float, rate: float, ratio: float
) -> None:
    links: dict[str, Any] = {"ep": ep, "flop_per_s": flop, "bytes_per_s": rate}
    found = expert_traffic.exchange_over_compute(**links, expert_ffn_hidden=width)
    assert found == pytest.approx(played_traffic.exchange_over_compute(**links, expert_ffn_hidden=width))
    wider: dict[str, Any] = {**links, "expert_ffn_hidden": width, "hidden": 4096, "experts_per_token": 8}
    assert expert_traffic.exchange_over_compute(**wider) == pytest.approx(found)  # both cancel
    assert played_traffic.exchange_over_compute(**wider) == pytest.approx(found)
    thinnest = expert_traffic.thinnest_expert(**links, largest_ratio=ratio)
    assert thinnest == played_traffic.thinnest_expert(**links, largest_ratio=ratio)
    assert expert_traffic.exchange_over_compute(**links, expert_ffn_hidden=thinnest) <= ratio
    assert expert_traffic.exchange_over_compute(**links, expert_ffn_hidden=thinnest - 1) > ratio


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


@pytest.mark.parametrize("dense", ["Mistral-7B", "Llama-3-8B"])
@pytest.mark.parametrize("experts", [1, 2, 16])
def test_an_upcycled_model_is_the_mixture_of_its_shape_but_for_the_routers(dense: str, experts: int) -> None:
    layers, hidden, ffn = (getattr(models, name)(model=dense) for name in ("layers", "hidden", "ffn_hidden"))
    case: dict[str, Any] = {"layers": layers, "hidden": hidden, "experts": experts}
    found = moe.upcycled_parameters(parameters=models.parameters(model=dense), ffn_hidden=ffn, **case)
    whole = moe.total_parameters(
        attention_parameters=models.attention_parameters(model=dense), expert_ffn_hidden=ffn,
        vocabulary=models.vocabulary(model=dense), **case,
    )  # fmt: skip
    assert found == whole - layers * hidden * experts
    assert found == listed.upcycled_parameters(parameters=models.parameters(model=dense), ffn_hidden=ffn, **case)
    for wrong in ({"experts": 0}, {"layers": 0}, {"hidden": 0}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            moe.upcycled_parameters(parameters=1e9, ffn_hidden=ffn, **{**case, **wrong})
    with pytest.raises(ValueError, match="parameters"):
        moe.upcycled_parameters(parameters=0, ffn_hidden=ffn, **case)


def test_as_many_experts_as_fit_and_not_one_more() -> None:
    case: dict[str, Any] = {"other_parameters": 1.6e9, "layers": 32, "hidden": 4096, "expert_ffn_hidden": 14336}
    found = moe.most_experts(**case, room_bytes=64 * 40e9)
    assert found == listed.most_experts(**case, room_bytes=64 * 40e9)
    one = moe.routed_parameters(layers=32, hidden=4096, experts=1, expert_ffn_hidden=14336)
    assert 16 * (1.6e9 + found * one) <= 64 * 40e9 < 16 * (1.6e9 + (found + 1) * one)
    with pytest.raises(ValueError, match="not even one"):
        moe.most_experts(**case, room_bytes=16 * 2e9)
    with pytest.raises(ValueError, match=r"imbalance must be at least 1, the mean, not 0.9"):
        expert_traffic.quicker_split(
            imbalance=0.9, gpus=8, experts_per_token=2, expert_ffn_hidden=9, flop_per_s=1, bytes_per_s=1
        )


@pytest.mark.parametrize("model", ["Mixtral-8x7B", "DeepSeek-V3", "Qwen3-30B-A3B"])
def test_a_published_mixture_is_counted_from_its_shape_alone(model: str) -> None:
    counted = listed.model_active_parameters(model=model, vocabulary_matrices=1)
    assert models.active_parameters(model=model, vocabulary_matrices=1) == counted


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


def test_with_zero_1_the_optimizer_of_the_experts_does_not_depend_on_ep() -> None:
    case: dict[str, Any] = {"dense_parameters": 1e9, "routed_parameters": 32e9, "dp": 32}
    without = [expert_memory.mixture_state_bytes(**case, ep=ep) - 4 * 32e9 / ep for ep in (1, 4, 32)]
    assert without == pytest.approx([without[0]] * 3)


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


@pytest.mark.parametrize("ep", [1, 2, 16, 32])
def test_gradients_go_around_two_rings(ep: int) -> None:
    case: dict[str, Any] = {"dense_parameters": 2e9, "routed_parameters": 30e9, "dp": 32, "ep": ep}
    found = expert_memory.gradient_bytes_sent(**case, bytes_per_gradient=4)
    assert found == pytest.approx(played_memory.gradient_bytes_sent(**case, bytes_per_gradient=4))
    if ep == 32:  # each expert is on one GPU only
        assert found == pytest.approx(2 * 4 * 2e9 * 31 / 32)


@pytest.mark.parametrize("ep", [1, 8, 64])
def test_a_larger_group_fills_each_expert_better(ep: int) -> None:
    case: dict[str, Any] = {"experts": 128, "experts_per_token": 8, "ep": ep}
    assert expert_compute.tokens_per_expert(**case, tokens=1024) == 64 * ep
    assert played_compute.tokens_per_expert(**case, tokens=1024) == 64 * ep
    chip = {"peak_flop_per_s": 989e12, "memory_bytes_per_s": 3.35e12}
    shape: dict[str, Any] = {**case, **chip, "hidden": 4096, "expert_ffn_hidden": 1536}
    tokens = expert_compute.micro_batch_that_fills(**shape)
    assert tokens == played_compute.micro_batch_that_fills(**shape)
    with pytest.raises(ValueError, match="evenly over 3 ranks"):
        expert_compute.micro_batch_that_fills(**{**shape, "ep": 3})
    with pytest.raises(ValueError, match="stays memory-bound"):
        expert_compute.micro_batch_that_fills(**{**shape, "hidden": 256, "expert_ffn_hidden": 256})
    with pytest.raises(ValueError, match="evenly over 3 ranks"):
        expert_compute.tokens_per_expert(**{**case, "ep": 3}, tokens=5)
