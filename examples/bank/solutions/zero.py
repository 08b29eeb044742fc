"""Zero-coupon bonds: the present value of a single future payment, and how it changes with the yield."""

from __future__ import annotations

from .arguments import require_counts, require_positive


def price(*, face_dollars: float, annual_yield: float, years: int) -> float:
    """Price of a bond that pays its face value once, after some years, and nothing before.

        price = F / (1+y)^t

    Units:   dollars; annual_yield is an effective rate, 0.03 for 3 %; years is a count. Result in dollars.
    Raises:  ValueError if face_dollars or annual_yield is not positive, or years is below 1.
    Source:  Brealey, Myers & Allen 2020, chapter 3 (valuing bonds).

    >>> round(price(face_dollars=1_000, annual_yield=0.03, years=10), 2)
    744.09
    """
    require_positive(face_dollars=face_dollars, annual_yield=annual_yield)
    require_counts(years=years)
    return face_dollars / (1 + annual_yield) ** years


def price_loss(*, yield_before: float, yield_after: float, years: int) -> float:
    """Share of its price that a zero-coupon bond loses when its yield rises.

        loss = 1 - ((1 + y_before) / (1 + y_after))^t

    Units:   yields are effective annual rates; years is a count. Result is a fraction.
    Raises:  ValueError if a yield is not positive, or years is below 1.
    Source:  Brealey, Myers & Allen 2020, chapter 3 (how bond prices vary with interest rates).

    >>> round(price_loss(yield_before=0.03, yield_after=0.04, years=2), 4)    # one percentage point more, over two years
    0.0191
    >>> round(price_loss(yield_before=0.03, yield_after=0.04, years=30), 4)   # and over thirty
    0.2516
    """
    require_positive(yield_before=yield_before, yield_after=yield_after)
    require_counts(years=years)
    return 1 - ((1 + yield_before) / (1 + yield_after)) ** years
