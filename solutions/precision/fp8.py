"""FP8 training: scales for tensors and blocks, what they cost, and how much faster a step becomes."""

from __future__ import annotations

import math

from ..facts.arguments import require_counts, require_fraction, require_not_negative, require_positive
from .formats import flush_threshold, largest, require_magnitudes, smallest_normal


def fp8_format(*, smallest_value: float, largest_value: float) -> str:
    """Return the FP8 format for a tensor with one scale: E4M3 if its range is enough, else E5M2, else neither.

    The scale puts the largest magnitude at the largest number of the format. The smallest one that matters must then be
    a normal number, so that it keeps all mantissa bits. E4M3 has one bit more of precision, E5M2 a wider range.

    Raises:  ValueError if a magnitude is not positive, or the smallest exceeds the largest.
    Source:  Micikevicius et al. 2022, arXiv:2209.05433, section 3.

    >>> fp8_format(smallest_value=1e-2, largest_value=20.0), fp8_format(smallest_value=1e-7, largest_value=0.5)
    ('E4M3', 'E5M2')
    """
    require_magnitudes(smallest_value=smallest_value, largest_value=largest_value)
    for name in ("E4M3", "E5M2"):
        scale = largest(number_format=name) / largest_value
        if smallest_value * scale >= smallest_normal(number_format=name):
            return name
    return "neither"


def scale_factor(*, amax: float, number_format: str = "E4M3", margin: int = 0) -> float:
    """What a tensor is multiplied by before it is cast: its largest magnitude then is the largest number of the format.

        scale = largest / amax / 2^margin

    The margin leaves room for values that grow until the scale is worked out again.

    Units:   none.
    Raises:  ValueError for an unknown format, or an amax that is not positive.
    Source:  Micikevicius et al. 2022, arXiv:2209.05433, section 2; Transformer Engine, DelayedScaling(margin=0).

    >>> scale_factor(amax=3.5), scale_factor(amax=3.5, margin=2)
    (128.0, 32.0)
    """
    require_positive(amax=amax)
    return largest(number_format=number_format) / amax / 2.0**margin


def largest_lost_value(*, amax: float, number_format: str = "E4M3") -> float:
    """The largest magnitude that becomes 0 when one scale serves a whole tensor or block.

        flush threshold / scale = amax · flush threshold / largest

    Units:   none.
    Raises:  ValueError for an unknown format, or an amax that is not positive.
    Source:  Micikevicius et al. 2022, arXiv:2209.05433, section 3 and table 1.

    >>> largest_lost_value(amax=458.752)         # one outlier of 459 among values of about 1
    0.001
    """
    return flush_threshold(number_format=number_format) / scale_factor(amax=amax, number_format=number_format)


def largest_outlier(*, smallest_value: float, number_format: str = "E4M3") -> float:
    """The outlier that a tensor must stay below for a small value in it to survive, with one scale for both.

        amax = |x| · largest / flush threshold

    Units:   none.
    Raises:  ValueError for an unknown format, or a value that is not positive.
    Source:  Micikevicius et al. 2022, arXiv:2209.05433, section 3 and table 1.

    >>> largest_outlier(smallest_value=1e-3), largest_outlier(smallest_value=1e-3, number_format="E5M2")
    (458.752, 7516192.768)
    """
    require_positive(smallest_value=smallest_value)
    return smallest_value * largest(number_format=number_format) / flush_threshold(number_format=number_format)


def smallest_margin(*, known_amax: float, next_amax: float) -> int:
    """The smallest margin with which a scale from earlier steps still holds the next one without clipping.

        the smallest m of 0, 1, ... with  next_amax <= known_amax · 2^m

    Units:   none.
    Raises:  ValueError if a magnitude is not positive.
    Source:  Transformer Engine, DelayedScaling (margin).

    >>> smallest_margin(known_amax=2.0, next_amax=7.5), smallest_margin(known_amax=2.0, next_amax=1.0)
    (2, 0)
    """
    require_positive(known_amax=known_amax, next_amax=next_amax)
    mantissa, exponent = math.frexp(next_amax / known_amax)
    return max(0, exponent - 1 if mantissa == 0.5 else exponent)


