"""References of the mixture against their oracles, at their limits, and against DeepSeek-V3's own run."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solutions.capstone import mixture, mixture_memory, mixture_step
from solutions.oracles.capstone import mixture as counted
from solutions.oracles.capstone import mixture_memory as held
from solutions.oracles.capstone import mixture_step as played

V3: dict[str, Any] = {"parameters": 671e9, "routed_parameters": 654e9, "stages": 16, "dp": 128, "ep": 64}


@given(
    half=st.integers(2, 8), per_stage=st.integers(2, 6), work_ms=st.integers(30, 300), share=st.integers(1, 60),
)  # fmt: skip
def test_dualpipes_bubble_and_step_are_those_of_the_schedule_on_a_clock(
    half: int, per_stage: int, work_ms: int, share: int
) -> None:
    times: dict[str, Any] = {"work_s": work_ms / 1e3, "exchange_s": work_ms * share / 1e5, "stages": 2 * half}
    bubble = mixture_step.dualpipe_bubble_seconds(**times)
    assert bubble == pytest.approx(played.dualpipe_bubble_seconds(**times))
    step: dict[str, Any] = {**times, "bubble_s": bubble, "micro_batches": 2 * half * per_stage}
    assert mixture_step.dualpipe_step_seconds(**step) == pytest.approx(played.dualpipe_step_seconds(**step))
    plain: dict[str, Any] = {**times, "micro_batches": 2 * half * per_stage}
    exposed = mixture_step.exposed_step_seconds(**plain)
    assert exposed == pytest.approx(played.exposed_step_seconds(**plain))
    assert mixture_step.dualpipe_step_seconds(**step) < exposed


@given(stages=st.sampled_from([4, 8, 16]), micro_batches=st.integers(20, 60), exchange_ms=st.integers(1, 90))
def test_hidden_exchange_and_bubble_make_up_what_dualpipe_saves(
    stages: int, micro_batches: int, exchange_ms: int
) -> None:
    work_s, exchange_s, even = 0.15, exchange_ms / 1e3, 2 * micro_batches
    times: dict[str, Any] = {"work_s": work_s, "exchange_s": exchange_s, "stages": stages}
    bubble = mixture_step.dualpipe_bubble_seconds(**times)
    pipeline = mixture_step.dualpipe_step_seconds(**times, bubble_s=bubble, micro_batches=even)
    exposed = mixture_step.exposed_step_seconds(**times, micro_batches=even)
    run: dict[str, Any] = {
        "exchange_s": exchange_s, "stages": stages, "micro_batches": even, "exposed_s": exposed, "pipeline_s": pipeline
    }  # fmt: skip
    share = mixture_step.hidden_share(**run)
    assert share == pytest.approx(played.hidden_share(**run))
    assert (1 - share) * (exposed - pipeline) == pytest.approx((stages - 1) * (work_s + exchange_s) - bubble)


@given(ep=st.sampled_from([2, 4, 8, 16]), spread=st.integers(1, 8), stages=st.sampled_from([2, 4, 8]))
def test_states_and_rings_count_every_gpu_that_holds_a_stage(ep: int, spread: int, stages: int) -> None:
    run: dict[str, Any] = {
        "parameters": 5e11, "routed_parameters": 4.7e11, "stages": stages, "dp": ep * spread, "ep": ep
    }  # fmt: skip
    assert mixture_memory.dualpipe_state_bytes(**run) == pytest.approx(held.dualpipe_state_bytes(**run))
    port: dict[str, Any] = {**run, "port_bytes_per_s": 40e9}
    assert mixture_step.two_ring_sync_seconds(**port) == pytest.approx(played.two_ring_sync_seconds(**port))


@given(nodes=st.integers(1, 9), limit=st.integers(1, 9))
def test_a_token_leaves_for_every_node_of_its_choice_but_its_own(nodes: int, limit: int) -> None:
    case: dict[str, Any] = {"tokens": 4096, "hidden": 7168, "node_limit": min(limit, nodes), "nodes": nodes}
    seconds = mixture_step.limited_exchange_seconds(**case, port_bytes_per_s=50e9)
    assert seconds == pytest.approx(played.limited_exchange_seconds(**case, port_bytes_per_s=50e9))
    assert (seconds == 0) == (nodes == 1)


@given(layers=st.integers(3, 9), dense=st.integers(1, 2), experts=st.integers(4, 9), shared=st.integers(1, 2))
def test_weights_work_and_activations_are_those_counted_one_by_one(
    layers: int, dense: int, experts: int, shared: int
) -> None:
    layer: dict[str, Any] = {
        "attention_weights": 900, "hidden": 16, "expert_ffn_hidden": 12, "experts": experts, "shared_experts": shared
    }  # fmt: skip
    weights = mixture.mixture_layer_weights(**layer)
    assert weights == counted.mixture_layer_weights(**layer)
    model: dict[str, Any] = {"layers": layers, "dense_layers": dense, "hidden": 16, "vocabulary": 50}
    whole: dict[str, Any] = {**model, "layer_weights": weights, "attention_weights": 900, "ffn_hidden": 40}
    parameters = mixture.mixture_parameters(**whole)
    assert parameters == counted.mixture_parameters(**whole)
    used: dict[str, Any] = {
        **model, "parameters": parameters, "expert_ffn_hidden": 12, "experts": experts, "experts_per_token": 3
    }  # fmt: skip
    active = mixture.multiplied_parameters(**used)
    assert active == counted.multiplied_parameters(**used)
    work: dict[str, Any] = {
        "active_parameters": active, "tokens": 640, "layers": layers, "sequence_length": 64, "heads": 4,
        "score_dim": 6, "value_dim": 4,
    }  # fmt: skip
    assert mixture.step_work_flop(**work) == pytest.approx(counted.step_work_flop(**work))
    rates: dict[str, Any] = {**work, "gpus": 3, "weight_flop_per_s": 6e5, "attention_flop_per_s": 4e5}
    assert mixture.two_rate_seconds(**rates) == pytest.approx(counted.two_rate_seconds(**rates))
    kept: dict[str, Any] = {
        "tokens": 64, "other_bytes": 300, "hidden": 16, "expert_ffn_hidden": 12, "experts_per_token": 3,
        "shared_experts": shared,
    }  # fmt: skip
    assert mixture_memory.kept_layer_bytes(**kept) == held.kept_layer_bytes(**kept)


def test_a_gpu_of_dualpipe_holds_one_micro_batch_more_than_there_are_stages() -> None:
    run: dict[str, Any] = {"state_bytes": 23e9, "layer_bytes": 0.6e9, "layers": 61, "stages": 16}
    assert mixture_memory.dualpipe_peak_bytes(**run) == pytest.approx(held.dualpipe_peak_bytes(**run))
    assert mixture_memory.dualpipe_peak_bytes(**run) == pytest.approx(23e9 + 17 * 61 / 16 * 0.6e9)


def test_deepseek_v3_comes_within_two_per_cent_of_its_own_step() -> None:
    """Use the lesson's rates: 525 and 375 TFLOP/s, and a port of 45 GB/s."""
    tokens = 15360 * 4096
    compute = mixture.two_rate_seconds(
        active_parameters=36.62e9, tokens=tokens, layers=61, sequence_length=4096, heads=128, score_dim=192,
        value_dim=128, gpus=2048, weight_flop_per_s=525e12, attention_flop_per_s=375e12,
    )  # fmt: skip
    exchange = mixture_step.limited_exchange_seconds(
        tokens=4096, hidden=7168, node_limit=4, nodes=8, port_bytes_per_s=45e9
    )
    times: dict[str, Any] = {"work_s": compute / 120, "exchange_s": 58 / 16 * exchange, "stages": 16}
    bubble = mixture_step.dualpipe_bubble_seconds(**times)
    pipeline = mixture_step.dualpipe_step_seconds(**times, bubble_s=bubble, micro_batches=120)
    step = mixture_step.synced_step_seconds(
        pipeline_s=pipeline, sync_s=mixture_step.two_ring_sync_seconds(**V3, port_bytes_per_s=45e9)
    )
    assert step == pytest.approx(19.926, rel=0.02)
    hours = mixture_step.gpu_hours_per_trillion(step_s=step, gpus=2048, batch_tokens=tokens)
    assert mixture_step.mixture_rent_dollars(
        hours_per_trillion=hours, tokens=14.8e12, dollars_per_gpu_hour=2
    ) == pytest.approx(5.328e6, rel=0.02)


