"""Context parallelism: references against ring attention that was played, pair by pair and hop by hop."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from solutions.activations import activations
from solutions.oracles.tensor_and_context import context_parallel as played
from solutions.tensor_and_context import context_parallel as cp

LLAMA_8B = {"layers": 32, "hidden": 4096, "ffn_hidden": 14336, "heads": 32, "kv_heads": 8}
degrees = st.integers(1, 24)
widths = st.sampled_from([1, 2, 4])
layouts = st.sampled_from(["contiguous", "head and tail"])


def same(first: float, second: float) -> bool:
    return math.isclose(first, second, rel_tol=1e-9, abs_tol=1e-9)


@pytest.mark.parametrize("layout", ["contiguous", "head and tail"])
@pytest.mark.parametrize(("degree", "heads", "kv_heads"), [(1, 2, 1), (2, 4, 4), (4, 4, 2), (5, 6, 2)])
def test_ring_attention_is_attention(degree: int, heads: int, kv_heads: int, layout: str) -> None:
    assert played.play_ring(4 * degree, heads, kv_heads, degree, layout).right


@given(chunk=st.integers(1, 10**5), kv_heads=st.integers(1, 64), head_width=st.integers(1, 256), width=widths)
def test_a_hop_carries_the_keys_and_values_of_a_chunk(chunk: int, kv_heads: int, head_width: int, width: int) -> None:
    case = {"tokens_per_gpu": chunk, "kv_heads": kv_heads, "head_width": head_width, "bytes_per_value": width}
    assert same(cp.hop_bytes(**case), played.hop_bytes(**case))


@given(chunk=st.integers(1, 10**5), kv_heads=st.integers(1, 64), degree=degrees, width=widths)
def test_all_hops_of_a_layer_are_counted(chunk: int, kv_heads: int, degree: int, width: int) -> None:
    case = {"tokens": chunk * degree, "kv_heads": kv_heads, "head_width": 128, "cp": degree, "bytes_per_value": width}
    assert same(cp.exchange_bytes(**case), played.exchange_bytes(**case))


@given(chunk=st.integers(1, 10**4), each=st.integers(1, 4), sharing=st.integers(1, 16), degree=degrees, width=widths)
def test_what_leaves_a_rank_is_counted_head_by_head(
    chunk: int, each: int, sharing: int, degree: int, width: int
) -> None:
    kv_heads = each * degree
    case = {
        "tokens": chunk * degree, "heads": kv_heads * sharing, "kv_heads": kv_heads, "head_width": 64, "cp": degree,
        "bytes_per_value": width,
    }  # fmt: skip
    assert same(cp.all_to_all_bytes(**case), played.all_to_all_bytes(**case))


@given(kv_heads=st.integers(1, 8), sharing=st.integers(1, 16), degree=st.integers(2, 20))
def test_the_lighter_exchange_is_the_one_that_was_played_lighter(kv_heads: int, sharing: int, degree: int) -> None:
    assume(degree != sharing + 1)
    case = {"heads": kv_heads * sharing, "kv_heads": kv_heads, "cp": degree}
    assert cp.lighter_exchange(**case) == played.lighter_exchange(**case)


@pytest.mark.parametrize("module", [cp, played])
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


@given(chunk=st.integers(1, 5000), degree=degrees, layout=layouts, data=st.data())
def test_pairs_are_added_up_query_by_query(chunk: int, degree: int, layout: str, data: st.DataObject) -> None:
    case: dict[str, Any] = {"tokens": 2 * chunk * degree, "cp": degree, "layout": layout}
    rank = data.draw(st.integers(0, degree - 1))
    assert cp.causal_pairs(**case, rank=rank) == played.causal_pairs(**case, rank=rank)


@pytest.mark.parametrize("layout", ["contiguous", "head and tail"])
def test_pairs_are_those_under_the_mask_of_a_played_ring(layout: str) -> None:
    ring = played.play_ring(32, 2, 1, 4, layout)
    for rank, by_hop in enumerate(ring.pairs):
        assert sum(by_hop) == cp.causal_pairs(tokens=32, cp=4, rank=rank, layout=layout)


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


@given(degree=degrees)
def test_the_busiest_rank_has_at_most_twice_the_average(degree: int) -> None:
    factor = cp.slowest_over_average(cp=degree)
    assert same(factor, played.slowest_over_average(cp=degree))
    assert 1 <= factor < 2
    tokens = 10_000 * degree
    case: dict[str, Any] = {"tokens": tokens, "cp": degree, "layout": "contiguous"}
    exact = cp.causal_pairs(**case, rank=degree - 1) * degree / (tokens * (tokens + 1) / 2)
    assert math.isclose(factor, exact, rel_tol=1e-3)


@given(share=st.floats(0.01, 1), degree=degrees)
def test_a_step_waits_for_the_last_chunk_in_every_layer(share: float, degree: int) -> None:
    case: dict[str, Any] = {"attention_share": share, "cp": degree}
    assert math.isclose(
        cp.slowdown_of_contiguous_chunks(**case), played.slowdown_of_contiguous_chunks(**case), abs_tol=1e-9
    )


@given(tokens=st.integers(1, 10**6), degree=degrees, kv_heads=st.integers(1, 8), sharing=st.integers(1, 16))
def test_the_gather_is_timed_against_played_attention(tokens: int, degree: int, kv_heads: int, sharing: int) -> None:
    case: dict[str, Any] = {
        "tokens": tokens, "cp": degree, "heads": kv_heads * sharing, "kv_heads": kv_heads, "flop_per_s": 4e14,
        "bandwidth_bytes_per_s": 5e10,
    }  # fmt: skip
    assert same(cp.gather_over_attention(**case), played.gather_over_attention(**case))


@given(tokens=st.integers(1, 2**21), tp=st.sampled_from([1, 2, 4, 8]), room=st.floats(1e9, 1e11))
def test_the_smallest_degree_fits_and_half_of_it_does_not(tokens: int, tp: int, room: float) -> None:
    case: dict[str, Any] = {**LLAMA_8B, "tokens": tokens, "tp": tp, "room_bytes": room, "max_cp": 4096}
    try:
        degree = cp.smallest_cp(**case)
    except ValueError:
        with pytest.raises(ValueError, match="nothing fits"):
            played.smallest_cp(**case)
    else:
        whole = 32 * activations.layer_activation_bytes(
            tokens=tokens, hidden=4096, ffn_hidden=14336, heads=32, kv_heads=8, tp=tp
        )
        assert whole / degree <= room
        assert degree == 1 or whole / (degree / 2) > room


def test_what_just_fits_fits() -> None:
    token = 32 * activations.layer_activation_bytes(tokens=1, hidden=4096, ffn_hidden=14336, heads=32, kv_heads=8, tp=8)
    case: dict[str, Any] = {**LLAMA_8B, "tp": 8, "room_bytes": token}
    assert cp.longest_context(**case, cp=4) == played.longest_context(**case, cp=4) == 4
    assert cp.smallest_cp(**case, tokens=8) == played.smallest_cp(**case, tokens=8, max_cp=256) == 8
    assert cp.smallest_cp(**case, tokens=8, max_cp=8) == 8


@given(degree=degrees, tp=st.sampled_from([1, 2, 4, 8]), room=st.floats(1e7, 1e11))
def test_the_longest_context_is_found_by_filling_up(degree: int, tp: int, room: float) -> None:
    case: dict[str, Any] = {**LLAMA_8B, "tp": tp, "cp": degree, "room_bytes": room}
    assert cp.longest_context(**case) == played.longest_context(**case)


@pytest.mark.parametrize(
    ("function", "wrong"),
    [
        ("hop_bytes", {"tokens_per_gpu": 0, "kv_heads": 1, "head_width": 1}),
        ("exchange_bytes", {"tokens": 10, "kv_heads": 1, "head_width": 1, "cp": 4}),
        ("all_to_all_bytes", {"tokens": 8, "heads": 8, "kv_heads": 2, "head_width": 1, "cp": 4}),
        ("all_to_all_bytes", {"tokens": 10, "heads": 8, "kv_heads": 4, "head_width": 1, "cp": 4}),
        ("all_to_all_bytes", {"tokens": 8, "heads": 6, "kv_heads": 4, "head_width": 1, "cp": 4}),
        ("lighter_exchange", {"heads": 7, "kv_heads": 2, "cp": 4}),
        ("tokens_to_hide_hops", {"flop_per_s": 1, "bandwidth_bytes_per_s": 1, "heads": 7, "kv_heads": 2}),
        ("slowdown_of_contiguous_chunks", {"attention_share": 0, "cp": 4}),
        ("causal_pairs", {"tokens": 8, "cp": 4, "rank": 4, "layout": "contiguous"}),
        ("causal_pairs", {"tokens": 8, "cp": 4, "rank": 0, "layout": "striped"}),
        ("causal_pairs", {"tokens": 12, "cp": 4, "rank": 0, "layout": "head and tail"}),
        ("block_pairs", {"tokens": 8, "cp": 4, "rank": 0, "hop": 4, "layout": "contiguous"}),
        ("block_pairs", {"tokens": 8, "cp": 4, "rank": 0, "hop": 0, "layout": "striped"}),
        ("ring_attention_seconds", {"block_seconds": [], "hop_s": 1}),
        ("ring_attention_seconds", {"block_seconds": [1, -1], "hop_s": 1}),
        ("gather_over_attention", {"tokens": 8, "cp": 2, "heads": 7, "kv_heads": 2, "flop_per_s": 1, "bandwidth_bytes_per_s": 1}),
        ("longest_context", {**LLAMA_8B, "tp": 1, "cp": 1, "room_bytes": 1}),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(function: str, wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="must"):
        getattr(cp, function)(**wrong)


def test_too_few_gpus_for_a_sequence_are_said() -> None:
    with pytest.raises(ValueError, match="too few"):
        cp.smallest_cp(**LLAMA_8B, tokens=2**20, tp=1, room_bytes=1e9, max_cp=4)


@pytest.mark.parametrize(
    ("function", "wrong"),
    [
        ("exchange_bytes", {"tokens": 10, "kv_heads": 1, "head_width": 1, "cp": 4}),
        ("all_to_all_bytes", {"tokens": 8, "heads": 8, "kv_heads": 2, "head_width": 1, "cp": 4}),
        ("lighter_exchange", {"heads": 7, "kv_heads": 2, "cp": 4}),
        ("causal_pairs", {"tokens": 8, "cp": 4, "rank": 4, "layout": "contiguous"}),
        ("causal_pairs", {"tokens": 8, "cp": 4, "rank": 0, "layout": "striped"}),
        ("block_pairs", {"tokens": 8, "cp": 4, "rank": 0, "hop": 4, "layout": "contiguous"}),
        ("longest_context", {**LLAMA_8B, "tp": 1, "cp": 1, "room_bytes": 1}),
    ],
)
def test_oracles_refuse_it_too(function: str, wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"no |not one"):
        getattr(played, function)(**wrong)
