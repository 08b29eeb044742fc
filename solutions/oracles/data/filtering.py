"""Filters and lengths, counted: a crawl of ten thousand parts is sorted, and every token looks at its sequence."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction


def _sorted(good_share: float, good_kept: float, bad_kept: float) -> tuple[Fraction, Fraction]:
    """Good and bad text that passes, of a crawl of 1, dealt out exactly."""
    good = Fraction(good_share)
    return good * Fraction(good_kept), (1 - good) * Fraction(bad_kept)


def filtered_tokens(*, tokens: float, good_share: float, good_kept: float, bad_kept: float) -> float:
    """Take away what is thrown out, instead of adding what is kept."""
    good, bad = Fraction(good_share), 1 - Fraction(good_share)
    thrown = good * (1 - Fraction(good_kept)) + bad * (1 - Fraction(bad_kept))
    return float(Fraction(tokens) * (1 - thrown))


def filtered_purity(*, good_share: float, good_kept: float, bad_kept: float) -> float:
    """Good parts for each bad part that passes, as odds."""
    good, bad = _sorted(good_share, good_kept, bad_kept)
    if not bad:
        return 1.0
    odds = good / bad
    return float(odds / (1 + odds))


def mean_sequence_length(*, shares: Sequence[float], lengths: Sequence[int]) -> float:
    """Deal a million tokens to the stages, and let each report how long its sequence is."""
    dealt = [Fraction(share) * 10**6 for share in shares]
    seen = sum((part * length for part, length in zip(dealt, lengths, strict=True)), Fraction(0))
    return float(seen / sum(dealt))
