"""Loans: monthly payments, remaining debt, and total interest."""

from __future__ import annotations

import math

from .arguments import require_at_most, require_counts, require_not_negative, require_positive


def monthly_payment(*, principal_dollars: float, annual_rate: float, months: int) -> float:
    """The equal payment at the end of each month that pays a loan back.

        A = P · r / (1 - (1+r)^-n)      with  r = annual rate / 12

    Discounted at the rate of the loan, the payments together are worth the principal.

    Units:   dollars; annual_rate is nominal, 0.06 for 6 %; months is a count. Result in dollars.
    Raises:  ValueError if principal_dollars is not positive, annual_rate is negative, or months is below 1.
    Source:  Brealey, Myers & Allen 2020, Principles of Corporate Finance, 13th ed., chapter 2 (annuities).

    >>> round(monthly_payment(principal_dollars=300_000, annual_rate=0.06, months=360), 2)
    1798.65
    >>> monthly_payment(principal_dollars=12_000, annual_rate=0, months=48)   # without interest
    250.0
    """
    require_positive(principal_dollars=principal_dollars)
    require_not_negative(annual_rate=annual_rate)
    require_counts(months=months)
    if annual_rate == 0:
        return principal_dollars / months
    monthly_rate = annual_rate / 12
    return principal_dollars * monthly_rate / (1 - (1 + monthly_rate) ** -months)


def total_interest(*, principal_dollars: float, annual_rate: float, months: int) -> float:
    """Total interest of a loan until it is paid back.

        interest = n · A - P

    Units:   dollars; annual_rate is nominal; months is a count. Result in dollars.
    Raises:  ValueError as `monthly_payment`.
    Source:  Brealey, Myers & Allen 2020, chapter 2 (amortizing loans).

    >>> round(total_interest(principal_dollars=300_000, annual_rate=0.06, months=360))   # more than the principal
    347515
    """
    payment = monthly_payment(principal_dollars=principal_dollars, annual_rate=annual_rate, months=months)
    return months * payment - principal_dollars


def amount_lent(*, price_dollars: float, costs_share: float, savings_dollars: float) -> float:
    """Loan for a flat: its price plus the costs of buying it, less the savings.

        loan = P · (1 + c) - S

    Units:   dollars; costs_share is a fraction of the price. Result in dollars.
    Raises:  ValueError if an amount is not positive, costs_share is negative, or the savings pay for everything.
    Source:  Consumer Financial Protection Bureau, Closing Disclosure, "Calculating Cash to Close".

    >>> amount_lent(price_dollars=300_000, costs_share=0.03, savings_dollars=69_000)   # the costs take 9,000 of the savings
    240000.0
    """
    require_positive(price_dollars=price_dollars, savings_dollars=savings_dollars)
    require_not_negative(costs_share=costs_share)
    loan = price_dollars * (1 + costs_share) - savings_dollars
    if loan <= 0:
        raise ValueError(f"savings_dollars must be below the price with its costs, not {savings_dollars!r}")
    return loan


def interest_of_payments(*, principal_dollars: float, payment_dollars: float, months: int) -> float:
    """Total payments of a loan, less the principal.

        interest = n · A - P

    Units:   dollars; months is a count. Result in dollars.
    Raises:  ValueError if an amount is not positive, or months is below 1.
    Source:  Brealey, Myers & Allen 2020, chapter 2 (amortizing loans).

    >>> interest_of_payments(principal_dollars=12_000, payment_dollars=260, months=48)
    480
    """
    require_positive(principal_dollars=principal_dollars, payment_dollars=payment_dollars)
    require_counts(months=months)
    return months * payment_dollars - principal_dollars


def interest_saved(
    *,
    principal_dollars: float,
    annual_rate: float,
    payment_dollars: float,
    payments: int,
    planned_interest_dollars: float,
) -> float:
    """Interest saved when each payment is larger than planned and the last one only pays off the rest.

        saved = planned - (n · A + left - P)      with  left = P · (1+r)^n - A · ((1+r)^n - 1) / r

    After n payments of A the debt is gone, and `left` is negative: the last payment is smaller by that amount.

    Units:   dollars; annual_rate is nominal; payments is a count. Result in dollars.
    Raises:  ValueError if an amount or annual_rate is not positive, or payments is below 1.
    Source:  `debt_after`, with a given payment.

    >>> planned = total_interest(principal_dollars=300_000, annual_rate=0.06, months=360)
    >>> n = months_to_payoff(debt_dollars=300_000, annual_rate=0.06, payment_dollars=2_000)   # each 201 more than planned
    >>> n, round(interest_saved(principal_dollars=300_000, annual_rate=0.06, payment_dollars=2_000, payments=n,
    ...                         planned_interest_dollars=planned))
    (278, 91611)
    """
    require_positive(
        principal_dollars=principal_dollars,
        annual_rate=annual_rate,
        payment_dollars=payment_dollars,
        planned_interest_dollars=planned_interest_dollars,
    )
    require_counts(payments=payments)
    monthly_rate = annual_rate / 12
    growth = (1 + monthly_rate) ** payments
    left = principal_dollars * growth - payment_dollars * (growth - 1) / monthly_rate
    return planned_interest_dollars - (payments * payment_dollars + left - principal_dollars)


