"""Ring loops, packed documents, splits of one long sequence, and a split MLP, against their oracles."""

from __future__ import annotations

from math import log
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solutions.oracles.tensor_and_context import context_parallel as ringed
from solutions.oracles.tensor_and_context import enough_tokens as timed
from solutions.oracles.tensor_and_context import packed_documents as dealt
from solutions.oracles.tensor_and_context import parallel_mlp as without
from solutions.oracles.tensor_and_context import ring_loop as whole
from solutions.oracles.tensor_and_context import ulysses_beside_ring as followed
from solutions.tensor_and_context import (
    context_parallel,
    enough_tokens,
    packed_documents,
    parallel_mlp,
    ring_loop,
    ulysses_beside_ring,
)

LAYER: dict[str, Any] = {
    "hidden": 8192,
    "layer_parameters": 855_638_016,
    "flop_per_s": 1.5e15,
    "bandwidth_bytes_per_s": 9e11,
}
SEQUENCE: dict[str, Any] = {"tokens": 262144, "hidden": 8192, "heads": 64, "kv_heads": 8, "state_bytes": 160e9}


@given(st.data(), st.sampled_from([1, 2, 4, 8]), st.sampled_from([0.5, 1, 400]))
def test_the_ring_loop_gives_the_softmax_of_what_has_arrived(data: st.DataObject, cp: int, scale: float) -> None:
    digits = st.lists(st.integers(0, 9), min_size=8, max_size=8).map(lambda raw: " ".join(map(str, raw)))
    case: dict[str, Any] = {
        "scores": data.draw(digits), "values": data.draw(digits), "cp": cp, "scale": scale,
        "rank": data.draw(st.integers(0, cp - 1)), "hops": data.draw(st.integers(1, cp)),
    }  # fmt: skip
    assert ring_loop.ring_output(**case) == pytest.approx(whole.ring_output(**case), rel=1e-9)


def test_a_ring_refuses_chunks_that_are_not_even() -> None:
    with pytest.raises(ValueError, match="must divide 3 scores and 3 values"):
        ring_loop.ring_output(scores="1 2 3", values="1 2 3", cp=2, rank=0, hops=1, scale=1)
    with pytest.raises(ValueError, match="at most 2 hops"):
        ring_loop.ring_output(scores="1 2", values="1 2", cp=2, rank=0, hops=3, scale=1)


def test_large_scores_overflow_in_no_variant_of_the_ring() -> None:
    case: dict[str, Any] = {"scores": "900 900", "values": "1 3", "cp": 2, "rank": 1, "hops": 2, "scale": 1.0}
    assert ring_loop.ring_output(**case) == 2
    for rule in ("mask", "weights"):
        assert ring_loop.ring_output_without(**case, without=rule) == 2


@given(cp=st.sampled_from([1, 2, 4, 8]), long_chunks=st.integers(1, 16), pieces=st.sampled_from([1, 2, 8]))
def test_the_busiest_rank_is_the_one_that_has_the_long_document(cp: int, long_chunks: int, pieces: int) -> None:
    chunk = 64
    case = {
        "tokens": 2 * cp * chunk, "cp": cp, "long_tokens": min(long_chunks, 2 * cp) * chunk, "short_tokens": chunk // pieces,
    }  # fmt: skip
    factor = packed_documents.document_imbalance(**case)
    assert factor == pytest.approx(dealt.document_imbalance(**case))
    assert 1 <= factor <= cp or factor == pytest.approx(1)


def test_documents_that_end_within_a_chunk_are_refused() -> None:
    for long_tokens, short_tokens in [(100, 16), (64, 48), (2048, 16)]:
        with pytest.raises(ValueError, match="documents must fill whole chunks"):
            packed_documents.document_imbalance(tokens=512, cp=4, long_tokens=long_tokens, short_tokens=short_tokens)


