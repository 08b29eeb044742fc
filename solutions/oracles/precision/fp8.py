"""FP8 by casting: tensors are scaled and cast, blocks are walked, steps are made of kernels, and layers of matrices."""

from __future__ import annotations

from fractions import Fraction

from ..roofline.layer_flop import attention_flop_per_pair_and_channel, flop_per_weight_and_token
from ..search import bisect
from .formats import nearest, table


def fp8_format(*, smallest_value: float, largest_value: float) -> str:
    """Scale the smallest value for each format, and see whether its neighbours there are as near as mantissa bits put them."""
    for name, mantissa_bits in (("E4M3", 3), ("E5M2", 2)):
        listed = [Fraction(number) for number in table(name)]
        scaled = Fraction(smallest_value) / Fraction(largest_value) * listed[-1]
        below = max(number for number in listed if number <= scaled)
        if (
            scaled == listed[-1]
            or (min(number for number in listed if number > scaled) - below) * 2**mantissa_bits <= scaled
        ):
            return name
    return "neither"


def scale_factor(*, amax: float, number_format: str = "E4M3", margin: int = 0) -> float:
    """Double and halve from 1 until the scaled amax fills the format, then meet it exactly; the margin halves again."""
    top = float(table(number_format)[-1])
    scale = 1.0
    while scale * amax < top:
        scale *= 2
    while scale * amax > top:
        scale /= 2
    scale *= top / (scale * amax)
    for _ in range(margin):
        scale /= 2
    return scale


def largest_lost_value(*, amax: float, number_format: str = "E4M3") -> float:
    """Bisect the value that just survives the cast next to an outlier."""
    listed = table(number_format)
    scale = float(listed[-1]) / amax
    return bisect(lambda value: 1.0 if nearest(listed, value * scale) else -1.0, 0.0, amax)


def largest_outlier(*, smallest_value: float, number_format: str = "E4M3") -> float:
    """Bisect how many times the value an outlier is, next to which that value is just lost."""
    listed = table(number_format)
    scaled = float(listed[-1])
    return smallest_value * bisect(lambda times: -1.0 if nearest(listed, scaled / times) else 1.0, 1.0, 1e18)


def smallest_margin(*, known_amax: float, next_amax: float) -> int:
    """Raise the margin until nothing is clipped."""
    margin = 0
    while next_amax * (448 / known_amax / 2**margin) > 448 * (1 + 1e-12):
        margin += 1
    return margin


def scale_bytes(*, rows: int, columns: int, block_rows: int, block_columns: int, bytes_per_scale: float) -> float:
    """Walk over the corners of all blocks."""
    down = range(0, rows, block_rows)
    across = range(0, columns, block_columns)
    return sum(bytes_per_scale * len(across) for _ in down)


def bits_per_element(*, element_bits: float, block: int, scale_bits: float) -> float:
    """One block, all its bits, over its elements."""
    bits = scale_bits
    for _ in range(block):
        bits += element_bits
    return bits / block


def weights_cut(
    *, linear_parameters: float, other_parameters: float, element_bits: float, block: int, scale_bits: float
) -> float:
    """Fill whole blocks with the linear weights, and add the bits up in both ways."""
    blocks = linear_parameters / block
    stored = blocks * (block * element_bits) + blocks * scale_bits + other_parameters * 16
    wide = sum(16 * parameters for parameters in (linear_parameters, other_parameters))
    return wide / stored


def step_speedup(*, gemm_share: float, gemm_speedup: float) -> float:
    """A step of a million ticks, the matrix products first, played at both speeds."""
    ticks = 1_000_000
    products = gemm_share * ticks
    clock = products / gemm_speedup
    clock += ticks - products
    return ticks / clock


def needed_gemm_share(*, speedup: float, gemm_speedup: float) -> float:
    """Bisect the share."""
    if speedup > gemm_speedup or speedup <= 1:
        raise ValueError("no share does it")
    return bisect(lambda share: step_speedup(gemm_share=share, gemm_speedup=gemm_speedup) - speedup, 0.0, 1.0)


def smallest_width_that_pays(
    *, bf16_flop_per_s: float, fp8_flop_per_s: float, hbm_bytes_per_s: float, bytes_per_element: float
) -> float:
    """Time a layer of 8,192 tokens and 4,096 channels both ways, and bisect the width of its output."""
    tokens, channels = 8192, 4096

    def saved_s(width: float) -> float:
        flop = 2 * tokens * channels * width
        in_8_bits = flop / fp8_flop_per_s + tokens * channels * bytes_per_element / hbm_bytes_per_s
        return flop / bf16_flop_per_s - in_8_bits

    return bisect(saved_s, 0.0, 1e9)


def linear_flop_share(
    *, layers: int, hidden: int, ffn_hidden: int, heads: int, kv_heads: int, vocabulary: int, sequence_length: int
) -> float:
    """List the matrices of the model, and count their FLOP per token by running small ones."""
    head = hidden // heads
    inputs_and_outputs = [
        *[(hidden, head)] * heads,  # queries, head by head
        *[(hidden, head)] * (2 * kv_heads),  # keys and values
        (hidden, hidden),
        *[(hidden, ffn_hidden)] * 2,
        (ffn_hidden, hidden),
    ]
    a_weight = flop_per_weight_and_token()
    linear = layers * sum(a_weight * rows * columns for rows, columns in inputs_and_outputs)
    scores = layers * attention_flop_per_pair_and_channel() * sequence_length * hidden
    output_layer = a_weight * hidden * vocabulary
    return float(Fraction(linear) / (linear + scores + output_layer))


def zeroed_share(*, amax: float, typical: float, number_format: str = "E4M3") -> float:
    """The length of what is lost, over the length of all values."""
    lost = largest_lost_value(amax=amax, number_format=number_format)
    return min(typical, lost) / typical
