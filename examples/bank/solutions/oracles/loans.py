"""Loans simulated month by month with fifty digits: add interest, make a payment, and count."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Context, Decimal

_FIFTY = Context(prec=50)  # a 30-year loan loses three of them to rounding


def exact(number: float) -> Decimal:
    """The decimal as written: 0.06 is six hundredths, not the nearest binary number."""
    return Decimal(str(number))


def _months(debt: Decimal, annual_rate: float, payment: Decimal) -> Iterator[tuple[Decimal, Decimal]]:
    """The interest of each month, and the debt after its payment."""
    monthly_rate = _FIFTY.divide(exact(annual_rate), Decimal(12))
    while True:
        interest = _FIFTY.multiply(debt, monthly_rate)
        debt = _FIFTY.subtract(_FIFTY.add(debt, interest), payment)
        yield interest, debt


def _owed(principal: Decimal, annual_rate: float, payment: Decimal, months: int) -> Decimal:
    """The debt after that many months."""
    played = _months(principal, annual_rate, payment)
    return [next(played)[1] for _ in range(months)][-1]


def _payment(principal: Decimal, annual_rate: float, months: int) -> Decimal:
    """The payment that leaves no debt: each additional dollar per month reduces the final debt by the same amount."""
    unpaid = _owed(principal, annual_rate, Decimal(0), months)
    one_dollar_a_month = _owed(principal, annual_rate, Decimal(1), months)
    return _FIFTY.divide(unpaid, _FIFTY.subtract(unpaid, one_dollar_a_month))


def monthly_payment(*, principal_dollars: float, annual_rate: float, months: int) -> float:
    """The payment with which the simulated loan ends in its last month."""
    return float(_payment(exact(principal_dollars), annual_rate, months))


def total_interest(*, principal_dollars: float, annual_rate: float, months: int) -> float:
    """Sum the interest of every month."""
    principal = exact(principal_dollars)
    played = _months(principal, annual_rate, _payment(principal, annual_rate, months))
    return float(sum(next(played)[0] for _ in range(months)))


def debt_after(*, principal_dollars: float, annual_rate: float, months: int, paid_months: int) -> float:
    """The remaining debt of the simulated loan after its first payments."""
    principal = exact(principal_dollars)
    return float(_owed(principal, annual_rate, _payment(principal, annual_rate, months), paid_months))


def interest_paid(*, principal_dollars: float, annual_rate: float, months: int, paid_months: int) -> float:
    """Sum the interest of the first months of the simulated loan."""
    principal = exact(principal_dollars)
    played = _months(principal, annual_rate, _payment(principal, annual_rate, months))
    return float(sum(next(played)[0] for _ in range(paid_months)))


def months_to_payoff(*, debt_dollars: float, annual_rate: float, payment_dollars: float) -> int:
    """Count the months until a simulated debt is gone."""
    played = _months(exact(debt_dollars), annual_rate, exact(payment_dollars))
    for month, (interest, debt) in enumerate(played, start=1):
        if interest >= exact(payment_dollars):
            raise ValueError("the debt never shrinks")
        if debt <= 0:
            return month
    raise AssertionError("a shrinking debt never ended")


def cheaper_offer(*, price_dollars: float, rebate_dollars: float, annual_rate: float, months: int) -> str:
    """Simulate the rebate's loan with the payment of the other offer, and check whether it ends in time."""
    lent = _FIFTY.subtract(exact(price_dollars), exact(rebate_dollars))
    at_zero = _FIFTY.divide(exact(price_dollars), Decimal(months))
    return "rebate" if _owed(lent, annual_rate, at_zero, months) < 0 else "zero rate"


def amount_lent(*, price_dollars: float, costs_share: float, savings_dollars: float) -> float:
    """Pay the costs from the savings first, then as much of the price as possible; the loan is the rest."""
    price, savings = exact(price_dollars), exact(savings_dollars)
    deposit = _FIFTY.subtract(savings, _FIFTY.multiply(price, exact(costs_share)))
    return float(_FIFTY.subtract(price, deposit))


def interest_saved(*, principal_dollars: float, annual_rate: float, months: int, extra_dollars: float) -> float:
    """Simulate the loan twice, as planned and with larger payments, and compare the interest."""
    principal = exact(principal_dollars)
    planned = _payment(principal, annual_rate, months)
    more = Decimal(0)
    for interest, debt in _months(principal, annual_rate, _FIFTY.add(planned, exact(extra_dollars))):
        more += interest
        if debt <= 0:
            return total_interest(principal_dollars=principal_dollars, annual_rate=annual_rate, months=months) - float(
                more
            )
    raise AssertionError("a shrinking debt never ended")
