"""Response lengths from the spacing of each format, found by bisection."""

from __future__ import annotations

import math

from . import formats


def longest_response(
    *, token_deviation: float, largest_factor: float, measured_format: str, number_format: str
) -> float:
    """Scale the deviation by the spacing at 1, and bisect for the length at which it reaches the logarithm of the factor."""
    finer = formats.spacing(value=1.0, number_format=number_format) / formats.spacing(
        value=1.0, number_format=measured_format
    )
    low, high = 0.0, 1e15
    for _ in range(200):
        middle = (low + high) / 2
        if math.sqrt(middle) * token_deviation * finer < math.log(largest_factor):
            low = middle
        else:
            high = middle
    return high
