"""Filters and sequence lengths, counted exactly in parts of a crawl."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction


def _sorted(good_share: float, good_kept: float, bad_kept: float) -> tuple[Fraction, Fraction]:
    """Return the shares of a crawl that pass the filter: good text and bad text."""
    good = Fraction(good_share)
    return good * Fraction(good_kept), (1 - good) * Fraction(bad_kept)


def filtered_tokens(*, tokens: float, good_share: float, good_kept: float, bad_kept: float) -> float:
    """Subtract the rejected tokens from the crawl."""
    good, bad = Fraction(good_share), 1 - Fraction(good_share)
    thrown = good * (1 - Fraction(good_kept)) + bad * (1 - Fraction(bad_kept))
    return float(Fraction(tokens) * (1 - thrown))


def filtered_purity(*, good_share: float, good_kept: float, bad_kept: float) -> float:
    """Compute the odds of good text to bad text in the output."""
    good, bad = _sorted(good_share, good_kept, bad_kept)
    if not bad:
        return 1.0
    odds = good / bad
    return float(odds / (1 + odds))


def mean_sequence_length(*, shares: Sequence[float], lengths: Sequence[int]) -> float:
    """Distribute a million tokens over the stages, and average the sequence lengths that they see."""
    dealt = [Fraction(share) * 10**6 for share in shares]
    seen = sum((part * length for part, length in zip(dealt, lengths, strict=True)), Fraction(0))
    return float(seen / sum(dealt))
