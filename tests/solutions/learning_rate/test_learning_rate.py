"""Rules of the learning rate against averaged gradients and noise, a rule fitted to two sweeps, and worked numbers."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solutions.learning_rate import learning_rate
from solutions.oracles.learning_rate import learning_rate as engine

rates = st.floats(1e-6, 1.0)
batches = st.floats(16.0, 4e3)
BASE: dict[str, Any] = {"base_lr": 3e-4, "base_batch": 256}


def same(first: float, second: float) -> bool:
    return math.isclose(first, second, rel_tol=1e-9, abs_tol=1e-12)


@given(base_lr=rates, base_batch=st.integers(1, 300), batch=st.integers(1, 300))
def test_frozen_gradients_give_the_linear_rule_and_noise_the_square_root(
    base_lr: float, base_batch: int, batch: int
) -> None:
    case: dict[str, Any] = {"base_lr": base_lr, "base_batch": base_batch, "batch": batch}
    assert same(learning_rate.linear_rule_lr(**case), engine.played_linear_lr(**case))
    assert same(learning_rate.square_root_rule_lr(**case), engine.noise_matched_lr(**case))


@given(base_lr=rates, base_batch=batches, batch=batches)
def test_the_square_root_rule_is_the_geometric_middle_of_nothing_and_linear(
    base_lr: float, base_batch: float, batch: float
) -> None:
    case = {"base_lr": base_lr, "base_batch": base_batch, "batch": batch}
    assert same(learning_rate.square_root_rule_lr(**case) ** 2, base_lr * learning_rate.linear_rule_lr(**case))


@given(base_lr=rates, base_batch=st.floats(16.0, 500.0), factor=st.floats(1.0, 5.0))
def test_the_batch_for_a_rate_gives_that_rate_back(base_lr: float, base_batch: float, factor: float) -> None:
    case = {"base_lr": base_lr, "base_batch": base_batch}
    batch = learning_rate.square_root_rule_batch(lr=factor * base_lr, **case)
    assert same(learning_rate.square_root_rule_lr(batch=batch, **case), factor * base_lr)
    assert same(batch, engine.searched_noise_batch(lr=factor * base_lr, **case))


def test_eight_times_the_batch_is_eight_times_the_rate_or_two_point_eight_three() -> None:
    assert same(learning_rate.linear_rule_lr(batch=2048, **BASE), 2.4e-3)
    assert round(learning_rate.square_root_rule_lr(batch=2048, **BASE), 7) == 8.485e-4
    assert round(learning_rate.square_root_rule_lr(batch=2048, **BASE) / 3e-4, 2) == 2.83


def test_the_same_batch_keeps_its_rate_under_either_rule() -> None:
    assert learning_rate.linear_rule_lr(batch=256, **BASE) == 3e-4
    assert learning_rate.square_root_rule_lr(batch=256, **BASE) == 3e-4


@given(base_lr=rates, base_batch=st.integers(1, 512), factor=st.integers(1, 16))
def test_under_a_mean_loss_the_linear_rule_leaves_each_sample_its_weight(
    base_lr: float, base_batch: int, factor: int
) -> None:
    case = {"base_lr": base_lr, "base_batch": base_batch, "batch": base_batch * factor}
    for rule, weight in (
        (learning_rate.linear_rule_lr, 1.0),
        (learning_rate.square_root_rule_lr, factor**-0.5),
    ):
        lr = rule(**case)
        assert same(learning_rate.sample_weight(lr=lr, **case), weight)
        assert same(engine.moved_by_one_sample(lr=lr, **case), weight)


@given(first=st.floats(16.0, 1e4), growth=st.floats(1.5, 64.0), further=st.floats(0.2, 64.0), base_lr=rates,
       power=st.floats(0.1, 1.2))  # fmt: skip
def test_two_sweeps_on_a_power_tell_the_third(
    first: float, growth: float, further: float, base_lr: float, power: float
) -> None:
    case = {"first_batch": first, "first_lr": base_lr, "second_batch": first * growth,
            "second_lr": base_lr * growth**power, "batch": first * growth * further}  # fmt: skip
    lr = learning_rate.rate_from_two_sweeps(**case)
    assert math.isclose(lr, base_lr * (growth * further) ** power, rel_tol=1e-9)
    assert math.isclose(lr, engine.aligned_lr(**case), rel_tol=1e-9)


def test_sweeps_on_a_rule_give_the_rule_back() -> None:
    for rule in (learning_rate.linear_rule_lr, learning_rate.square_root_rule_lr):
        second = {"second_batch": 1024.0, "second_lr": rule(batch=1024, **BASE)}
        lr = learning_rate.rate_from_two_sweeps(first_batch=256.0, first_lr=3e-4, batch=2048.0, **second)
        assert same(lr, rule(batch=2048, **BASE))


@given(window=st.floats(20.0, 5000.0), base_batch=batches, factor=st.floats(1.0, 16.0))
def test_adam_looks_back_over_as_many_samples_as_before(window: float, base_batch: float, factor: float) -> None:
    case = {"beta": 1 - 1 / window, "base_batch": base_batch, "batch": factor * base_batch}
    steps = learning_rate.adam_window_steps(**case)
    assert math.isclose(steps, engine.summed_adam_window(**case), rel_tol=1e-9)
    assert math.isclose(steps * case["batch"], window * base_batch, rel_tol=1e-9)


BAD: list[tuple[Any, dict[str, Any]]] = [
    (learning_rate.linear_rule_lr, {"batch": 0, **BASE}),
    (learning_rate.square_root_rule_lr, {"batch": -1, **BASE}),
    (learning_rate.square_root_rule_batch, {"lr": 0, **BASE}),
    (learning_rate.sample_weight, {"lr": 1e-3, "batch": 0, **BASE}),
    (learning_rate.adam_window_steps, {"beta": 0.9, "base_batch": 1, "batch": 11}),
    (learning_rate.adam_window_steps, {"beta": 0.5, "base_batch": 1, "batch": 2}),
    (learning_rate.adam_window_steps, {"beta": 1.0, "base_batch": 1, "batch": 2}),
    (
        learning_rate.rate_from_two_sweeps,
        {"first_batch": 1, "first_lr": 1, "second_batch": 1, "second_lr": 2, "batch": 4},
    ),
]


@pytest.mark.parametrize(("function", "arguments"), BAD)
def test_impossible_arguments_are_refused(function: Any, arguments: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"must|more than"):
        function(**arguments)
