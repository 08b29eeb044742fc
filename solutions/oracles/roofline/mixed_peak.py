"""One second of a GPU, token by token: how much of it an ideal machine would need."""

from __future__ import annotations

from fractions import Fraction


def mixed_format_utilisation(
    *, narrow_flop_per_token: float, wide_flop_per_token: float, tokens_per_s_per_gpu: float,
    narrow_peak_flop_per_s: float, wide_peak_flop_per_s: float,
) -> float:  # fmt: skip
    """Convert wide FLOP to narrow ones of the same duration, and compare with the narrow peak."""
    worth = Fraction(narrow_peak_flop_per_s) / Fraction(wide_peak_flop_per_s)
    per_token = Fraction(narrow_flop_per_token) + worth * Fraction(wide_flop_per_token)
    return float(per_token * Fraction(tokens_per_s_per_gpu) / Fraction(narrow_peak_flop_per_s))
