"""Fitted laws in decimal arithmetic, followed decade by decade from a budget of 1."""

from __future__ import annotations

from decimal import Decimal, localcontext


def _followed(start: str, *powers: tuple[float, str]) -> float:
    """Multiply a constant by ten to the exponent for each decade, and by the remainder for the last one."""
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
    """Follow the learning rate down, decade by decade of FLOP."""
    return _followed("0.3118", (work_flop, "-0.1250"))


def deepseek_batch_tokens(*, work_flop: float) -> float:
    """Follow the batch size up, decade by decade of FLOP."""
    return _followed("0.2920", (work_flop, "0.3271"))


def step_law_lr(*, parameters: float, tokens: float) -> float:
    """Follow the learning rate down with the parameters, then up with the tokens."""
    return _followed("1.79", (parameters, "-0.713"), (tokens, "0.307"))


def step_law_batch_tokens(*, tokens: float) -> float:
    """Follow the batch size up, decade by decade of tokens."""
    return _followed("0.58", (tokens, "0.571"))
