"""An account in which every deposit earns interest separately, in exact fractions."""

from __future__ import annotations

from fractions import Fraction


def balance(*, deposit_dollars: float, monthly_rate: float, months: int) -> float:
    """Sum the deposits, each with the interest since it was made."""
    growth = 1 + Fraction(str(monthly_rate))
    grown = [Fraction(str(deposit_dollars))]
    while len(grown) < months:
        grown.append(grown[-1] * growth)
    return float(sum(grown))
