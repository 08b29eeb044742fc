"""Attention of one query over all keys that have arrived, with one softmax over all of them."""

from __future__ import annotations

from decimal import Decimal


def ring_output(*, scores: str, values: str, cp: int, rank: int, hops: int, scale: float) -> float:
    """Collect the positions that have arrived, drop those after the query, and average their values in decimal arithmetic."""
    keys = list(zip(map(int, scores.split()), map(int, values.split()), strict=True))
    if len(keys) % cp or hops > cp:
        raise ValueError("no even chunks")
    chunk = len(keys) // cp
    chunks = [range(first, first + chunk) for first in range(0, len(keys), chunk)]
    around = chunks[rank::-1] + chunks[:rank:-1]
    query = chunks[rank][-1]
    seen = [place for arrived in around[:hops] for place in arrived if place <= query]
    weights = [(Decimal(scale) * keys[place][0]).exp() for place in seen]
    return float(sum(w * keys[place][1] for w, place in zip(weights, seen, strict=True)) / sum(weights))
