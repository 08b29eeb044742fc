"""Bands, walked: hash after hash of a band must agree, and band after band may."""

from __future__ import annotations

from functools import lru_cache

from ..search import bisect


@lru_cache(maxsize=65536)
def candidate_probability(*, similarity: float, bands: int, rows: int) -> float:
    """Go through the bands, and add up the chances that this one is the first to agree."""
    agrees = 1.0
    for _ in range(rows):
        agrees *= similarity
    found, unfound = 0.0, 1.0
    for _ in range(bands):
        found, unfound = found + unfound * agrees, unfound * (1 - agrees)
    return found


@lru_cache(maxsize=4096)
def threshold_similarity(*, bands: int, rows: int) -> float:
    """Raise the similarity until one band is expected to agree."""

    def expected(similarity: float) -> float:
        agreeing = float(bands)
        for _ in range(rows):
            agreeing *= similarity
        return agreeing - 1

    return bisect(expected, 0, 1)


@lru_cache(maxsize=65536)
def fewest_bands(*, similarity: float, rows: int, recall: float) -> int:
    """Add bands until the pair is found often enough."""
    agrees = 1.0
    for _ in range(rows):
        agrees *= similarity
    bands, unfound = 0, 1.0
    while 1 - unfound < recall * (1 - 1e-13):
        bands, unfound = bands + 1, unfound * (1 - agrees)
    return bands
