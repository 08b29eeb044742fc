"""The roofline against a machine that fetches tiles and computes, and at its edges."""

from __future__ import annotations

import pytest

from solutions.oracles.roofline import roofline as machine
from solutions.roofline import roofline


def test_at_the_ridge_the_arithmetic_is_the_limit() -> None:
    assert roofline.bound_by(intensity=2, peak_flop_per_s=4, memory_bytes_per_s=2) == "compute"


def test_a_matrix_whose_tokens_gain_nothing_stays_memory_bound() -> None:
    chip = {"peak_flop_per_s": 256.0, "memory_bytes_per_s": 1.0}
    with pytest.raises(ValueError, match="memory-bound"):  # 2·512² FLOP a token, and 256·2·2·512 while its bytes move
        roofline.compute_bound_tokens(inputs=512, outputs=512, **chip)
    gaining = {"inputs": 1, "outputs": 1, "peak_flop_per_s": 1.0, "memory_bytes_per_s": 4.0}
    assert roofline.compute_bound_tokens(**gaining) == machine.compute_bound_tokens(
        bytes_per_weight=2, bytes_per_activation=2, **gaining
    )
