"""Fully sharded training: references against played steps, which send, wait and hold memory, and their limits."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solutions.oracles.zero import fsdp as played
from solutions.ring import ring
from solutions.zero import fsdp, zero

B = 10**9
parameter_counts = st.integers(10**6, 2 * 10**12)
gpu_counts = st.integers(1, 600)
widths = st.sampled_from([1, 2, 4])


def same(first: float, second: float) -> bool:
    return math.isclose(first, second, rel_tol=1e-9, abs_tol=1e-12)


@given(parameters=parameter_counts, gpus=gpu_counts, gathers=st.sampled_from([1, 2]), gradient=widths)
def test_a_sharded_step_gathers_weights_and_scatters_gradients(
    parameters: int, gpus: int, gathers: int, gradient: int
) -> None:
    case = {"parameters": parameters, "gpus": gpus, "weight_gathers": gathers, "bytes_per_gradient": gradient}
    assert same(fsdp.sharded_step_bytes(**case), played.sharded_step_bytes(**case))


def test_a_sharded_step_with_16_bit_gradients_is_zero_3_or_zero_2() -> None:
    case = {"parameters": 7 * B, "gpus": 64}
    for gathers, stage in ((2, 3), (1, 2)):
        sent = fsdp.sharded_step_bytes(**case, weight_gathers=gathers, bytes_per_gradient=2)
        assert sent == zero.step_traffic_bytes(**case, stage=stage)


@given(parameters=parameter_counts, gpus=st.integers(2, 600), count=st.integers(1, 40), off=st.floats(-0.3, 0.3))
def test_a_counter_tells_how_many_micro_batches_a_step_has(parameters: int, gpus: int, count: int, off: float) -> None:
    each = zero.step_traffic_bytes(parameters=parameters, gpus=gpus, stage=3)
    case = {"sent_bytes": (count + off) * each, "parameters": parameters, "gpus": gpus}
    assert fsdp.micro_batches_behind(**case) == played.micro_batches_behind(**case) == count


@given(layers=st.integers(1, 40), gather=st.floats(1e-4, 1), compute=st.floats(1e-4, 1))
def test_a_played_forward_pass_takes_the_longer_of_both_for_all_layers_but_the_last(
    layers: int, gather: float, compute: float
) -> None:
    segments = played.played_forward(layers=layers, gather_s=gather, compute_s=compute)
    assert math.isclose(max(s.end for s in segments), gather + (layers - 1) * max(gather, compute) + compute)
    assert [s.layer for s in segments if s.lane == "computation"] == list(range(1, layers + 1))


@given(rate=st.floats(1e12, 1e16), bandwidth=st.floats(1e9, 1e13), width=widths)
def test_with_these_tokens_a_played_forward_pass_stops_waiting(rate: float, bandwidth: float, width: int) -> None:
    case = {"flop_per_s": rate, "bandwidth_bytes_per_s": bandwidth, "bytes_per_weight": width}
    tokens = fsdp.tokens_to_hide_gathers(**case)
    assert math.isclose(tokens, played.tokens_to_hide_gathers(**case), rel_tol=1e-9)


def test_an_h100_at_its_peak_hides_zero_3_behind_about_2500_tokens_with_eight_ports_and_20000_with_one() -> None:
    ports = [fsdp.tokens_to_hide_gathers(flop_per_s=989e12, bandwidth_bytes_per_s=n * 50e9) for n in (8, 1)]
    assert [round(tokens, -1) for tokens in ports] == [2470, 19780]


@given(parameters=parameter_counts, servers=st.integers(1, 64), each=st.integers(1, 8))
def test_hybrid_sharding_reduces_one_shard_over_the_servers(parameters: int, servers: int, each: int) -> None:
    case = {"parameters": parameters, "servers": servers, "gpus_per_server": each}
    sent = fsdp.hybrid_port_bytes(**case)
    assert same(sent, played.hybrid_port_bytes(**case))
    assert same(sent, ring.bytes_sent_per_gpu(message_bytes=2 * parameters / each, gpus=servers))


@given(parameters=parameter_counts, layers=st.integers(1, 130), gpus=gpu_counts, data=st.data())
def test_the_peak_of_the_formula_is_reached_in_a_played_backward_pass(
    parameters: int, layers: int, gpus: int, data: st.DataObject
) -> None:
    prefetched = data.draw(st.integers(0, layers - 1))
    case = {"parameters": parameters, "layers": layers, "gpus": gpus, "prefetched": prefetched}
    assert same(fsdp.gather_peak_bytes(**case), played.gather_peak_bytes(**case))


def test_gathering_all_layers_at_once_is_no_better_than_whole_weights() -> None:
    peak = fsdp.gather_peak_bytes(parameters=8 * B, layers=32, gpus=64, prefetched=31)
    assert peak == 16 * 8 * B / 64 + 2 * 8 * B + 2 * 8 * B / 32


@given(
    parameters=parameter_counts,
    layers=st.integers(1, 130),
    gpus=gpu_counts,
    activations=st.floats(1e6, 1e10),
    phase=st.sampled_from(["between", "forward", "backward"]),
    data=st.data(),
)
def test_a_played_step_holds_at_each_moment_what_the_formula_says(
    parameters: int, layers: int, gpus: int, activations: float, phase: str, data: st.DataObject
) -> None:
    case = {"parameters": parameters, "layers": layers, "gpus": gpus, "layer_activation_bytes": activations}
    moment = {"phase": phase, "layer": data.draw(st.integers(1, layers))}
    assert same(fsdp.step_memory_bytes(**case, **moment), played.step_memory_bytes(**case, **moment))


def test_most_is_held_when_the_backward_pass_begins_if_activations_are_large() -> None:
    run = {"parameters": 8 * B, "layers": 32, "gpus": 16, "layer_activation_bytes": 0.5e9}
    held = {
        (phase, layer): fsdp.step_memory_bytes(**run, phase=phase, layer=layer)
        for phase in ("forward", "backward")
        for layer in range(1, 33)
    }
    assert max(held, key=lambda moment: held[moment]) == ("backward", 32)


@pytest.mark.parametrize(
    ("function", "wrong"),
    [
        ("sharded_step_bytes", {"parameters": 1, "gpus": 8, "weight_gathers": 0, "bytes_per_gradient": 4}),
        ("tokens_to_hide_gathers", {"flop_per_s": 0, "bandwidth_bytes_per_s": 1}),
        ("micro_batches_behind", {"sent_bytes": 1, "parameters": 1, "gpus": 1}),
        ("hybrid_port_bytes", {"parameters": 1, "servers": 0, "gpus_per_server": 8}),
        ("gather_peak_bytes", {"parameters": 1, "layers": 8, "gpus": 8, "prefetched": 8}),
        (
            "step_memory_bytes",
            {"parameters": 1, "layers": 8, "gpus": 8, "layer_activation_bytes": 1, "phase": "forward", "layer": 9},
        ),
        (
            "step_memory_bytes",
            {"parameters": 1, "layers": 8, "gpus": 8, "layer_activation_bytes": 1, "phase": "update", "layer": 1},
        ),
    ],
)
def test_what_cannot_be_is_refused(function: str, wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="must"):
        getattr(fsdp, function)(**wrong)


def test_the_oracle_refuses_three_gathers() -> None:
    with pytest.raises(ValueError, match="once or twice"):
        played.sharded_step_bytes(parameters=1, gpus=2, weight_gathers=3, bytes_per_gradient=2)