@given(each=st.integers(6, 13).map(lambda power: 1 << power), gpus=st.sampled_from([2, 8, 64]))
def test_fsdp_needs_most_tokens_and_both_together_fewer(each: int, gpus: int) -> None:
    case = {"tokens": each * gpus, "gpus": gpus, **LAYER}
    word = enough_tokens.sharding_that_hides(**case)
    assert word == timed.sharding_that_hides(**case)
    more = enough_tokens.sharding_that_hides(**{**case, "tokens": 2 * case["tokens"]})
    order = ["neither", "both", "FSDP"]
    assert order.index(more) >= order.index(word)


def test_sharding_hides_where_communication_takes_exactly_as_long() -> None:
    for tokens, gpus, fsdp, word in ((8192, 2, 2, "FSDP"), (1024, 16, 2, "both")):
        layer: dict[str, Any] = {"tokens": tokens, "hidden": 1024, "layer_parameters": 1 << 23}
        sent = enough_tokens.layer_bytes_sent(**layer, fsdp=fsdp, tp=gpus // fsdp)
        flop = 2 * tokens * (1 << 23) / gpus  # so that both take a second
        rates = {"flop_per_s": flop, "bandwidth_bytes_per_s": sent}
        assert enough_tokens.sharding_that_hides(**layer, gpus=gpus, **rates) == word
        assert enough_tokens.sharding_that_hides(**layer, gpus=gpus, **rates | {"flop_per_s": flop * 1.01}) != word


@given(*(st.sampled_from([1, 2, 4, 8, 16]) for _ in range(3)))
def test_a_long_sequence_is_split_as_its_values_are_sent(tp: int, ulysses: int, ring: int) -> None:
    case = {**SEQUENCE, "tp": tp, "ulysses": ulysses, "ring": ring}
    split = ulysses_beside_ring.long_sequence_split(**case)
    assert split == pytest.approx(followed.long_sequence_split(**case))
    if tp * ulysses <= 4:
        assert ulysses_beside_ring.long_sequence_split(**{**case, "ring": 2 * ring})["exposed_bytes"] == pytest.approx(
            split["exposed_bytes"] / 2
        )


@pytest.mark.parametrize("change", [{"heads": 20}, {"kv_heads": 4}, {"tokens": 24}])
def test_a_split_that_does_not_divide_sends_nothing(change: dict[str, int]) -> None:
    split = ulysses_beside_ring.long_sequence_split(**SEQUENCE | change, tp=4, ulysses=2, ring=8)
    assert split["exposed_bytes"] == split["hop_bytes"] == 0


numbers = st.lists(st.integers(-5, 5), min_size=8, max_size=8).map(lambda raw: " ".join(map(str, raw)))


@given(numbers, numbers, st.sampled_from([1, 2, 4, 8]), st.sampled_from([-1.5, 0.0, 2.0]), st.floats(-2, 2))
def test_the_parts_of_a_split_mlp_are_what_is_missing_without_a_rank(
    up: str, down: str, tp: int, x: float, upstream: float
) -> None:
    case: dict[str, Any] = {"up": up, "down": down, "tp": tp, "x": x, "upstream": upstream, "bias": 3.0, "rank": tp - 1}
    found = parallel_mlp.mlp_on_ranks(**case)
    assert found == pytest.approx(without.mlp_on_ranks(**case))
    assert found[1] == pytest.approx(parallel_mlp.mlp_on_ranks(**{**case, "tp": 1, "rank": 0})[1])  # one bias


def test_a_split_mlp_refuses_parts_that_are_not_even() -> None:
    with pytest.raises(ValueError, match="must divide 3 columns and 3 rows"):
        parallel_mlp.mlp_on_ranks(x=1.0, up="1 2 3", down="1 2 3", bias=0.0, upstream=1.0, tp=2, rank=0)


def test_a_channel_is_open_from_zero() -> None:
    found = parallel_mlp.mlp_on_ranks(x=0.5, up="1 1", down="3 5", bias=0.0, upstream=1.0, tp=2, rank=0)
    assert found == (1.5, 4.0, 3.0, 8.0)


@given(st.floats(1e14, 1e15), st.floats(1e10, 1e12), st.sampled_from([2, 4, 8]), st.sampled_from([1.0, 2.0, 3.0, 4.0]))
def test_gradients_on_the_ring_decide_which_pass_is_exposed(flop: float, link: float, heads: int, width: float) -> None:
    case: dict[str, Any] = {"flop_per_s": flop, "bandwidth_bytes_per_s": link, "heads": heads, "kv_heads": 2}
    tokens = context_parallel.tokens_to_hide_both_rings(**case, bytes_per_gradient=width)
    assert tokens == pytest.approx(ringed.tokens_to_hide_both_rings(**case, bytes_per_gradient=width))
    assert (tokens > context_parallel.tokens_to_hide_hops(**case) * 1.0001) == (width > 3)


@pytest.mark.parametrize(
    ("rule", "rank", "hops", "output"),
    [
        ("mask", 1, 3, (4 * 1 + 1 * 3 + 2 * 5) / 7),
        ("direction", 2, 2, (2 * 5 + 4 * 1) / 6),  # ranks 2 and 0
        ("direction", 0, 3, 1),  # ranks 1 and 2 are masked
        ("rescaling", 1, 2, (1 * 3 + 1 * 1) / 2),  # the second key has a new maximum
        ("rescaling of blocks", 1, 2, (1 * 3 + 1 * 1) / 2),
        ("weights", 1, 2, (3 + 1) / 2),
    ],
)
def test_a_ring_without_one_of_its_rules_gives_what_a_student_would_get(
    rule: str, rank: int, hops: int, output: float
) -> None:
    """Three ranks have one key each, with the weights 4, 1 and 2 and the values 1, 3 and 5."""
    case: dict[str, Any] = {"scores": "2 0 1", "values": "1 3 5", "cp": 3, "scale": log(2)}
    found = ring_loop.ring_output_without(**case, rank=rank, hops=hops, without=rule)
    assert found == pytest.approx(output)


def test_a_running_maximum_per_block_is_not_one_per_key() -> None:
    case: dict[str, Any] = {"scores": "0 1 2 3", "values": "1 2 3 4", "cp": 2, "rank": 1, "hops": 2, "scale": 100}
    assert ring_loop.ring_output(**case) == 4
    assert ring_loop.ring_output_without(**case, without="rescaling") == (3 + 4) / 2  # the first block is smaller
    assert ring_loop.ring_output_without(**case, without="rescaling of blocks") == 4
    case |= {"scores": "2 3 4 5", "hops": 1}
    assert ring_loop.ring_output_without(**case, without="rescaling of blocks") == 4
    with pytest.raises(ValueError, match="unknown rule 'softmax'"):
        ring_loop.ring_output_without(**case, without="softmax")


@pytest.mark.parametrize(
    ("rule", "results"),
    [
        ("step", (24, 36, -7.5, 0.5)),
        ("upstream", (24, 36, 12, 13)),
        ("contiguity", (24, 36, 6, 6.5)),
        ("sums", (24, 34, 6, 6)),
        ("bias at last", (34, 36, 6, 6.5)),
    ],
)
def test_an_mlp_without_one_of_its_rules_gives_what_a_student_would_get(rule: str, results: tuple[float, ...]) -> None:
    """Two channels are active: 2 · 1 is rank 0's part of the output, and 6 · 4 that of rank 1."""
    case: dict[str, Any] = {
        "x": 2,
        "up": "1 -5 3 -9",
        "down": "1 -3 4 3",
        "bias": 10,
        "upstream": 0.5,
        "tp": 2,
        "rank": 1,
    }
    assert parallel_mlp.mlp_on_ranks(**case) == (24, 36, 6, 6.5)
    if rule == "contiguity":
        case |= {"up": "1 3 -5 -9", "down": "1 4 -3 3"}
        assert parallel_mlp.mlp_on_ranks(**case) == (0, 36, 0, 6.5)
    assert parallel_mlp.mlp_on_ranks_without(**case, without=rule) == results
    with pytest.raises(ValueError, match="unknown rule 'relu'"):
        parallel_mlp.mlp_on_ranks_without(**case, without="relu")
