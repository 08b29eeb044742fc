"""Mixtures, played: a run takes tokens from its sources portion by portion, and counts how often each comes to its end."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import exp, log

from ..search import bisect

PORTIONS = 50


def source_epochs(*, tokens: float, weight: float, source_tokens: float) -> float:
    """Read the run in portions, and turn the source over when it ends."""
    place, passes = Fraction(0), 0
    for _ in range(PORTIONS):
        place += Fraction(tokens) / PORTIONS * Fraction(weight)
        while place >= Fraction(source_tokens):
            place, passes = place - Fraction(source_tokens), passes + 1
    return float(passes + place / Fraction(source_tokens))


def largest_weight(*, tokens: float, source_tokens: float, epochs: float) -> float:
    """Raise the weight until the source is gone over so often."""
    return bisect(lambda weight: weight * tokens - epochs * source_tokens, 0, 2 * epochs * source_tokens / tokens)


def tokens_until_limit(*, weights: Sequence[float], source_tokens: Sequence[float], epochs: Sequence[float]) -> float:
    """Lengthen the run until some source is over its limit."""
    whole = sum(Fraction(weight) for weight in weights)

    def over(tokens: float) -> float:
        taken = [float(Fraction(weight) / whole) * tokens for weight in weights]
        return max(part / size - most for part, size, most in zip(taken, source_tokens, epochs, strict=True))

    high = 1.0
    while over(high) < 0:
        high *= 2
    return bisect(over, 0, high)


def weight_from_epochs(*, source: int, sizes: Sequence[float], epochs: Sequence[float]) -> float:
    """Write every source out as often as it is repeated, in half passes, and weigh the pile."""
    halves = [Fraction(size) / 2 for size in sizes]
    written = [
        sum((half for _ in range(round(2 * count))), Fraction(0)) for half, count in zip(halves, epochs, strict=True)
    ]
    return float(written[source] / sum(written))


def temperature_weight(*, source: int, sizes: Sequence[float], alpha: float) -> float:
    """Compare the source with each of the others: a ratio of sizes in logarithms, shrunk by the exponent."""
    return 1 / sum(exp(alpha * (log(size) - log(sizes[source]))) for size in sizes)


def temperature_epochs(*, source: int, sizes: Sequence[float], alpha: float, tokens: float) -> float:
    """Read a run with that weight."""
    weight = temperature_weight(source=source, sizes=sizes, alpha=alpha)
    return source_epochs(tokens=tokens, weight=weight, source_tokens=sizes[source])
