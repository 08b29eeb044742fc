"""Mismatch between training and rollout in 16-bit formats."""

from __future__ import annotations

from math import log

from ..facts.arguments import require_positive
from .formats import known


def longest_response(
    *, token_deviation: float, largest_factor: float, measured_format: str, number_format: str
) -> float:
    """Return the response length whose probabilities in trainer and rollout engine differ by a factor at one standard deviation.

        n = (ln r / σ')²        σ' = σ · 2^(m - m')

    The differences of the tokens' log-probabilities have mean 0 and are independent, so that their sum over n tokens has a
    deviation of σ·√n. They are taken as proportional to the rounding error, which halves with every mantissa bit.

    Units:   token_deviation of the difference of one token's log-probability (natural logarithm), in the measured format;
             a factor above 1. Result in tokens.
    Raises:  ValueError for an unknown format, a deviation that is not positive, or a factor that is not above 1.
    Source:  Qi et al. 2025, arXiv:2510.26788 (FP16 for rollout and training in RL fine-tuning).

    >>> run = {"token_deviation": 0.02, "largest_factor": 2, "measured_format": "BF16"}
    >>> [round(longest_response(**run, number_format=name)) for name in ("BF16", "FP16")]
    [1201, 76872]
    """
    require_positive(token_deviation=token_deviation, largest_factor_above_one=largest_factor - 1)
    bits = known(number_format).mantissa_bits - known(measured_format).mantissa_bits
    deviation = token_deviation / 2.0**bits
    return (log(largest_factor) / deviation) ** 2
