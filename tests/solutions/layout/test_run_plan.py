"""From a layout to a step: references against engines that play it, their limits, and the plan of a real run."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solutions.capstone import capstone
from solutions.checkpointing.checkpoint_interval import young_interval_seconds
from solutions.layout import run_plan
from solutions.oracles.capstone import capstone as oracle
from solutions.oracles.layout import run_plan as engine
from solutions.oracles.pipeline import pipeline as pipeline_engine
from solutions.oracles.roofline import flops
from solutions.pipeline import pipeline
from solutions.shapes.layer_parameters import layer_parameters

counts = st.integers(1, 64)


def same(first: float, second: float) -> bool:
    return first == pytest.approx(second, rel=1e-9, abs=1e-12)


@given(layers=st.integers(1, 200), stages=counts)
def test_the_fullest_stage_is_the_largest_hand(layers: int, stages: int) -> None:
    if layers < stages:
        with pytest.raises(ValueError, match="stages"):
            run_plan.fullest_stage_layers(layers=layers, stages=stages)
        return
    fullest = run_plan.fullest_stage_layers(layers=layers, stages=stages)
    assert fullest == engine.fullest_stage_layers(layers=layers, stages=stages)
    assert (fullest - 1) * stages < layers <= fullest * stages


@given(
    layers=counts,
    width=counts,
    ffn=counts,
    heads=st.sampled_from([8, 16]),
    tp=st.sampled_from([1, 2, 8]),
    vocabulary=counts,
)
def test_a_plan_by_the_weights_of_a_layer_is_that_by_its_matrices(
    layers: int, width: int, ffn: int, heads: int, tp: int, vocabulary: int
) -> None:
    shape = {"hidden": 16 * width, "ffn_hidden": ffn, "heads": heads, "kv_heads": 8}
    one, hidden = layer_parameters(**shape), shape["hidden"]
    assert run_plan.model_parameters(
        layer_weights=one, layers=layers, vocabulary=vocabulary, hidden=hidden
    ) == oracle.model_parameters(layers=layers, vocabulary=vocabulary, **shape)
    cut = {"stage_layers": layers, "tp": tp, "bytes_per_weight": 2}
    assert same(run_plan.stage_weight_bytes(layer_weights=one, **cut), oracle.stage_weight_bytes(**cut, **shape))
    batch = {"layers": layers, "tokens": 96, "sequence_length": 32, "vocabulary": vocabulary}
    assert run_plan.step_flop(layer_weights=one, hidden=hidden, **batch) == flops.step_flop(**batch, **shape)


def test_a_layer_has_weights() -> None:
    for call in (
        lambda: run_plan.model_parameters(layer_weights=0, layers=1, vocabulary=1, hidden=1),
        lambda: run_plan.stage_weight_bytes(layer_weights=0, stage_layers=1, tp=1, bytes_per_weight=1),
        lambda: run_plan.step_flop(layer_weights=0, layers=1, tokens=1, sequence_length=1, hidden=1, vocabulary=1),
    ):
        with pytest.raises(ValueError, match="layer_weights"):
            call()


@given(states=st.floats(0, 1e12), activations=st.floats(0, 1e12))
def test_a_gpu_holds_states_and_activations(states: float, activations: float) -> None:
    held = run_plan.gpu_bytes(state_bytes=states, activation_bytes=activations)
    assert same(held, engine.gpu_bytes(state_bytes=states, activation_bytes=activations))
    assert held >= max(states, activations)


@given(flop=st.floats(1e15, 1e21), gpus=st.integers(1, 20000), rate=st.floats(1e13, 2e15))
def test_all_gpus_share_the_work(flop: float, gpus: int, rate: float) -> None:
    case: dict[str, Any] = {"step_flop": flop, "achieved_flop_per_s": rate}
    seconds = run_plan.compute_seconds(**case, gpus=gpus)
    if seconds < 1e4:
        assert same(seconds, engine.compute_seconds(**case, gpus=gpus))
    assert same(run_plan.compute_seconds(**case, gpus=2 * gpus), seconds / 2)


@given(busy=st.floats(0.1, 100), stages=st.integers(1, 16), rounds=st.integers(1, 8), sync=st.floats(0, 10))
def test_a_step_is_the_played_pipeline_and_what_traffic_adds_at_its_end(
    busy: float, stages: int, rounds: int, sync: float
) -> None:
    micro_batches = stages * rounds
    idle = pipeline.bubble_idle_fraction(stages=stages, micro_batches=micro_batches)
    case: dict[str, Any] = {"busy_s": busy, "idle": idle, "micro_batches": micro_batches}
    step = run_plan.step_seconds(**case, sync_s=sync)
    assert same(step, engine.step_seconds(**case, sync_s=sync))
    played = pipeline_engine.step_seconds(
        stages=stages, micro_batches=micro_batches, micro_batch_seconds=busy / micro_batches
    )
    assert same(run_plan.step_seconds(**case, sync_s=0), played)
    hides = sync <= busy / micro_batches
    assert (step == run_plan.step_seconds(**case, sync_s=0)) or not hides


@given(weights=st.floats(1e6, 1e11), replicas=st.integers(1, 2000), rate=st.floats(1e9, 1e11))
def test_gradients_and_weights_go_round_the_ring_once_each(weights: float, replicas: int, rate: float) -> None:
    case: dict[str, Any] = {"weight_bytes": weights, "replicas": replicas, "bandwidth_bytes_per_s": rate}
    assert same(run_plan.sync_seconds(**case), engine.sync_seconds(**case))


def test_the_traffic_of_the_405b_run_is_that_of_its_slice() -> None:
    shape = {"hidden": 16384, "ffn_hidden": 53248, "heads": 128, "kv_heads": 8, "stage_layers": 8, "tp": 8}
    weights = capstone.stage_weight_bytes(**shape, bytes_per_weight=2)
    whole = capstone.gradient_sync_seconds(**shape, dp=128, bandwidth_bytes_per_s=50e9)
    assert same(run_plan.sync_seconds(weight_bytes=weights, replicas=128, bandwidth_bytes_per_s=50e9), whole)


@given(write=st.floats(1, 1000), mtbf=st.floats(1e4, 1e6))
def test_youngs_interval_is_where_writing_and_lost_work_cost_the_same(write: float, mtbf: float) -> None:
    assert same(
        young_interval_seconds(write_s=write, mtbf_s=mtbf), engine.young_interval_seconds(write_s=write, mtbf_s=mtbf)
    )


GOOD: dict[str, dict[str, Any]] = {
    "fullest_stage_layers": {"layers": 8, "stages": 4},
    "gpu_bytes": {"state_bytes": 1.0, "activation_bytes": 1.0},
    "compute_seconds": {"step_flop": 1e18, "gpus": 8, "achieved_flop_per_s": 5e14},
    "step_seconds": {"busy_s": 1.0, "idle": 0.2, "micro_batches": 8, "sync_s": 0.1},
    "sync_seconds": {"weight_bytes": 1e9, "replicas": 8, "bandwidth_bytes_per_s": 5e10},
}


@pytest.mark.parametrize(("name", "argument"), [(name, argument) for name, case in GOOD.items() for argument in case])
def test_a_negative_argument_is_refused_by_name(name: str, argument: str) -> None:
    function = getattr(run_plan, name)
    function(**GOOD[name])
    with pytest.raises(ValueError, match=argument):
        function(**{**GOOD[name], argument: -1})