STEP: dict[str, Any] = {"work_s": 3, "exchange_s": 2, "bubble_s": 21, "stages": 16, "micro_batches": 120}


@pytest.mark.parametrize(
    ("name", "case", "says"),
    [
        ("dualpipe_step_seconds", STEP | {"micro_batches": 31}, "an even number"),
        ("dualpipe_step_seconds", STEP | {"micro_batches": 30}, "at least 32"),
        ("dualpipe_step_seconds", STEP | {"exchange_s": 3.1}, "longer than two thirds"),
        ("dualpipe_bubble_seconds", {"work_s": 3, "exchange_s": 2, "stages": 7}, "an even number"),
        (
            "limited_exchange_seconds",
            {"tokens": 1, "hidden": 1, "node_limit": 5, "nodes": 4, "port_bytes_per_s": 1},
            "5 of 4 nodes",
        ),
        (
            "hidden_share",
            {"exchange_s": 1, "stages": 8, "micro_batches": 8, "exposed_s": 9, "pipeline_s": 8},
            "saves nothing",
        ),
        (
            "hidden_share",
            {"exchange_s": 1, "stages": 8, "micro_batches": 20, "exposed_s": 8, "pipeline_s": 8},
            "saves nothing",
        ),
    ],
)
def test_a_run_that_cannot_be_is_refused(name: str, case: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        getattr(mixture_step, name)(**case)


@pytest.mark.parametrize(
    ("name", "case", "says"),
    [
        ("multiplied_parameters", {
            "parameters": 1e3, "layers": 4, "dense_layers": 1, "hidden": 8, "expert_ffn_hidden": 8, "experts": 4,
            "experts_per_token": 2, "vocabulary": 9,
        }, "fewer than the unused"),
        ("multiplied_parameters", {
            "parameters": 1e9, "layers": 4, "dense_layers": 1, "hidden": 8, "expert_ffn_hidden": 8, "experts": 4,
            "experts_per_token": 5, "vocabulary": 9,
        }, "5 of 4 experts"),
        ("mixture_parameters", {
            "layer_weights": 9, "attention_weights": 9, "layers": 3, "dense_layers": 3, "hidden": 8, "ffn_hidden": 8,
            "vocabulary": 9,
        }, "3 dense layers"),
    ],
)  # fmt: skip
def test_a_model_that_cannot_be_is_refused(name: str, case: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        getattr(mixture, name)(**case)


@pytest.mark.parametrize(
    ("change", "says"),
    [({"ep": 48}, "48 expert-parallel ranks"), ({"routed_parameters": 671e9}, "are not fewer")],
)
def test_groups_that_cannot_be_are_refused(change: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        mixture_memory.dualpipe_state_bytes(**V3 | change)
    with pytest.raises(ValueError, match=says):
        mixture_step.two_ring_sync_seconds(**V3 | change, port_bytes_per_s=1)


def test_a_token_may_use_every_expert_and_one_parameter_has_to_be_left() -> None:
    shape = {"layers": 2, "dense_layers": 1, "hidden": 8, "expert_ffn_hidden": 8, "experts": 4, "vocabulary": 9}
    assert mixture.multiplied_parameters(parameters=1e3, experts_per_token=4, **shape) == 1e3 - 9 * 8
    unused = 3 * 8 * 8 + 9 * 8
    assert mixture.multiplied_parameters(parameters=unused + 1, experts_per_token=3, **shape) == 1
    with pytest.raises(ValueError, match="fewer than the unused"):
        mixture.multiplied_parameters(parameters=unused, experts_per_token=3, **shape)


def test_a_single_pair_of_micro_batches_hides_one_exchange() -> None:
    case = {"exchange_s": 0.5, "stages": 2, "exposed_s": 4.0, "pipeline_s": 2.0}
    assert mixture_step.hidden_share(micro_batches=4, **case) == 0.25
