"""Searches that several oracles share: where a rising function crosses zero, and the smallest number that fits."""

from __future__ import annotations

from collections.abc import Callable


def bisect(rising: Callable[[float], float], low: float, high: float, rounds: int = 200) -> float:
    """Where a rising function crosses zero, to the last bits; fewer rounds do where the function is slow."""
    for _ in range(rounds):
        middle = (low + high) / 2
        if middle in (low, high):  # no float lies between
            break
        if rising(middle) < 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def smallest(fits: Callable[[int], bool], *, largest: int) -> int:
    """The smallest number that fits, when all larger ones fit too: doubled until it does, then found by bisection."""
    high = 1
    while not fits(high):
        high *= 2
        if high > largest:
            raise ValueError(f"nothing up to {largest} fits")
    low = high // 2  # does not fit, or is 0
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if fits(middle) else (middle, high)
    return high
