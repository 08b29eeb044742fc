"""Both sides of the critical batch: formulas against searches, runs played by the hour, and the worked numbers."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest

from solutions.learning_rate import critical_batch

# Steps, data and their price


def test_at_the_critical_batch_steps_and_data_are_twice_their_minimum() -> None:
    assert critical_batch.steps_to_target(minimum_steps=10_000, critical_batch=2e6, batch=2e6) == 20_000
    assert critical_batch.data_to_target(minimum_data=20e9, critical_batch=2e6, batch=2e6) == 40e9


def test_the_sentence_of_one_to_two_million_tokens_is_not_what_the_fit_gives_at_the_end_of_training() -> None:
    case = {"scale_tokens": 2e8, "exponent": 0.21}
    assert 1e6 < critical_batch.critical_batch_tokens(loss=2.7, **case) < 2e6
    end_of_training = (8.8e13 / 1.5e9) ** 0.076  # Kaplan et al., equation 1.1: the loss that 1.5B parameters end at
    assert round(end_of_training, 2) == 2.30
    assert round(critical_batch.critical_batch_tokens(loss=end_of_training, **case) / 1e6, 1) == 3.8


# Signal and noise


def test_the_best_rate_is_linear_far_below_the_noise_scale_and_level_far_above() -> None:
    below = critical_batch.best_lr(base_lr=0.1, base_batch=1, batch=8, noise_scale=1e9)
    above = critical_batch.best_lr(base_lr=0.1, base_batch=1e9, batch=8e9, noise_scale=1)
    assert math.isclose(below, 0.8, rel_tol=1e-6)
    assert math.isclose(above, 0.1, rel_tol=1e-6)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"big_batch": 1000}, "big_batch must be above small_batch 1000, not 1000"),
        ({"big_square": 4.0}, "big_square must be below small_square 4.0, not 4.0"),
        ({"big_square": 1.0}, "big_square must be above small_square times small_batch over big_batch, not 1.0"),
    ],
)
def test_norms_without_a_noise_scale_are_refused_by_the_name_of_the_argument(wrong: dict[str, Any], told: str) -> None:
    case = {"small_batch": 1000, "big_batch": 4000, "small_square": 4.0, "big_square": 1.75}
    with pytest.raises(ValueError, match=re.escape(told)):
        critical_batch.noise_scale(**{**case, **wrong})
