"""What the moving pictures of the chapters on parallelism inside a layer show, against references that compute it another way."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from math import isclose
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solutions.experts.expert_capacity import least_factor, load_imbalance
from solutions.interactive import experts
from solutions.interactive import ring_attention as rings
from solutions.oracles.experts.expert_capacity import EXAMPLE_LOADS, dropped_copies, rank_loads, uneven_loads
from solutions.oracles.tensor_and_context.context_parallel import play_hops, play_ring, ring_attention_seconds
from solutions.tensor_and_context.context_parallel import causal_pairs, tokens_to_hide_hops

Shown = dict[str, Any]
LLAMA_8B = {"link_bytes_per_s": 50_000_000_000, "model": "Llama-3-8B"}


def options_of(module: Any, control: str) -> list[Any]:
    return list(module.CONTROLS[control]["options"].values())


# Ring attention ----------------------------------------------------------------------------------------------------


def bars_of(shown: Shown, rank: int) -> list[Shown]:
    return [span for span in shown["panels"][0]["spans"] if span["row"] == rank]


def length(spans: list[Shown]) -> float:
    return float(sum(span["to"] - span["from"] for span in spans))


@pytest.mark.parametrize("layout", ["contiguous", "head and tail"])
def test_the_blocks_that_are_drawn_are_those_of_a_ring_that_was_played_with_matrices(layout: str) -> None:
    shown = rings.show(layout=layout, cp=4, tokens=32_768, **LLAMA_8B)
    played = play_ring(512, 1, 1, 4, layout)
    whole = length(bars_of(rings.show(layout="contiguous", cp=4, tokens=32_768, **LLAMA_8B), 3)[1:2])
    for rank, by_hop in enumerate(played.pairs):
        drawn = [(int(bar["text"]), (bar["to"] - bar["from"]) / whole) for bar in bars_of(shown, rank)]
        computed = [((rank - hop) % 4, pairs / 128**2) for hop, pairs in enumerate(by_hop) if pairs]
        assert [owner for owner, _ in drawn] == [owner for owner, _ in computed]
        assert [share for _, share in drawn] == pytest.approx([share for _, share in computed], rel=0.01)
        assert all(bar["kind"] == str(int(bar["text"]) % 4) for bar in bars_of(shown, rank))


@pytest.mark.parametrize("layout", ["contiguous", "head and tail"])
@pytest.mark.parametrize("cp", [2, 4, 8, 16])
def test_every_rank_computes_its_pairs_and_waits_for_what_is_not_there(layout: str, cp: int) -> None:
    for tokens in options_of(rings, "tokens"):
        shown = rings.show(layout=layout, cp=cp, tokens=tokens, **LLAMA_8B)
        hop_ms = rings.hop_seconds(cp=cp, tokens=tokens, **LLAMA_8B) * 1e3
        for rank in range(cp):
            bars = bars_of(shown, rank)
            pair_ms = 4 * 32 * 128 / 400e12 * 1e3
            pairs = causal_pairs(tokens=tokens, cp=cp, rank=rank, layout=layout)
            assert length([bar for bar in bars if bar["kind"] != "waits"]) == pytest.approx(pairs * pair_ms, rel=1e-4)
            for before, after in pairwise(bars):  # without gaps, and a wait lasts until the hop is over
                assert isclose(before["to"], after["from"], rel_tol=1e-5)
                if after["kind"] == "waits":
                    assert length([before, after]) == pytest.approx(hop_ms, rel=1e-3)


@pytest.mark.parametrize("model", ["Llama-2-7B", "Llama-3-8B"])
@pytest.mark.parametrize("link", rings.LINKS)
def test_ranks_wait_for_hops_just_when_a_chunk_has_too_few_tokens(model: str, link: int) -> None:
    needed = tokens_to_hide_hops(
        flop_per_s=400e12, bandwidth_bytes_per_s=link, heads=32, kv_heads=32 if "2" in model else 8, pairs_share=0.5
    )
    for tokens in options_of(rings, "tokens"):
        shown = rings.show(layout="head and tail", cp=4, tokens=tokens, link_bytes_per_s=link, model=model)
        waits = {bar["kind"] for bar in shown["panels"][0]["spans"]} >= {"waits"}
        assert waits == (tokens / 4 < needed), (tokens, needed)


@given(st.lists(st.floats(0.1, 5), min_size=1, max_size=9), st.floats(0, 6))
def test_a_ring_ends_when_the_reference_says_if_all_are_alike_or_the_others_have_less(
    blocks: list[float], hop_s: float
) -> None:
    takes = rings.ring_attention_seconds(block_seconds=blocks, hop_s=hop_s)
    assert isclose(takes, ring_attention_seconds(block_seconds=blocks, hop_s=hop_s))
    fewer = [[seconds if hop <= rank else 0.0 for hop, seconds in enumerate(blocks)] for rank in range(len(blocks))]
    assert isclose(takes, max(block.ended for block in play_hops(fewer, hop_s)))


@pytest.mark.parametrize("cp", [2, 4, 8, 16])
def test_the_facts_under_the_ring_are_those_of_the_bars(cp: int) -> None:
    for layout, saves in (("contiguous", 1 / (2 * cp)), ("head and tail", 0.5)):
        shown = rings.show(layout=layout, cp=cp, tokens=131_072, **LLAMA_8B)
        (panel,), facts = shown["panels"], dict(shown["facts"])
        end = max(span["to"] for span in panel["spans"])
        assert facts["attention takes"].startswith(f"{rings.in_time(end / 1e3)}, ")
        assert facts["the mask saves"] == f"{rings.percent(saves)} of the time"
        idle = 1 - length(panel["spans"]) / cp / end
        assert facts["ranks are idle, all together"] == f"{rings.percent(abs(round(idle, 4)))} of the time"
        assert panel["axis"]["high"] >= end  # one axis for both layouts
        assert shown["frames"][-2]["panels"][0]["now"] < end


# Experts -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("imbalance", experts.IMBALANCES)
@pytest.mark.parametrize("factor", experts.FACTORS)
def test_the_parts_of_an_expert_are_its_copies_and_its_places(imbalance: float, factor: float) -> None:
    loads = uneven_loads(imbalance=imbalance)
    bars, curves = experts.show(capacity_factor=factor, imbalance=imbalance, held=(8, experts.IN_ORDER))["panels"]
    total: Counter[str] = Counter()
    for load, row in zip(loads, bars["rows"], strict=True):
        sizes = Counter({part["kind"]: part["size"] for part in row["parts"]})
        assert sizes["computed"] + sizes["dropped"] == load
        assert sizes["computed"] + sizes["empty"] == bars["limit"]["at"]
        total += sizes
    assert total["dropped"] == dropped_copies(loads=loads, capacity_factor=factor)
    places = total["computed"] + total["empty"]
    marked = [mark["y"] for mark in curves["marks"] if "y" in mark]
    assert marked == pytest.approx([100 * total["dropped"] / 32_768, 100 * total["empty"] / places], abs=1e-3)
    assert max(x for line in curves["lines"] for x, _ in line["points"]) == 2.5


def test_the_curve_of_what_is_dropped_ends_at_the_imbalance() -> None:
    curve = experts.show(capacity_factor=1, imbalance=1.75, held=(8, experts.IN_ORDER))["panels"][1]["lines"][0]
    first = next(x for x, dropped in curve["points"] if dropped == 0)
    factors = [x for x, _ in curve["points"]]
    assert first == least_factor(loads=uneven_loads(imbalance=1.75), factors=factors, largest_dropped_share=1e-9)


@given(st.floats(1, 2.6))
def test_uneven_loads_are_as_uneven_as_they_are_asked_to_be(imbalance: float) -> None:
    loads = uneven_loads(imbalance=imbalance)
    assert sum(loads) == sum(EXAMPLE_LOADS) and loads == sorted(loads, reverse=True)
    assert load_imbalance(loads=loads) == pytest.approx(imbalance, abs=2e-4)


def test_the_picture_begins_with_the_loads_of_its_still_and_none_are_below_nothing() -> None:
    start = {name: control["options"][control["start"]] for name, control in experts.CONTROLS.items()}
    assert uneven_loads(imbalance=start["imbalance"]) == list(EXAMPLE_LOADS)
    assert dict(experts.show(**start)["facts"])["copies dropped"] == "15.4 %"
    with pytest.raises(ValueError, match="less than no copies"):
        uneven_loads(imbalance=3)


@pytest.mark.parametrize("held", options_of(experts, "held"))
def test_the_fullest_gpu_has_the_copies_of_its_experts(held: tuple[int, tuple[int, ...]]) -> None:
    gpus, order = held
    assert sorted(order) == list(range(8))
    facts = dict(experts.show(capacity_factor=1.5, imbalance=experts.IMBALANCES[-2], held=held)["facts"])
    fullest = max(rank_loads(loads=[EXAMPLE_LOADS[expert] for expert in order], ep=gpus))
    assert facts["fullest GPU, dropless"].startswith(f"{fullest:,} copies, ")
    assert facts["every GPU, with whole buffers"] == f"{1.5 * 32_768 / gpus:,.0f} copies, 1.5 × the mean"
