"""Exponentials as a third roof: special function units next to the matmuls of fused attention."""

from __future__ import annotations

from ..facts.arguments import require_counts, require_fraction, require_positive


def polynomial_share(
    *, query_width: int, value_width: int, matmul_flop_per_clock: float, exponentials_per_clock: float, matmul_efficiency: float
) -> float:  # fmt: skip
    """Return the share of exponentials to compute as polynomials so that the rest take no longer than the matmuls.

        share = max(0, 1 - t_matmul / t_exp)        t_matmul = 2·(h_qk + h_v) / (e·F)        t_exp = 1 / E        per pair

    Each pair of a query and a key takes one exponential and two dot products, of the widths of a query and of a value.

    Units:   channels of a head; FLOP and exponentials per clock cycle of one multiprocessor; a fraction. Result as a fraction.
    Raises:  ValueError if a count is below 1, a rate is not positive, or the efficiency is not a fraction.
    Source:  Shah et al. 2024 (FlashAttention-3), arXiv:2407.08608, section 3.2; Zadouri et al. 2026 (FlashAttention-4),
             arXiv:2603.05451 (8192 FLOP and 16 exponentials per clock and multiprocessor of a B200).

    >>> b200 = {"matmul_flop_per_clock": 8192, "exponentials_per_clock": 16, "matmul_efficiency": 1.0}
    >>> [polynomial_share(query_width=width, value_width=width, **b200) for width in (128, 64)]
    [0.0, 0.5]
    """
    require_counts(query_width=query_width, value_width=value_width)
    require_positive(matmul_flop_per_clock=matmul_flop_per_clock, exponentials_per_clock=exponentials_per_clock)
    require_fraction(matmul_efficiency=matmul_efficiency)
    matmul_clocks = 2 * (query_width + value_width) / (matmul_efficiency * matmul_flop_per_clock)
    exponential_clocks = 1 / exponentials_per_clock
    return max(0.0, 1 - matmul_clocks / exponential_clocks)
