"""Tensor parallelism in time: references against passes that were played, and the chain of numbers around one all-reduce."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from solutions import tensor_parallel_time as time
from solutions.oracles import tensor_parallel_time as played

LLAMA_70B: dict[str, Any] = {"hidden": 8192, "layer_parameters": 855_638_016, "flop_per_s": 500e12}
layers = st.fixed_dictionaries(
    {
        "hidden": st.integers(64, 30000),
        "layer_parameters": st.floats(1e6, 1e10),
        "flop_per_s": st.floats(1e12, 1e16),
        "bus_bandwidth_bytes_per_s": st.floats(1e9, 1e13),
    }
)


def test_the_chain_around_112_mebibytes() -> None:
    forward: dict[str, Any] = {"tokens": 4096, "hidden": 8192, "layers": 80, "tp": 8, "span": "forward"}
    at_600, at_100 = (time.traffic_seconds(**forward, bus_bandwidth_bytes_per_s=rate) for rate in (600e9, 100e9))
    assert round(at_600 / 160 * 1e3, 3) == 0.196
    assert round(at_100 * 1e3) == 188
    assert round(2 * at_600 / 0.3, 3) == 0.209  # of 300 ms of compute, forward and backward
    assert round(2 * at_100 / 0.3, 2) == 1.25


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


def test_even_at_equal_bandwidth_a_group_of_16_loses_against_two_of_8() -> None:
    lost = time.throughput_lost(
        **LLAMA_70B, tp=8, bus_bandwidth_bytes_per_s=450e9, wider_tp=16, wider_bandwidth_bytes_per_s=450e9
    )
    assert 0.15 < lost < 0.17


@pytest.mark.parametrize(
    ("function", "wrong"),
    [
        ("largest_tp_under_share", {**LLAMA_70B, "heads": 64, "bus_bandwidth_bytes_per_s": 1, "largest_share": 1}),
    ],
)
def test_what_cannot_be_is_refused(function: str, wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="must"):
        getattr(time, function)(**wrong)
