"""Tensor parallelism in time: references against passes that were played, and the chain of numbers around one all-reduce."""

from __future__ import annotations

from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from solutions.oracles.tensor_and_context import tensor_parallel_time as played
from solutions.tensor_and_context import tensor_parallel_time as time


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
