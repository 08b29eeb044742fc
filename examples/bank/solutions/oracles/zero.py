"""Zero-coupon bonds from the growth of one saved dollar, year by year in exact fractions."""

from __future__ import annotations

from fractions import Fraction


def _grown(annual_yield: float, years: int) -> Fraction:
    """The value of a dollar after some years, with interest added at the end of each."""
    saved = Fraction(1)
    for _ in range(years):
        saved += saved * Fraction(str(annual_yield))
    return saved


def price(*, face_dollars: float, annual_yield: float, years: int) -> float:
    """The dollars to save today so that they grow to the face value."""
    return float(Fraction(str(face_dollars)) / _grown(annual_yield, years))


def price_loss(*, yield_before: float, yield_after: float, years: int) -> float:
    """The relative decrease of the dollars to save today for the same payment, at the higher yield."""
    before, after = (1 / _grown(rate, years) for rate in (yield_before, yield_after))
    return float((before - after) / before)
