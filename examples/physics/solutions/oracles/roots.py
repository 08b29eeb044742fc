"""Equations solved by trial, for several oracles."""

from __future__ import annotations

from collections.abc import Callable


def root(of: Callable[[float], float], low: float, high: float) -> float:
    """Return where a function changes its sign, by bisection."""
    sign = of(low) > 0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if (of(middle) > 0) == sign else (low, middle)
    return (low + high) / 2
