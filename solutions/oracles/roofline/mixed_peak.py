"""One second of a GPU: the time that an ideal machine would need for its tokens."""

from __future__ import annotations

from fractions import Fraction


def mixed_format_utilisation(
    *, narrow_flop_per_token: float, wide_flop_per_token: float, tokens_per_s_per_gpu: float,
    narrow_peak_flop_per_s: float, wide_peak_flop_per_s: float,
) -> float:  # fmt: skip
    """Convert the FLOP of the wide format to the narrow one at equal duration, and divide by the narrow peak."""
    worth = Fraction(narrow_peak_flop_per_s) / Fraction(wide_peak_flop_per_s)
    per_token = Fraction(narrow_flop_per_token) + worth * Fraction(wide_flop_per_token)
    return float(per_token * Fraction(tokens_per_s_per_gpu) / Fraction(narrow_peak_flop_per_s))
