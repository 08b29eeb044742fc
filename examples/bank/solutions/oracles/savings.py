"""An account in which every deposit grows on its own, in exact fractions."""

from __future__ import annotations

from fractions import Fraction


def balance(*, deposit_dollars: float, monthly_rate: float, months: int) -> float:
    """The deposits, each with the interest of the months since it was made, added up."""
    growth = 1 + Fraction(str(monthly_rate))
    grown = [Fraction(str(deposit_dollars))]
    while len(grown) < months:
        grown.append(grown[-1] * growth)
    return float(sum(grown))
