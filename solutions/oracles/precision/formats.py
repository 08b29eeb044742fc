"""Number formats by enumeration: every bit pattern is decoded, and what a format does is read off the sorted list."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

# exponent bits, mantissa bits, and the bit patterns of positive sign that are no numbers, as each specification lists them
LAYOUT = {
    "TF32": (8, 10, range(0xFF << 10, 1 << 18)),
    "BF16": (8, 7, range(0x7F80, 0x8000)),
    "FP16": (5, 10, range(0x7C00, 0x8000)),
    "E5M2": (5, 2, range(0x7C, 0x80)),
    "E4M3": (4, 3, range(0x7F, 0x80)),
    "E2M1": (2, 1, range(0)),
}


@lru_cache(maxsize=64)
def numbers(exponent_bits: int, mantissa_bits: int, excluded_from: int) -> NDArray[np.float64]:
    """All numbers of positive sign, by their bit patterns; these are sorted, as the patterns of floating point are."""
    patterns = np.arange(excluded_from, dtype=np.int64)
    exponent_field = patterns >> mantissa_bits
    mantissa_field = patterns & ((1 << mantissa_bits) - 1)
    bias = (1 << (exponent_bits - 1)) - 1
    hidden_bit = exponent_field > 0
    significand = mantissa_field + (hidden_bit.astype(np.int64) << mantissa_bits)
    power = np.where(hidden_bit, exponent_field, 1) - bias - mantissa_bits
    values: NDArray[np.float64] = np.ldexp(significand.astype(np.float64), power)
    return values


def table(number_format: str) -> NDArray[np.float64]:
    """The numbers of a format by name; FP32 has too many for a list."""
    if number_format not in LAYOUT:
        raise ValueError(f"{number_format!r} is not listed")
    exponent_bits, mantissa_bits, specials = LAYOUT[number_format]
    every = 1 << (exponent_bits + mantissa_bits)
    return numbers(exponent_bits, mantissa_bits, specials.start if len(specials) else every)


def nearest(listed: NDArray[np.float64], value: float) -> float:
    """The entry that is nearest to a value; in a tie the one with an even pattern. Infinite from half a step past the last."""
    magnitude = abs(value)
    above = int(np.searchsorted(listed, magnitude))
    if above == len(listed):
        last_step = listed[-1] - listed[-2]
        beyond = magnitude - listed[-1]
        odd = (len(listed) - 1) % 2 == 1
        lost = beyond > last_step / 2 or (beyond == last_step / 2 and odd)
        return math.copysign(math.inf if lost else float(listed[-1]), value)
    if listed[above] == magnitude:
        return math.copysign(magnitude, value) if magnitude else 0.0
    low, high = float(listed[above - 1]), float(listed[above])
    to_low, to_high = magnitude - low, high - magnitude
    pattern_is_even = (above - 1) % 2 == 0
    found = low if to_low < to_high or (to_low == to_high and pattern_is_even) else high
    return math.copysign(found, value) if found else 0.0


def largest(*, number_format: str) -> float:
    """The last entry."""
    return float(table(number_format)[-1])


def smallest_subnormal(*, number_format: str) -> float:
    """The first entry after 0."""
    return float(table(number_format)[1])


def smallest_normal(*, number_format: str) -> float:
    """The first entry whose exponent field is not 0."""
    return float(table(number_format)[1 << LAYOUT[number_format][1]])


def largest_subnormal(*, number_format: str) -> float:
    """The last entry whose exponent field is 0."""
    return float(table(number_format)[(1 << LAYOUT[number_format][1]) - 1])


def flush_threshold(*, number_format: str) -> float:
    """The largest double that still rounds to 0, by bisection."""
    listed = table(number_format)
    zero, kept = 0.0, float(listed[1])
    while math.nextafter(zero, 1.0) < kept:
        middle = (zero + kept) / 2
        if nearest(listed, middle) == 0:
            zero = middle
        else:
            kept = middle
    return zero


def binades(*, number_format: str) -> int:
    """How many powers of two have an entry in [2^k, 2^(k+1))."""
    exponents = np.frexp(table(number_format)[1:])[1]
    return len(np.unique(exponents))


def spacing(*, value: float, number_format: str) -> float:
    """From the last entry that is not above a magnitude to the one after it."""
    listed = table(number_format)
    place = int(np.searchsorted(listed, abs(value), side="right")) - 1
    if place == len(listed) - 1:
        place -= 1
    return float(listed[place + 1] - listed[place])


def relative_step(*, number_format: str) -> float:
    """The largest relative error over all midpoints between two normal numbers."""
    listed = table(number_format)
    normal = listed[1 << LAYOUT[number_format][1] :]
    low, high = normal[:-1], normal[1:]
    gaps = (high - low) / 2 / low
    return float(gaps.max())


def rounded(*, value: float, number_format: str) -> float:
    """The nearest entry."""
    return nearest(table(number_format), value)


def saturated(*, value: float, number_format: str) -> float:
    """The nearest entry to a value that was clipped first."""
    listed = table(number_format)
    return nearest(listed, max(-float(listed[-1]), min(float(listed[-1]), value)))


def clipped_cast(*, value: float, exponent_bits: int, mantissa_bits: int) -> float:
    """The nearest number of a format whose highest exponent field is reserved, to a value that was clipped first."""
    if not math.isfinite(value):
        raise ValueError("no finite value")
    first_special = ((1 << exponent_bits) - 1) << mantissa_bits
    listed = numbers(exponent_bits, mantissa_bits, first_special)
    return nearest(listed, max(-float(listed[-1]), min(float(listed[-1]), value)))
