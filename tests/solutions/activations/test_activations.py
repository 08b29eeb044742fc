"""Activation memory: references against their counts, their limits, and the numbers of the 405B run."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solutions.activations import activations
from solutions.oracles.activations import activations as engine

LLAMA: dict[str, Any] = {"hidden": 16384, "ffn_hidden": 53248, "heads": 128, "kv_heads": 8}


def same(first: float, second: float) -> bool:
    return math.isclose(first, second, rel_tol=1e-9)


@given(
    tokens=st.integers(1, 200_000), kv_heads=st.sampled_from([1, 2, 8]), group=st.integers(1, 16),
    ffn_hidden=st.integers(1, 60_000), tp=st.sampled_from([1, 2, 4, 8]),
)  # fmt: skip
def test_a_layer_keeps_the_tensors_that_its_operations_need_again(
    tokens: int, kv_heads: int, group: int, ffn_hidden: int, tp: int
) -> None:
    heads = kv_heads * group
    case = {"tokens": tokens, "hidden": 128 * heads, "ffn_hidden": ffn_hidden, "heads": heads, "kv_heads": kv_heads}
    held = activations.layer_activation_bytes(**case, tp=tp)
    assert same(held, engine.layer_activation_bytes(**case, tp=tp))
    assert same(held * tp, activations.layer_activation_bytes(**case, tp=1))


@given(stages=st.integers(1, 32), micro_batches=st.integers(1, 80), stage_layers=st.integers(1, 20))
def test_a_followed_schedule_finds_what_is_in_flight(stages: int, micro_batches: int, stage_layers: int) -> None:
    case = {"layer_bytes": 5.3e8, "stage_layers": stage_layers, "stages": stages, "micro_batches": micro_batches}
    assert same(activations.in_flight_bytes(**case), engine.in_flight_bytes(**case))


@given(
    weights=st.floats(1e9, 4e12), kept=st.floats(1e9, 2e12), tp=st.sampled_from([1, 2, 4, 8]),
    memory=st.floats(1e10, 3e11),
)  # fmt: skip
def test_the_smallest_pipeline_is_found_by_filling_all(weights: float, kept: float, tp: int, memory: float) -> None:
    case = {"weight_bytes": weights, "activation_bytes": kept, "tp": tp, "memory_bytes": memory}
    try:
        expected = engine.smallest_pipeline(**case)
    except ValueError:
        with pytest.raises(ValueError, match="too few"):
            activations.smallest_pipeline(**case)
        return
    assert activations.smallest_pipeline(**case) == expected


def test_deeper_pipelines_do_not_relieve_the_first_stage_of_activations() -> None:
    held = {
        stages: activations.in_flight_bytes(
            layer_bytes=5.3e8, stage_layers=128 // stages, stages=stages, micro_batches=64
        )
        for stages in (2, 4, 8, 16, 32)
    }
    assert len(set(held.values())) == 1


def test_405b_at_8k_needs_16_stages_although_its_weights_need_2() -> None:
    layer = activations.layer_activation_bytes(**LLAMA, tokens=8192, tp=1)
    assert round(layer / 1e9, 2) == 4.26
    kept = 126 * layer
    assert round(kept / 8 / 1e9, 1) == 67.1
    run = {"weight_bytes": 2 * 405e9, "tp": 8, "memory_bytes": 76e9}  # 4 GB for buffers and sharded states
    assert activations.smallest_pipeline(**run, activation_bytes=kept) == 16
    assert activations.smallest_pipeline(**run, activation_bytes=1) == 2


@pytest.mark.parametrize(
    ("name", "case", "why"),
    [
        ("layer_activation_bytes", {**LLAMA, "tokens": 0, "tp": 8}, "tokens"),
        ("layer_activation_bytes", {**LLAMA, "heads": 100, "tokens": 1, "tp": 8}, "heads must divide"),
        ("in_flight_bytes", {"layer_bytes": 0, "stage_layers": 1, "stages": 1, "micro_batches": 1}, "layer_bytes"),
        ("in_flight_bytes", {"layer_bytes": 1, "stage_layers": 1, "stages": 1, "micro_batches": 0}, "micro_batches"),
        ("smallest_pipeline", {"weight_bytes": -1, "activation_bytes": 1, "tp": 1, "memory_bytes": 1}, "weight_bytes"),
        ("smallest_pipeline", {"weight_bytes": 1, "activation_bytes": 9, "tp": 1, "memory_bytes": 8}, "too few"),
    ],
)
def test_an_impossible_argument_is_refused(name: str, case: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        getattr(activations, name)(**case)
