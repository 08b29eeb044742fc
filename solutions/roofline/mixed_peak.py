"""Utilisation of steps whose matmuls run in two formats with different peaks."""

from __future__ import annotations

from ..facts.arguments import require_not_negative, require_positive


def mixed_format_utilisation(
    *, narrow_flop_per_token: float, wide_flop_per_token: float, tokens_per_s_per_gpu: float,
    narrow_peak_flop_per_s: float, wide_peak_flop_per_s: float,
) -> float:  # fmt: skip
    """Return the share of the step time that the matmuls would take if each ran at the peak of its format.

        share = tokens/s · (f_narrow / peak_narrow + f_wide / peak_wide)

    With one format it is the ordinary MFU. No recomputation is counted.

    Units:   FLOP per token, forward and backward; tokens/s of one GPU; dense peaks in FLOP/s. Result as a fraction.
    Raises:  ValueError if a FLOP count is negative, or a rate not positive.
    Source:  pytorch/torchtitan, benchmarks/llama3_h100_202412_torchtitan.md (an MFU is not well-defined with two peaks);
             Chowdhery et al. 2022, arXiv:2204.02311, section 4.1.

    >>> run = {"tokens_per_s_per_gpu": 8532, "narrow_peak_flop_per_s": 1979e12, "wide_peak_flop_per_s": 989e12}
    >>> round(mixed_format_utilisation(narrow_flop_per_token=41.9e9, wide_flop_per_token=16.0e9, **run), 3)    # Llama-3-8B
    0.319
    """
    require_not_negative(narrow_flop_per_token=narrow_flop_per_token, wide_flop_per_token=wide_flop_per_token)
    require_positive(tokens_per_s_per_gpu=tokens_per_s_per_gpu, narrow_peak_flop_per_s=narrow_peak_flop_per_s)
    require_positive(wide_peak_flop_per_s=wide_peak_flop_per_s)
    narrow_s = narrow_flop_per_token / narrow_peak_flop_per_s
    wide_s = wide_flop_per_token / wide_peak_flop_per_s
    return tokens_per_s_per_gpu * (narrow_s + wide_s)
