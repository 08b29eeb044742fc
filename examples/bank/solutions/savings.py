"""Savings: what regular deposits grow to."""

from __future__ import annotations

from .arguments import require_counts, require_positive


def balance(*, deposit_dollars: float, monthly_rate: float, months: int) -> float:
    """What is in an account right after the last of n equal deposits, one at the end of each month.

        balance = D · ((1+r)^n - 1) / r

    The first deposit has grown for n-1 months, the last one not at all.

    Units:   dollars; monthly_rate is a fraction; months is a count. Result in dollars.
    Raises:  ValueError if deposit_dollars or monthly_rate is not positive, or months is below 1.
    Source:  Brealey, Myers & Allen 2020, chapter 2 (future value of an annuity).

    >>> round(balance(deposit_dollars=250, monthly_rate=0.005, months=360))   # 90,000 dollars were paid in
    251129
    """
    require_positive(deposit_dollars=deposit_dollars, monthly_rate=monthly_rate)
    require_counts(months=months)
    return deposit_dollars * ((1 + monthly_rate) ** months - 1) / monthly_rate
