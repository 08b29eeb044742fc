"""Rates that a chip achieves, and the time of a matrix multiplication at these rates."""

from __future__ import annotations

from functools import cache, lru_cache

from ..facts import hardware
from ..facts.arguments import require_positive
from .constants import chip, constant


@cache
def hbm_bytes_per_s(accelerator: str) -> float:
    """Return the achieved memory bandwidth of a chip.

    >>> hbm_bytes_per_s("H100-80GB") < 3.35e12
    True
    """
    return hardware.hbm_bytes_per_s(accelerator=accelerator) * constant("hbm")


@cache
def peak_flop_per_s(accelerator: str, precision: str = "bf16") -> float:
    """Return the dense peak FLOP/s for a precision; a chip without it uses the next wider one, and FP16 before Ampere.

    >>> peak_flop_per_s("A100-80GB", "fp8") == peak_flop_per_s("A100-80GB")
    True
    """
    return hardware.peak_flop_per_s(accelerator=accelerator, number_format=_computed_in(accelerator, precision))


@cache
def _computed_in(accelerator: str, precision: str) -> str:
    narrow = {"nvfp4": ("fp4", "fp8"), "mxfp8": ("fp8",), "fp8": ("fp8",)}.get(precision, ())
    known = hardware.number_formats(accelerator=accelerator)
    return next(name for name in (*narrow, "bf16", "fp16") if name in known)


@lru_cache(maxsize=1 << 14)
def product_seconds(
    accelerator: str, precision: str, *, tokens: float, inputs: float, outputs: float, copies: float = 1
) -> float:
    """Return the time of `copies` matrix multiplications of (tokens, inputs) by (inputs, outputs).

        seconds = FLOP / (share · peak) + product_memory · bytes / bandwidth

    The second term makes thin matrices slow: they move more bytes per FLOP. A dimension that is not a multiple of 64 leaves
    tensor-core tiles partly empty.

    Units:   counts, on one GPU. Result in seconds.
    Raises:  ValueError if a size is not positive, or the chip unknown.
    Source:  Williams, Waterman & Patterson 2009, doi:10.1145/1498765.1498785; NVIDIA, Matrix Multiplication Background
             User's Guide, section 3 (tile quantization); the shares are in planner/constants.yaml.

    >>> wide = product_seconds("H100-80GB", "bf16", tokens=8192, inputs=8192, outputs=8192)
    >>> 2 * 8192**3 / wide / 989e12 < 0.75
    True
    """
    require_positive(tokens=tokens, inputs=inputs, outputs=outputs, copies=copies)
    row = chip(accelerator)
    rate: float = peak_flop_per_s(accelerator, precision) * row.get(_computed_in(accelerator, precision), row["matmul"])
    if inputs % 64 or outputs % 64:
        rate *= constant("misaligned")
    moved = 2 * (tokens * inputs + inputs * outputs + tokens * outputs)
    waited = constant("product_memory") * moved / hbm_bytes_per_s(accelerator)
    return copies * (2 * tokens * inputs * outputs / rate + waited)
