"""Tensor parallelism in time: references against passes that were played, and the chain of numbers around one all-reduce."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from solutions.oracles.tensor_and_context import tensor_parallel_time as played
from solutions.tensor_and_context import tensor_parallel_time as time

LLAMA_70B: dict[str, Any] = {"hidden": 8192, "layer_parameters": 855_638_016, "flop_per_s": 500e12}
degrees = st.integers(1, 40)
spans = st.sampled_from(["forward", "step", "step with recompute"])
layers = st.fixed_dictionaries(
    {
        "hidden": st.integers(64, 30000),
        "layer_parameters": st.floats(1e6, 1e10),
        "flop_per_s": st.floats(1e12, 1e16),
        "bus_bandwidth_bytes_per_s": st.floats(1e9, 1e13),
    }
)


@given(tokens=st.integers(1, 10**6), layer_count=st.integers(1, 130), degree=degrees, span=spans)
def test_traffic_takes_the_time_of_what_a_played_layer_sends(
    tokens: int, layer_count: int, degree: int, span: str
) -> None:
    case: dict[str, Any] = {"tokens": tokens, "hidden": 8192, "layers": layer_count, "tp": degree, "span": span}
    case["bus_bandwidth_bytes_per_s"] = 450e9
    assert math.isclose(time.traffic_seconds(**case), played.traffic_seconds(**case), rel_tol=1e-9)


def test_the_chain_around_112_mebibytes() -> None:
    forward: dict[str, Any] = {"tokens": 4096, "hidden": 8192, "layers": 80, "tp": 8, "span": "forward"}
    at_600, at_100 = (time.traffic_seconds(**forward, bus_bandwidth_bytes_per_s=rate) for rate in (600e9, 100e9))
    assert round(at_600 / 160 * 1e3, 3) == 0.196
    assert round(at_100 * 1e3) == 188
    assert round(2 * at_600 / 0.3, 3) == 0.209  # of 300 ms of compute, forward and backward
    assert round(2 * at_100 / 0.3, 2) == 1.25


@given(layer=layers, tokens=st.integers(1, 10**6), count=st.integers(1, 130), degree=degrees, recompute=st.booleans())
def test_a_step_is_played_layer_after_layer(
    layer: dict[str, Any], tokens: int, count: int, degree: int, recompute: bool
) -> None:
    case: dict[str, Any] = {**layer, "tokens": tokens, "layers": count, "tp": degree, "forward_passes": 1 + recompute}
    assert math.isclose(time.step_seconds(**case), played.step_seconds(**case), rel_tol=1e-9)
    span = "step with recompute" if recompute else "step"
    alone = time.step_seconds(**{**case, "bus_bandwidth_bytes_per_s": 1e300})
    overhead = time.overhead_of_compute(**layer, tp=degree, span=span)
    assert math.isclose(time.step_seconds(**case), alone * (1 + overhead), rel_tol=1e-9)


@given(layer=layers, degree=degrees, span=spans)
def test_overhead_and_share_are_two_views_of_one_pass(layer: dict[str, Any], degree: int, span: str) -> None:
    overhead, share = time.overhead_of_compute(**layer, tp=degree), time.share_of_time(**layer, tp=degree)
    assert math.isclose(overhead, played.overhead_of_compute(**layer, tp=degree), rel_tol=1e-9)
    assert math.isclose(share, played.share_of_time(**layer, tp=degree), rel_tol=1e-9, abs_tol=1e-12)
    assert share <= overhead
    assert share <= 1
    in_span = time.overhead_of_compute(**layer, tp=degree, span=span)
    assert math.isclose(in_span, played.overhead_of_compute(**layer, tp=degree, span=span), rel_tol=1e-9)


@given(heads=st.integers(1, 128), hidden=st.integers(1024, 30000), share=st.floats(0.01, 0.9))
def test_the_largest_degree_deals_out_the_heads_and_keeps_the_share(heads: int, hidden: int, share: float) -> None:
    layer: dict[str, Any] = {
        "hidden": hidden, "layer_parameters": 12 * hidden**2, "flop_per_s": 4e14, "bus_bandwidth_bytes_per_s": 3e11,
    }  # fmt: skip
    degree = time.largest_tp_under_share(**layer, heads=heads, largest_share=share)
    shares = {tp: time.share_of_time(**layer, tp=tp) for tp in range(1, heads + 1) if heads % tp == 0}
    assume(all(abs(reached / share - 1) > 1e-9 for reached in shares.values()))
    assert degree == played.largest_tp_under_share(**layer, heads=heads, largest_share=share)
    assert degree == max(tp for tp, reached in shares.items() if reached <= share)


def test_a_degree_that_just_keeps_the_share_is_taken() -> None:
    layer: dict[str, Any] = {"hidden": 1, "layer_parameters": 4, "flop_per_s": 1.0, "bus_bandwidth_bytes_per_s": 1.0}
    assert time.largest_tp_under_share(**layer, heads=2, largest_share=0.5) == 2


@given(layer=layers, narrow=st.integers(1, 16), wide=st.integers(1, 16), rate=st.floats(1e10, 1e12))
def test_what_a_wider_group_loses_is_counted_in_tokens(
    layer: dict[str, Any], narrow: int, wide: int, rate: float
) -> None:
    case: dict[str, Any] = {**layer, "tp": narrow, "wider_tp": wide, "wider_bandwidth_bytes_per_s": rate}
    assert math.isclose(time.throughput_lost(**case), played.throughput_lost(**case), rel_tol=1e-6, abs_tol=1e-9)


def test_even_at_equal_bandwidth_a_group_of_16_loses_against_two_of_8() -> None:
    lost = time.throughput_lost(
        **LLAMA_70B, tp=8, bus_bandwidth_bytes_per_s=450e9, wider_tp=16, wider_bandwidth_bytes_per_s=450e9
    )
    assert 0.15 < lost < 0.17


@given(ffn=st.integers(1, 10**5), rate=st.floats(1e13, 1e16), bandwidth=st.floats(1e10, 1e13))
def test_the_bound_of_the_mlp_is_where_both_take_as_long(ffn: int, rate: float, bandwidth: float) -> None:
    case: dict[str, Any] = {"ffn_hidden": ffn, "flop_per_s": rate, "bandwidth_bytes_per_s": bandwidth}
    assert math.isclose(time.mlp_bound_tp(**case), played.mlp_bound_tp(**case), rel_tol=1e-6)


@given(
    batch=st.floats(1e3, 1e8),
    ffn=st.integers(1000, 10**5),
    gpus=st.integers(2, 10**4),
    axes=st.integers(1, 3),
    tp_axes=st.integers(1, 3),
)
def test_the_balance_is_at_the_foot_of_the_slope(batch: float, ffn: int, gpus: int, axes: int, tp_axes: int) -> None:
    case: dict[str, Any] = {"tokens": batch, "ffn_hidden": ffn, "gpus": gpus, "fsdp_axes": axes, "tp_axes": tp_axes}
    assert math.isclose(time.balanced_fsdp_degree(**case), played.balanced_fsdp_degree(**case), rel_tol=1e-3)


@pytest.mark.parametrize(
    ("function", "wrong"),
    [
        ("overhead_of_compute", {**LLAMA_70B, "tp": 8, "bus_bandwidth_bytes_per_s": 1, "span": "night"}),
        ("largest_tp_under_share", {**LLAMA_70B, "heads": 64, "bus_bandwidth_bytes_per_s": 1, "largest_share": 1}),
        ("balanced_fsdp_degree", {"tokens": 0, "ffn_hidden": 8, "gpus": 8}),
        ("mlp_bound_tp", {"ffn_hidden": 8, "flop_per_s": 0, "bandwidth_bytes_per_s": 1}),
        ("share_of_time", {**LLAMA_70B, "tp": 0, "bus_bandwidth_bytes_per_s": 1}),
    ],
)
def test_what_cannot_be_is_refused(function: str, wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="must"):
        getattr(time, function)(**wrong)


def test_the_oracle_refuses_an_unknown_span() -> None:
    with pytest.raises(ValueError, match="no such span"):
        played.overhead_of_compute(**LLAMA_70B, tp=8, bus_bandwidth_bytes_per_s=1, span="night")
