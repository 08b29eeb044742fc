"""Activation memory: GPT layers, stages, recomputation, logits and the peak of a step, against counts and plays."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solutions.activations import activations, gpt_activations, loss_memory, recompute, stage_memory, step_memory
from solutions.oracles.activations import activations as activations_engine
from solutions.oracles.activations import gpt_activations as gpt_engine
from solutions.oracles.activations import loss_memory as loss_engine
from solutions.oracles.activations import recompute as recompute_engine
from solutions.oracles.activations import stage_memory as stage_engine
from solutions.oracles.activations import step_memory as step_engine

LLAMA: dict[str, Any] = {"hidden": 4096, "ffn_hidden": 14336, "heads": 32, "kv_heads": 8}
GPT3: dict[str, Any] = {"micro_batch": 1, "sequence": 2048, "hidden": 12288, "heads": 96}

counts = st.integers(1, 64)
sizes = st.integers(1, 10**9).map(float)


def same(first: float, second: float) -> bool:
    return math.isclose(first, second, rel_tol=1e-9)


@given(
    micro_batch=counts, sequence=st.integers(1, 9000), vocabulary=st.integers(1, 300_000), stages=st.integers(1, 9),
    tp=st.sampled_from([1, 2, 8]),
)  # fmt: skip
def test_what_lies_outside_the_layers_is_listed(
    micro_batch: int, sequence: int, vocabulary: int, stages: int, tp: int
) -> None:
    case = {
        "micro_batch": micro_batch,
        "sequence": sequence,
        "hidden": 4096,
        "vocabulary": vocabulary,
        "stages": stages,
    }
    assert same(
        gpt_activations.outside_the_layers_bytes(**case, tp=tp), gpt_engine.outside_the_layers_bytes(**case, tp=tp)
    )
    kept = {"micro_batch": micro_batch, "sequence": sequence, "hidden": 4096, "in_flight": stages}
    assert same(gpt_activations.stage_output_bytes(**kept), gpt_engine.stage_output_bytes(**kept))


@given(
    room=st.floats(1e9, 1e12), layers=counts, heads=st.sampled_from([16, 64]), micro_batch=st.integers(1, 8),
    tp=st.sampled_from([1, 2, 8]), recompute_kind=st.sampled_from(gpt_activations.RECOMPUTE),
)  # fmt: skip
def test_the_longest_sequence_fills_the_room(
    room: float, layers: int, heads: int, micro_batch: int, tp: int, recompute_kind: str
) -> None:
    case: dict[str, Any] = {
        "room_bytes": room, "layers": layers, "hidden": heads * 96, "heads": heads, "micro_batch": micro_batch, "tp": tp,
        "recompute": recompute_kind,
    }  # fmt: skip
    assert same(gpt_activations.longest_sequence(**case), gpt_engine.longest_sequence(**case))


def test_selective_recomputation_saves_70_and_65_per_cent() -> None:
    assert round(gpt_activations.score_share(sequence=2048, hidden=12288, heads=96), 2) == 0.70
    assert round(gpt_activations.score_share(sequence=2048, hidden=20480, heads=128), 2) == 0.65
    assert same(
        gpt_activations.score_share(sequence=2048, hidden=12288, heads=96),
        gpt_engine.score_share(sequence=2048, hidden=12288, heads=96),
    )


@given(
    stages=st.integers(2, 12),
    stage_layers=st.integers(1, 16),
    plain=st.integers(10**9, 10**11),
    more=st.integers(1, 60),
)
def test_the_fewest_virtual_stages_are_found_by_dealing(stages: int, stage_layers: int, plain: int, more: int) -> None:
    room = plain + plain * more // 100
    case: dict[str, Any] = {
        "stages": stages, "stage_layers": stage_layers, "plain_bytes": plain, "room_bytes": room,
    }  # fmt: skip
    try:
        expected = stage_engine.smallest_virtual_stages(**case)
    except ValueError:
        with pytest.raises(ValueError, match="no interleaving"):
            stage_memory.smallest_virtual_stages(**case)
        return
    assert stage_memory.smallest_virtual_stages(**case) == expected


def test_an_interleaving_that_just_fits_fits() -> None:
    case: dict[str, Any] = {"stages": 2, "stage_layers": 4, "plain_bytes": 4.0, "room_bytes": 5.0}
    assert stage_memory.smallest_virtual_stages(**case) == stage_engine.smallest_virtual_stages(**case) == 2


@given(plain=st.floats(0.1, 100), ratio=st.floats(1, 3))
def test_an_overhead_is_what_an_hour_loses(plain: float, ratio: float) -> None:
    times = {"plain_s": plain, "recomputed_s": ratio * plain}
    added = recompute.time_overhead(**times)
    assert math.isclose(added, recompute_engine.time_overhead(**times), rel_tol=1e-6, abs_tol=1e-9)


@given(layers=st.integers(1, 130), inputs=sizes, kept=sizes, flying=st.integers(1, 16))
def test_the_best_group_is_found_by_playing_all(layers: int, inputs: float, kept: float, flying: int) -> None:
    case: dict[str, Any] = {"layers": layers, "input_bytes": inputs, "layer_bytes": kept, "in_flight": flying}
    for every in (every for every in range(1, layers + 1) if layers % every == 0):
        assert same(recompute.grouped_bytes(every=every, **case), recompute_engine.grouped_bytes(every=every, **case))
    assert recompute.best_group(**case) == recompute_engine.best_group(**case)


def test_equal_sizes_give_the_square_root() -> None:
    for root in (2, 5, 8, 12):
        assert recompute.best_group(layers=root * root, input_bytes=1, layer_bytes=1) == root


@given(layers=st.integers(1, 130), kept=st.integers(2, 10**9), part=st.floats(0.01, 0.5), room=st.floats(0.01, 1.2))
def test_layers_to_recompute_are_found_one_by_one(layers: int, kept: int, part: float, room: float) -> None:
    case: dict[str, Any] = {
        "layers": layers, "layer_bytes": float(kept), "input_bytes": max(1.0, kept * part) if kept > 2 else 1.0,
        "room_bytes": room * layers * kept,
    }  # fmt: skip
    try:
        expected = recompute_engine.layers_to_recompute(**case)
    except ValueError:
        with pytest.raises(ValueError, match="do not fit"):
            recompute.layers_to_recompute(**case)
        return
    assert recompute.layers_to_recompute(**case) == expected


@given(
    part=st.sampled_from(recompute.PARTS), sequence=st.integers(1, 200_000), kv_heads=st.sampled_from([1, 4, 8]),
    group=st.integers(1, 8), ffn_hidden=st.integers(1, 60_000), causal=st.booleans(),
)  # fmt: skip
def test_flop_for_a_byte_are_those_of_the_operations(
    part: str, sequence: int, kv_heads: int, group: int, ffn_hidden: int, causal: bool
) -> None:
    heads = kv_heads * group
    case: dict[str, Any] = {
        "part": part, "sequence": sequence, "hidden": 128 * heads, "ffn_hidden": ffn_hidden, "heads": heads,
        "kv_heads": kv_heads, "causal": causal,
    }  # fmt: skip
    assert same(recompute.flop_per_byte(**case), recompute_engine.flop_per_byte(**case))


@pytest.mark.parametrize("chunk", [1, 2, 8, 16])
@pytest.mark.parametrize("tp", [1, 4])
def test_a_chunk_that_just_fits_fits(chunk: int, tp: int) -> None:
    case = {"tokens": 16, "vocabulary": 1000, "room_bytes": chunk * 10 * 1000 / tp, "tp": tp}
    assert loss_memory.loss_chunks(**case) == loss_engine.loss_chunks(**case) == 16 // chunk


@given(
    layers=st.integers(1, 40), kept=sizes, gradient=sizes, loss=st.integers(0, 10**10), again=st.integers(0, 10**9),
    update=st.integers(0, 10**10),
)  # fmt: skip
def test_the_peak_of_a_played_step_is_in_one_of_four_moments(
    layers: int, kept: float, gradient: float, loss: int, again: int, update: int
) -> None:
    step: dict[str, Any] = {
        "layers": layers, "kept_layer_bytes": kept, "layer_gradient_bytes": gradient, "loss_bytes": float(loss),
        "recomputed_layer_bytes": float(again), "update_bytes": float(update),
    }  # fmt: skip
    held = {moment: step_memory.moment_bytes(moment=moment, **step) for moment in step_memory.MOMENTS}
    for moment, size in held.items():
        assert same(size, step_engine.moment_bytes(moment=moment, **step))
    ranked = sorted(held.values())
    assert same(ranked[-1], max(sum(entry[2].values()) for entry in step_engine.play_step(**step).log))
    if ranked[-1] > ranked[-2] * (1 + 1e-9):
        assert step_memory.peak_moment(**step) == step_engine.peak_moment(**step)


@pytest.mark.parametrize(
    ("kept", "loss", "fullest"), [(2.0, 1.0, "loss"), (0.5, 0.5, "backward starts")], ids=["a tie", "no update"]
)
def test_nothing_is_recomputed_or_updated_unless_it_is_said(kept: float, loss: float, fullest: str) -> None:
    step: dict[str, Any] = {"layers": 1, "kept_layer_bytes": kept, "layer_gradient_bytes": 1.0, "loss_bytes": loss}
    assert step_memory.peak_moment(**step) == fullest
    for moment in step_memory.MOMENTS:
        without = step_engine.moment_bytes(moment=moment, **step, recomputed_layer_bytes=0.0, update_bytes=0.0)
        assert step_memory.moment_bytes(moment=moment, **step) == without


def test_one_layer_on_one_gpu_keeps_what_a_layer_keeps() -> None:
    held = gpt_activations.first_stage_bytes(**GPT3, layers=1)
    assert held == gpt_activations.layer_bytes(**GPT3)


def test_logits_of_less_than_a_byte_are_counted_too() -> None:
    case: dict[str, Any] = {**LLAMA, "tokens": 1, "layers": 2, "recomputed_layers": 0, "vocabulary": 1, "tp": 16}
    assert same(activations.peak_activation_bytes(**case), activations_engine.peak_activation_bytes(**case))


def test_the_last_number_of_stages_is_tried_too() -> None:
    case: dict[str, Any] = {"weight_bytes": 640, "activation_bytes": 1, "tp": 1, "memory_bytes": 11}
    assert activations.smallest_pipeline(**case) == 64
    with pytest.raises(ValueError, match="32 stages are too few"):
        activations.smallest_pipeline(**case, max_stages=32)


@pytest.mark.parametrize(
    ("function", "case", "why"),
    [
        (activations.layer_activation_bytes, {**LLAMA, "tokens": 1, "tp": 1, "kv_heads": 5}, "5 KV heads the heads"),
        (
            recompute.layers_to_recompute,
            {"layers": 2, "layer_bytes": 1, "input_bytes": 1, "room_bytes": 1},
            "more than its input",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(function: Any, case: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        function(**case)
