"""Fitted laws, followed in decimal arithmetic from a budget of 1, where they have their constant, to the budget asked for."""

from __future__ import annotations

from decimal import Decimal, localcontext


def _followed(start: str, *powers: tuple[float, str]) -> float:
    """Grow the constant decade by decade, each time by ten to the exponent, and by the rest of the last decade."""
    with localcontext(prec=40):
        value = Decimal(start)
        for size, exponent in powers:
            decade = Decimal(10) ** Decimal(exponent)
            left = Decimal(size)
            while left >= 10:
                value, left = value * decade, left / 10
            value *= (left.ln() * Decimal(exponent)).exp()
        return float(value)


def deepseek_lr(*, work_flop: float) -> float:
    """Follow the rate down, decade by decade of FLOP."""
    return _followed("0.3118", (work_flop, "-0.1250"))


def deepseek_batch_tokens(*, work_flop: float) -> float:
    """Follow the batch up, decade by decade of FLOP."""
    return _followed("0.2920", (work_flop, "0.3271"))


def step_law_lr(*, parameters: float, tokens: float) -> float:
    """Follow the rate down with the parameters, then up with the tokens."""
    return _followed("1.79", (parameters, "-0.713"), (tokens, "0.307"))


def step_law_batch_tokens(*, tokens: float) -> float:
    """Follow the batch up, decade by decade of tokens."""
    return _followed("0.58", (tokens, "0.571"))