def scale_bytes(*, rows: int, columns: int, block_rows: int, block_columns: int, bytes_per_scale: float) -> float:
    """The scales of a matrix that is cut into blocks with a scale each.

        bytes = ceil(rows / block_rows) · ceil(columns / block_columns) · bytes_per_scale

    Units:   counts; bytes a scale; result in bytes.
    Raises:  ValueError if a count is below 1 or bytes_per_scale not positive.
    Source:  DeepSeek-AI 2024, arXiv:2412.19437, section 3.3.2 (1 by 128 for activations, 128 by 128 for weights).

    >>> sides = {"rows": 8192, "columns": 4096, "bytes_per_scale": 4}
    >>> scale_bytes(**sides, block_rows=1, block_columns=128), scale_bytes(**sides, block_rows=128, block_columns=128)
    (1048576, 8192)
    """
    require_counts(rows=rows, columns=columns, block_rows=block_rows, block_columns=block_columns)
    require_positive(bytes_per_scale=bytes_per_scale)
    return -(-rows // block_rows) * -(-columns // block_columns) * bytes_per_scale


def bits_per_element(*, element_bits: float, block: int, scale_bits: float) -> float:
    """What an element takes with its share of the block's scale.

        bits = element_bits + scale_bits / block

    Units:   bits; block is a count of elements.
    Raises:  ValueError if the block is below 1 or a width negative.
    Source:  OCP Microscaling Formats (MX) specification v1.0, 2023 (blocks of 32 with a scale of 8 bits).

    >>> bits_per_element(element_bits=4, block=32, scale_bits=8), bits_per_element(element_bits=4, block=16, scale_bits=8)
    (4.25, 4.5)
    """
    require_counts(block=block)
    require_not_negative(element_bits=element_bits, scale_bits=scale_bits)
    return element_bits + scale_bits / block


def weights_cut(
    *, linear_parameters: float, other_parameters: float, element_bits: float, block: int, scale_bits: float
) -> float:
    """How many times smaller the weights become when the linear layers are stored in blocks and the others stay in 16 bits.

        (16·P_lin + 16·P_other) / ((bits + scale_bits/block)·P_lin + 16·P_other)

    Units:   bits; block is a count of elements, parameters are counts. Result is a ratio.
    Raises:  ValueError if a count of parameters is not positive, the block below 1 or a width negative.
    Source:  as `bits_per_element`; embedding and output layer stay in 16 bits in DeepSeek-AI 2024, arXiv:2412.19437, section 3.3.1.

    >>> round(weights_cut(linear_parameters=7e9, other_parameters=1e9, element_bits=4, block=16, scale_bits=8), 2)   # and not 4
    2.69
    """
    require_positive(linear_parameters=linear_parameters, other_parameters=other_parameters)
    narrow = bits_per_element(element_bits=element_bits, block=block, scale_bits=scale_bits)
    before = 16 * (linear_parameters + other_parameters)
    return before / (narrow * linear_parameters + 16 * other_parameters)


def step_speedup(*, gemm_share: float, gemm_speedup: float) -> float:
    """How many times faster a step becomes when one part of it becomes faster.

        speed-up = 1 / (1 - p + p/g)

    Units:   gemm_share is the part's share of the time before; ratios.
    Raises:  ValueError if the share does not are in (0, 1], or the speed-up is not positive.
    Source:  Amdahl 1967, AFIPS Spring Joint Computer Conference, pages 483-485.

    >>> step_speedup(gemm_share=0.75, gemm_speedup=2)
    1.6
    """
    require_fraction(gemm_share=gemm_share)
    require_positive(gemm_speedup=gemm_speedup)
    return 1 / (1 - gemm_share + gemm_share / gemm_speedup)


def needed_gemm_share(*, speedup: float, gemm_speedup: float) -> float:
    """The share of the time before that a part must have for a speed-up of the whole step.

        p = (1 - 1/S) / (1 - 1/g)

    Units:   ratios; result is a share of the time before.
    Raises:  ValueError if a speed-up is not above 1, or the step should be faster than the part.
    Source:  Amdahl 1967, solved for the share.

    >>> needed_gemm_share(speedup=1.6, gemm_speedup=2)
    0.75
    """
    require_positive(speedup_above_one=speedup - 1, gemm_speedup_above_one=gemm_speedup - 1)
    if speedup > gemm_speedup:
        raise ValueError(
            f"a step cannot become {speedup} times faster when its part becomes {gemm_speedup} times faster"
        )
    return (1 - 1 / speedup) / (1 - 1 / gemm_speedup)


def smallest_width_that_pays(
    *, bf16_flop_per_s: float, fp8_flop_per_s: float, hbm_bytes_per_s: float, bytes_per_element: float
) -> float:
    """How wide the output of a linear layer must be for its forward pass to gain from FP8, casts included.

        M·K·b / β  =  2·M·K·N · (1/F16 - 1/F8)      so      N = b / (2·β·(1/F16 - 1/F8))

    The cast reads and writes every element of the input (M, K), the product computes with each of them 2·N times. M and K
    cancel. The cast of the weights is omitted: with many tokens it is small, and one cast serves several micro-batches.

    Units:   FLOP/s that the products reach; bytes/s of the GPU's memory; bytes read and written an element of the input.
    Raises:  ValueError if an argument is not positive, or FP8 is not faster.
    Source:  torchao, torchao/float8/README.md, section "Performance" (FP8 pays when the products save more than the casts cost).

    >>> round(smallest_width_that_pays(bf16_flop_per_s=989e12, fp8_flop_per_s=1979e12, hbm_bytes_per_s=3.35e12, bytes_per_element=5))
    1475
    """
    require_positive(bf16_flop_per_s=bf16_flop_per_s, fp8_flop_per_s=fp8_flop_per_s)
    require_positive(hbm_bytes_per_s=hbm_bytes_per_s, bytes_per_element=bytes_per_element)
    saved_s_per_flop = 1 / bf16_flop_per_s - 1 / fp8_flop_per_s
    require_positive(saved_s_per_flop=saved_s_per_flop)
    cast_s_per_element = bytes_per_element / hbm_bytes_per_s
    return cast_s_per_element / (2 * saved_s_per_flop)


def linear_flop_share(
    *, layers: int, hidden: int, ffn_hidden: int, heads: int, kv_heads: int, vocabulary: int, sequence_length: int
) -> float:
    """The share of a step's FLOP that is in the linear layers of a decoder's blocks, the part that FP8 is used for.

        L·m / (L·m + L·2·s·d + V·d)    with    m = 2·d² + 2·d²·k/a + 3·d·f

    A weight takes 6 FLOP per token in forward and backward pass, an entry of the score matrix 12 a channel. Attention scores count
    whole, without the causal mask. The scores and the output layer stay in 16 bits.

    Shapes:  query and output (d, d); key and value (d, d·k/a); gate, up and down (d, f); output layer (d, V)
    Units:   counts; result is a share.
    Raises:  ValueError if a count is below 1, or heads do not divide the width, or kv_heads the heads.
    Source:  Chowdhery et al. 2022, arXiv:2204.02311, appendix B (6N + 12LHQT); DeepSeek-AI 2024, arXiv:2412.19437,
             section 3.3.1 (attention and output head stay in BF16 or FP32).

    >>> small = {"layers": 32, "hidden": 4096, "ffn_hidden": 14336, "heads": 32, "kv_heads": 8, "vocabulary": 128256}
    >>> [round(linear_flop_share(**small, sequence_length=length), 3) for length in (8192, 32768)]
    [0.723, 0.434]
    """
    require_counts(layers=layers, hidden=hidden, ffn_hidden=ffn_hidden, heads=heads, kv_heads=kv_heads)
    require_counts(vocabulary=vocabulary, sequence_length=sequence_length)
    if hidden % heads or heads % kv_heads:
        raise ValueError(f"{heads} heads must divide the width {hidden}, and {kv_heads} KV heads the heads")
    kv_width = hidden // heads * kv_heads
    linear = layers * (2 * hidden * hidden + 2 * hidden * kv_width + 3 * hidden * ffn_hidden)
    scores = layers * 2 * sequence_length * hidden
    output_layer = vocabulary * hidden
    return linear / (linear + scores + output_layer)


def zeroed_share(*, amax: float, typical: float, number_format: str = "E4M3") -> float:
    """The share of a tensor that becomes 0 next to an outlier, when all other values are spread evenly up to a typical magnitude.

        share = min(1, largest lost value / typical)

    Units:   none; a share of the elements.
    Raises:  ValueError for an unknown format, magnitudes that are not positive, or a typical one above the outlier.
    Source:  Micikevicius et al. 2022, arXiv:2209.05433, table 1; DeepSeek-AI 2024, arXiv:2412.19437, section 3.3.2 (outliers).

    >>> round(zeroed_share(amax=45875.2, typical=1.0), 3)
    0.1
    """
    require_magnitudes(smallest_value=typical, largest_value=amax)
    return min(1.0, largest_lost_value(amax=amax, number_format=number_format) / typical)
