"""Accumulation in FP8 matmuls: the error of a narrow accumulator, and the cost of promotion to FP32."""

from __future__ import annotations

from ..facts.arguments import require_counts, require_positive

LOST = (
    2.0**-13
)  # relative error of an addition that keeps 14 bits (DeepSeek-V3, section 3.3.2: "around 14 bits" on H800)
INSTRUCTION = (
    32  # products that a Hopper FP8 instruction adds up before it adds to the accumulator (PTX ISA, wgmma, k = 32)
)


def accumulation_error(*, elements: int) -> float:
    """Return a bound on the relative error of an FP8 sum over some elements in Hopper's accumulator, if all products have one sign.

        error = (elements / 32) · 2^-13

    An instruction adds 32 products at a time, and each addition to the accumulator keeps 14 bits.

    Units:   a count, a multiple of 32. Result is a fraction.
    Raises:  ValueError if elements is not a positive multiple of 32.
    Source:  DeepSeek-AI 2024, arXiv:2412.19437, section 3.3.2.

    >>> round(accumulation_error(elements=4096), 4)    # the report measured nearly 2 %
    0.0156
    """
    require_counts(elements=elements)
    if elements % INSTRUCTION:
        raise ValueError(f"elements must be a multiple of {INSTRUCTION}, not {elements}")
    return elements // INSTRUCTION * LOST


def promotion_share(*, largest_error: float, matmul_flop_per_s: float, fp32_flop_per_s: float) -> float:
    """Return the time of promotions to FP32 relative to the FP8 matmul, at the longest interval that is accurate enough.

        share = (F8 / F32) / N        N = 32 · ⌊error / 2^-13⌋

    After N elements a partial sum leaves the accumulator: it is multiplied by its scales and added in FP32, 2 FLOP
    against the 2·N of the matmul.

    Units:   a fraction; FLOP/s of the tensor cores in FP8 and of the ordinary cores in FP32. Result is a fraction.
    Raises:  ValueError if an argument is not positive, or not even one instruction is accurate enough.
    Source:  DeepSeek-AI 2024, arXiv:2412.19437, section 3.3.2 (N = 128).

    >>> round(promotion_share(largest_error=0.0005, matmul_flop_per_s=1979e12, fp32_flop_per_s=67e12), 3)    # N = 128
    0.231
    """
    require_positive(largest_error=largest_error, matmul_flop_per_s=matmul_flop_per_s, fp32_flop_per_s=fp32_flop_per_s)
    additions = int(largest_error / LOST)
    if additions < 1:
        raise ValueError(f"one addition loses {LOST:g}, more than {largest_error:g}")
    interval = INSTRUCTION * additions
    return matmul_flop_per_s / fp32_flop_per_s / interval
