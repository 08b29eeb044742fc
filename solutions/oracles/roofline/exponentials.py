"""Exponentials and matmuls of one tile, timed on two units."""

from __future__ import annotations

from ..search import bisect


def polynomial_share(
    *, query_width: int, value_width: int, matmul_flop_per_clock: float, exponentials_per_clock: float, matmul_efficiency: float
) -> float:  # fmt: skip
    """Take exponentials of a 128 by 128 tile off the special function units until these finish with the matmuls."""
    pairs = 128 * 128
    flop = sum(2 * pairs * width for width in (query_width, value_width))
    matmul_clocks = flop / matmul_flop_per_clock / matmul_efficiency

    def spare(share: float) -> float:
        return matmul_clocks - pairs * (1 - share) / exponentials_per_clock

    return 0.0 if spare(0) >= 0 else bisect(spare, 0.0, 1.0)
