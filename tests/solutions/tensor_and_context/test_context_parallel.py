"""Context parallelism: references against ring attention that was played, pair by pair and hop by hop."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solutions.activations import activations
from solutions.oracles.tensor_and_context import context_parallel as played
from solutions.tensor_and_context import context_parallel as cp

LLAMA_8B = {"layers": 32, "hidden": 4096, "ffn_hidden": 14336, "heads": 32, "kv_heads": 8}
degrees = st.integers(1, 24)
layouts = st.sampled_from(["contiguous", "head and tail"])


@pytest.mark.parametrize("layout", ["contiguous", "head and tail"])
@pytest.mark.parametrize(("degree", "heads", "kv_heads"), [(1, 2, 1), (2, 4, 4), (4, 4, 2), (5, 6, 2)])
def test_ring_attention_is_attention(degree: int, heads: int, kv_heads: int, layout: str) -> None:
    assert played.play_ring(4 * degree, heads, kv_heads, degree, layout).right


@pytest.mark.parametrize(
    "module",
    [
        cp,
    ],
)
def test_at_one_degree_both_exchanges_send_the_same(module: Any) -> None:
    with pytest.raises(ValueError, match="same"):
        module.lighter_exchange(heads=32, kv_heads=8, cp=5)


@given(
    rate=st.floats(1e13, 1e16), bandwidth=st.floats(1e9, 1e12), kv_heads=st.integers(1, 8), sharing=st.integers(1, 16),
    share=st.floats(0.1, 1),
)  # fmt: skip
def test_with_these_tokens_a_played_ring_stops_waiting(
    rate: float, bandwidth: float, kv_heads: int, sharing: int, share: float
) -> None:
    case: dict[str, Any] = {
        "flop_per_s": rate, "bandwidth_bytes_per_s": bandwidth, "heads": kv_heads * sharing, "kv_heads": kv_heads,
        "pairs_share": share,
    }  # fmt: skip
    assert math.isclose(cp.tokens_to_hide_hops(**case), played.tokens_to_hide_hops(**case), rel_tol=1e-9)


@given(chunk=st.integers(1, 500), degree=degrees, layout=layouts, data=st.data())
def test_the_pairs_of_a_block_are_counted_and_those_of_all_hops_are_all(
    chunk: int, degree: int, layout: str, data: st.DataObject
) -> None:
    case: dict[str, Any] = {"tokens": 2 * chunk * degree, "cp": degree, "layout": layout}
    rank, hop = data.draw(st.integers(0, degree - 1)), data.draw(st.integers(0, degree - 1))
    assert cp.block_pairs(**case, rank=rank, hop=hop) == played.block_pairs(**case, rank=rank, hop=hop)
    all_hops = sum(cp.block_pairs(**case, rank=rank, hop=number) for number in range(degree))
    assert all_hops == cp.causal_pairs(**case, rank=rank)


@given(chunk=st.integers(1, 1000), degree=degrees)
def test_head_and_tail_chunks_give_every_rank_the_same_work(chunk: int, degree: int) -> None:
    case: dict[str, Any] = {"tokens": 2 * chunk * degree, "cp": degree, "layout": "head and tail"}
    work = {cp.causal_pairs(**case, rank=rank) for rank in range(degree)}
    assert len(work) == 1
    tokens = 2 * chunk * degree
    assert work.pop() * degree == tokens * (tokens + 1) // 2


def test_what_just_fits_fits() -> None:
    token = 32 * activations.layer_activation_bytes(tokens=1, hidden=4096, ffn_hidden=14336, heads=32, kv_heads=8, tp=8)
    case: dict[str, Any] = {**LLAMA_8B, "tp": 8, "room_bytes": token}
    assert cp.longest_context(**case, cp=4) == played.longest_context(**case, cp=4) == 4
    assert cp.smallest_cp(**case, tokens=8) == played.smallest_cp(**case, tokens=8, max_cp=256) == 8
    assert cp.smallest_cp(**case, tokens=8, max_cp=8) == 8
