"""Loans played month by month with fifty digits: interest is added, a payment is made, and everything is counted."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Context, Decimal

_FIFTY = Context(prec=50)  # a loan of 30 years loses three of them to rounding


def exact(number: float) -> Decimal:
    """The decimal that was written: 0.06 is six hundredths, and not the binary number next to it."""
    return Decimal(str(number))


def _months(debt: Decimal, annual_rate: float, payment: Decimal) -> Iterator[tuple[Decimal, Decimal]]:
    """The interest of each month, and what is owed after its payment."""
    monthly_rate = _FIFTY.divide(exact(annual_rate), Decimal(12))
    while True:
        interest = _FIFTY.multiply(debt, monthly_rate)
        debt = _FIFTY.subtract(_FIFTY.add(debt, interest), payment)
        yield interest, debt


def _owed(principal: Decimal, annual_rate: float, payment: Decimal, months: int) -> Decimal:
    """What is owed after that many months."""
    played = _months(principal, annual_rate, payment)
    return [next(played)[1] for _ in range(months)][-1]


def _payment(principal: Decimal, annual_rate: float, months: int) -> Decimal:
    """The payment that leaves nothing: every dollar more a month makes the last debt smaller by the same amount."""
    unpaid = _owed(principal, annual_rate, Decimal(0), months)
    one_dollar_a_month = _owed(principal, annual_rate, Decimal(1), months)
    return _FIFTY.divide(unpaid, _FIFTY.subtract(unpaid, one_dollar_a_month))


def monthly_payment(*, principal_dollars: float, annual_rate: float, months: int) -> float:
    """The payment after which the played loan is gone in its last month."""
    return float(_payment(exact(principal_dollars), annual_rate, months))


def total_interest(*, principal_dollars: float, annual_rate: float, months: int) -> float:
    """The interest of every month, added up."""
    principal = exact(principal_dollars)
    played = _months(principal, annual_rate, _payment(principal, annual_rate, months))
    return float(sum(next(played)[0] for _ in range(months)))


def debt_after(*, principal_dollars: float, annual_rate: float, months: int, paid_months: int) -> float:
    """What the played loan leaves after its first payments."""
    principal = exact(principal_dollars)
    return float(_owed(principal, annual_rate, _payment(principal, annual_rate, months), paid_months))


def interest_paid(*, principal_dollars: float, annual_rate: float, months: int, paid_months: int) -> float:
    """The interest of the first months of the played loan, added up."""
    principal = exact(principal_dollars)
    played = _months(principal, annual_rate, _payment(principal, annual_rate, months))
    return float(sum(next(played)[0] for _ in range(paid_months)))


def months_to_payoff(*, debt_dollars: float, annual_rate: float, payment_dollars: float) -> int:
    """The months until a played debt is gone."""
    played = _months(exact(debt_dollars), annual_rate, exact(payment_dollars))
    for month, (interest, debt) in enumerate(played, start=1):
        if interest >= exact(payment_dollars):
            raise ValueError("the debt never shrinks")
        if debt <= 0:
            return month
    raise AssertionError("a debt that shrinks is gone one day")


def cheaper_offer(*, price_dollars: float, rebate_dollars: float, annual_rate: float, months: int) -> str:
    """The loan next to the rebate is played with the payment of the other offer: is it paid off by the end?"""
    lent = _FIFTY.subtract(exact(price_dollars), exact(rebate_dollars))
    at_zero = _FIFTY.divide(exact(price_dollars), Decimal(months))
    return "rebate" if _owed(lent, annual_rate, at_zero, months) < 0 else "zero rate"


def amount_lent(*, price_dollars: float, costs_share: float, savings_dollars: float) -> float:
    """The savings pay the costs first, then as much of the price as they can; the loan is the rest."""
    price, savings = exact(price_dollars), exact(savings_dollars)
    deposit = _FIFTY.subtract(savings, _FIFTY.multiply(price, exact(costs_share)))
    return float(_FIFTY.subtract(price, deposit))


def interest_saved(*, principal_dollars: float, annual_rate: float, months: int, extra_dollars: float) -> float:
    """The loan is played twice, as planned and with more each month, and the interest of both is counted."""
    principal = exact(principal_dollars)
    planned = _payment(principal, annual_rate, months)
    more = Decimal(0)
    for interest, debt in _months(principal, annual_rate, _FIFTY.add(planned, exact(extra_dollars))):
        more += interest
        if debt <= 0:
            return total_interest(principal_dollars=principal_dollars, annual_rate=annual_rate, months=months) - float(
                more
            )
    raise AssertionError("a debt that shrinks is gone one day")
