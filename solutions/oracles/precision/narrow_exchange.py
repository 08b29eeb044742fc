"""FSDP's collectives and FP8 matmuls, timed for a layer with a million weights."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

WEIGHTS = 10**6


def exchange_to_narrow(*, tokens_per_gpu: float, flop_per_s: float, bus_bandwidth_bytes_per_s: float) -> str:
    """Time both passes for each pair of widths, and return the smallest change that hides."""
    names = {(16, 32): "nothing", (8, 32): "gather", (16, 16): "sum", (8, 16): "both"}

    def hides(gather_bits: int, sum_bits: int) -> bool:
        gather_s = Fraction(WEIGHTS * gather_bits, 8) / Fraction(bus_bandwidth_bytes_per_s)
        sum_s = Fraction(WEIGHTS * sum_bits, 8) / Fraction(bus_bandwidth_bytes_per_s)
        matmul_s = 2 * WEIGHTS * Fraction(tokens_per_gpu) / Fraction(flop_per_s)
        return gather_s <= matmul_s and gather_s + sum_s <= 2 * matmul_s

    hidden = {pair for pair in product((16, 8), (32, 16)) if hides(*pair)}
    return min((names[pair] for pair in hidden), key=list(names.values()).index, default="more tokens")
