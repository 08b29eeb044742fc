"""An accumulator with 14 bits, one addition at a time."""

from __future__ import annotations

from fractions import Fraction


def accumulation_error(*, elements: int) -> float:
    """Add up the largest loss of each addition: what is below 13 bits after the leading one."""
    if elements % 32:
        raise ValueError("whole instructions only")
    lost = Fraction(0)
    for _ in range(0, elements, 32):
        lost += Fraction(1, 8192)
    return float(lost)


def promotion_share(*, largest_error: float, matmul_flop_per_s: float, fp32_flop_per_s: float) -> float:
    """Lengthen the interval while it is accurate enough, and time one output element over the interval."""
    interval = 0
    while accumulation_error(elements=interval + 32) <= largest_error:
        interval += 32
    if not interval:
        raise ValueError("no interval is accurate enough")
    return (2 / fp32_flop_per_s) / (2 * interval / matmul_flop_per_s)
