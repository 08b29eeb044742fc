"""Zero-coupon bonds by what a saved dollar grows to, year by year in exact fractions."""

from __future__ import annotations

from fractions import Fraction


def _grown(annual_yield: float, years: int) -> Fraction:
    """What a dollar is after so many years, with a year's interest added at the end of each."""
    saved = Fraction(1)
    for _ in range(years):
        saved += saved * Fraction(str(annual_yield))
    return saved


def price(*, face_dollars: float, annual_yield: float, years: int) -> float:
    """As many dollars as have to be saved today so that they are the face value then."""
    return float(Fraction(str(face_dollars)) / _grown(annual_yield, years))


def price_loss(*, yield_before: float, yield_after: float, years: int) -> float:
    """How much less has to be saved today for the same payment at the higher yield, as a share of what it was."""
    before, after = (1 / _grown(rate, years) for rate in (yield_before, yield_after))
    return float((before - after) / before)
