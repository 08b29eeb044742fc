"""Both sides of the critical batch: formulas against searches, runs played by the hour, and the worked numbers."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solutions.learning_rate import critical_batch
from solutions.oracles.learning_rate import critical_batch as engine

batches = st.floats(16.0, 4e3)
tokens = st.floats(1e4, 1e9)
RUN: dict[str, Any] = {"gpus": 128, "tokens_per_gpu_s": 8000, "dollars_per_gpu_s": 2 / 3600}


def same(first: float, second: float) -> bool:
    return math.isclose(first, second, rel_tol=1e-9, abs_tol=1e-12)


# Steps, data and their price


@given(minimum=st.floats(10.0, 1e6), critical=tokens, batch=tokens)
def test_steps_and_data_lie_on_the_trade_off(minimum: float, critical: float, batch: float) -> None:
    case = {"critical_batch": critical, "batch": batch}
    steps = critical_batch.steps_to_target(minimum_steps=minimum, **case)
    assert same(steps, engine.searched_steps_to_target(minimum_steps=minimum, **case))
    data = critical_batch.data_to_target(minimum_data=minimum * critical, **case)
    assert same(data, engine.searched_data_to_target(minimum_data=minimum * critical, **case))
    assert same(data, steps * batch)


@given(critical=tokens, batch=tokens)
def test_a_larger_batch_never_needs_more_steps_nor_less_data(critical: float, batch: float) -> None:
    for larger in (1.5, 2.0, 10.0):
        case = {"critical_batch": critical}
        steps = [critical_batch.steps_to_target(minimum_steps=1e4, batch=b, **case) for b in (batch, larger * batch)]
        data = [critical_batch.data_to_target(minimum_data=1e9, batch=b, **case) for b in (batch, larger * batch)]
        assert steps[1] < steps[0] <= larger * steps[1]
        assert data[0] < data[1] <= larger * data[0]


def test_at_the_critical_batch_steps_and_data_are_twice_their_minimum() -> None:
    assert critical_batch.steps_to_target(minimum_steps=10_000, critical_batch=2e6, batch=2e6) == 20_000
    assert critical_batch.data_to_target(minimum_data=20e9, critical_batch=2e6, batch=2e6) == 40e9


@given(loss=st.floats(1.5, 8.0), scale=st.floats(1e7, 1e9), exponent=st.floats(0.1, 0.5))
def test_the_critical_batch_is_found_from_the_loss_alone(loss: float, scale: float, exponent: float) -> None:
    case = {"scale_tokens": scale, "exponent": exponent}
    found = critical_batch.critical_batch_tokens(loss=loss, **case)
    assert math.isclose(found, engine.integrated_critical_batch(loss=loss, **case), rel_tol=1e-8)
    assert critical_batch.critical_batch_tokens(loss=0.9 * loss, **case) > found
    back = critical_batch.loss_for_critical_batch(critical_batch=found, **case)
    assert math.isclose(back, loss, rel_tol=1e-9)
    assert math.isclose(back, engine.integrated_loss(critical_batch=found, **case), rel_tol=1e-8)


@given(minimum=st.floats(1e9, 1e12), critical=st.floats(1e5, 1e7), spare=st.floats(0.01, 20.0))
def test_the_batch_for_the_data_uses_them_up(minimum: float, critical: float, spare: float) -> None:
    case = {"minimum_data": minimum, "critical_batch": critical}
    data = minimum * (1 + spare)
    batch = critical_batch.batch_for_data(data=data, **case)
    assert math.isclose(critical_batch.data_to_target(batch=batch, **case), data, rel_tol=1e-9)
    assert math.isclose(batch, engine.searched_batch_for_data(data=data, **case), rel_tol=1e-7)


def test_the_sentence_of_one_to_two_million_tokens_is_not_what_the_fit_gives_at_the_end_of_training() -> None:
    case = {"scale_tokens": 2e8, "exponent": 0.21}
    assert 1e6 < critical_batch.critical_batch_tokens(loss=2.7, **case) < 2e6
    end_of_training = (8.8e13 / 1.5e9) ** 0.076  # Kaplan et al., equation 1.1: the loss that 1.5B parameters end at
    assert round(end_of_training, 2) == 2.30
    assert round(critical_batch.critical_batch_tokens(loss=end_of_training, **case) / 1e6, 1) == 3.8


@given(critical=st.floats(1e6, 8e6), batch=st.floats(5e5, 8e6), factor=st.floats(1.2, 8.0))
def test_the_price_of_a_day_is_what_two_played_runs_say(critical: float, batch: float, factor: float) -> None:
    case = {"minimum_data": 5e11, "critical_batch": critical, "batch": batch, "factor": factor, **RUN}
    ours, played = critical_batch.dollars_per_second_saved(**case), engine.played_dollars_per_second(**case)
    assert math.isclose(ours, played, rel_tol=1e-6)


def test_a_saved_day_costs_a_day_of_the_larger_run_times_the_batch_over_the_critical_one() -> None:
    case: dict[str, Any] = {"minimum_data": 1e12, "critical_batch": 4e6, "batch": 2e6, "factor": 3, **RUN}
    assert same(critical_batch.dollars_per_second_saved(**case), 3 * 128 * 2 / 3600 * 2 / 4)


def test_a_day_gets_dearer_the_further_the_batch_has_grown() -> None:
    case: dict[str, Any] = {"minimum_data": 1e12, "critical_batch": 4e6, "factor": 2, **RUN}
    prices = [critical_batch.dollars_per_second_saved(batch=batch, **case) for batch in (1e6, 2e6, 4e6, 8e6)]
    assert prices == sorted(prices)


# Signal and noise


@given(signal=st.floats(0.01, 100.0), noise=st.floats(0.5, 50.0), small=batches, growth=st.floats(1.5, 64.0))
def test_two_norms_give_the_noise_scale_back(signal: float, noise: float, small: float, growth: float) -> None:
    scale, big = noise * small, growth * small
    case = {"small_batch": small, "big_batch": big,
            "small_square": signal * (1 + scale / small), "big_square": signal * (1 + scale / big)}  # fmt: skip
    for found in (critical_batch.noise_scale(**case), engine.searched_noise_scale(**case)):
        assert math.isclose(found, scale, rel_tol=1e-6)


@given(base_batch=batches, batch=batches, noise=st.floats(1.0, 1e5))
def test_the_best_rate_is_where_a_noisy_step_gains_most(base_batch: float, batch: float, noise: float) -> None:
    case = {"base_lr": 0.1, "base_batch": base_batch, "batch": batch, "noise_scale": noise}
    ours, searched = critical_batch.best_lr(**case), engine.searched_best_lr(**case)
    assert math.isclose(ours, searched, rel_tol=1e-6)


def test_the_best_rate_is_linear_far_below_the_noise_scale_and_level_far_above() -> None:
    below = critical_batch.best_lr(base_lr=0.1, base_batch=1, batch=8, noise_scale=1e9)
    above = critical_batch.best_lr(base_lr=0.1, base_batch=1e9, batch=8e9, noise_scale=1)
    assert math.isclose(below, 0.8, rel_tol=1e-6)
    assert math.isclose(above, 0.1, rel_tol=1e-6)


BAD: list[tuple[Any, dict[str, Any]]] = [
    (critical_batch.steps_to_target, {"minimum_steps": 1, "critical_batch": 0, "batch": 1}),
    (critical_batch.data_to_target, {"minimum_data": 1, "critical_batch": 1, "batch": float("inf")}),
    (critical_batch.batch_for_data, {"minimum_data": 2e9, "critical_batch": 1e6, "data": 2e9}),
    (critical_batch.loss_for_critical_batch, {"critical_batch": 0, "scale_tokens": 2e8, "exponent": 0.21}),
    (critical_batch.critical_batch_tokens, {"loss": 0, "scale_tokens": 2e8, "exponent": 0.21}),
    (
        critical_batch.dollars_per_second_saved,
        {"minimum_data": 1e12, "critical_batch": 4e6, "batch": 2e6, "factor": 1, **RUN},
    ),
    (critical_batch.noise_scale, {"small_batch": 2, "big_batch": 1, "small_square": 4, "big_square": 2}),
    (critical_batch.noise_scale, {"small_batch": 1, "big_batch": 10, "small_square": 4, "big_square": 0.1}),
    (critical_batch.best_lr, {"base_lr": 0.1, "base_batch": 1, "batch": 1, "noise_scale": 0}),
]


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"big_batch": 1000}, "big_batch must be above small_batch 1000, not 1000"),
        ({"big_square": 5.0}, "big_square must be below small_square 4.0, not 5.0"),
        ({"big_square": 4.0}, "big_square must be below small_square 4.0, not 4.0"),
        ({"big_square": 1.0}, "big_square must be above small_square times small_batch over big_batch, not 1.0"),
    ],
)
def test_norms_without_a_noise_scale_are_refused_by_the_name_of_the_argument(wrong: dict[str, Any], told: str) -> None:
    case = {"small_batch": 1000, "big_batch": 4000, "small_square": 4.0, "big_square": 1.75}
    with pytest.raises(ValueError, match=re.escape(told)):
        critical_batch.noise_scale(**{**case, **wrong})


@pytest.mark.parametrize(("function", "arguments"), BAD)
def test_impossible_arguments_are_refused(function: Any, arguments: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="must"):
        function(**arguments)