def debt_after(*, principal_dollars: float, annual_rate: float, months: int, paid_months: int) -> float:
    """Remaining debt after some of the payments of a loan.

        debt = P · (1+r)^k - A · ((1+r)^k - 1) / r

    The loan has earned interest for k months, and each payment since it was made.

    Units:   dollars; annual_rate is nominal; months and paid_months are counts. Result in dollars.
    Raises:  ValueError if principal_dollars or annual_rate is not positive, a count is below 1, or more months are paid
             than the loan has.
    Source:  Brealey, Myers & Allen 2020, chapter 2 (amortizing loans).

    >>> loan = {"principal_dollars": 300_000, "annual_rate": 0.06, "months": 360}
    >>> round(debt_after(**loan, paid_months=180))   # halfway through the term, 71 % of the loan is still owed
    213147
    """
    require_positive(principal_dollars=principal_dollars, annual_rate=annual_rate)
    require_counts(months=months, paid_months=paid_months)
    require_at_most(months, paid_months=paid_months)
    monthly_rate = annual_rate / 12
    discount = (1 + monthly_rate) ** -months
    payment = principal_dollars * monthly_rate / (1 - discount)
    growth = (1 + monthly_rate) ** paid_months
    paid_with_interest = payment * (growth - 1) / monthly_rate
    return principal_dollars * growth - paid_with_interest


def months_to_payoff(*, debt_dollars: float, annual_rate: float, payment_dollars: float) -> int:
    """Number of monthly payments until a debt is paid off; the last one may be smaller.

        n = ⌈ -ln(1 - r·D/A) / ln(1+r) ⌉

    Units:   dollars; annual_rate is nominal. Result is a count.
    Raises:  ValueError if an amount is not positive, annual_rate is negative, or the payment does not exceed the interest.
    Source:  Regulation Z, 12 CFR 1026, appendix M1 (repayment estimates on credit card statements).

    >>> months_to_payoff(debt_dollars=5_000, annual_rate=0.24, payment_dollars=150)   # 34 without interest
    56
    >>> months_to_payoff(debt_dollars=5_000, annual_rate=0.24, payment_dollars=100)
    Traceback (most recent call last):
    ValueError: 100 dollars per month do not exceed the interest of 100.0 dollars, so the debt never shrinks
    """
    require_positive(debt_dollars=debt_dollars, payment_dollars=payment_dollars)
    require_not_negative(annual_rate=annual_rate)
    if annual_rate == 0:
        return math.ceil(debt_dollars / payment_dollars)
    monthly_rate = annual_rate / 12
    interest = debt_dollars * monthly_rate
    if payment_dollars <= interest:
        raise ValueError(
            f"{payment_dollars} dollars per month do not exceed the interest of {interest} dollars, so the debt never shrinks"
        )
    return math.ceil(-math.log(1 - interest / payment_dollars) / math.log(1 + monthly_rate))


def cheaper_offer(*, price_dollars: float, rebate_dollars: float, annual_rate: float, months: int) -> str:
    """The offer with the lower monthly payment: "zero rate" on the full price, or the "rebate" with a loan for the rest.

        "rebate"  if  A(P - rebate, rate) < P/n

    Units:   dollars; annual_rate is nominal and belongs to the loan with the rebate; months is a count.
    Raises:  ValueError as `monthly_payment`, or if the rebate is not positive.
    Source:  a comparison of `monthly_payment`.

    >>> cheaper_offer(price_dollars=30_000, rebate_dollars=2_500, annual_rate=0.059, months=60)
    'zero rate'
    >>> cheaper_offer(price_dollars=30_000, rebate_dollars=4_000, annual_rate=0.039, months=36)
    'rebate'
    """
    require_positive(rebate_dollars=rebate_dollars)
    lent = price_dollars - rebate_dollars
    with_rebate = monthly_payment(principal_dollars=lent, annual_rate=annual_rate, months=months)
    at_zero = monthly_payment(principal_dollars=price_dollars, annual_rate=0, months=months)
    return "rebate" if with_rebate < at_zero else "zero rate"
