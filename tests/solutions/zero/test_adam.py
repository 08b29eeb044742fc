"""What Adam keeps of a model: references against the rows of a table, and the numbers of real models."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solutions.oracles.zero import adam as engine
from solutions.zero import adam

B = 10**9
GB = 1e9

parameter_counts = st.integers(1, 2 * 10**12)
widths = st.sampled_from([1, 2, 4])


def same(first: float, second: float) -> bool:
    return math.isclose(first, second, rel_tol=1e-9, abs_tol=1e-12)


@given(parameters=parameter_counts, weight=widths, gradient=widths, master=st.sampled_from([0, 2, 4]), moment=widths)
def test_a_replica_holds_the_sum_of_its_tensors(
    parameters: int, weight: int, gradient: int, master: int, moment: int
) -> None:
    optimizer = {"bytes_per_master": master, "bytes_per_moment": moment}
    case = {"parameters": parameters, "bytes_per_weight": weight, "bytes_per_gradient": gradient, **optimizer}
    whole = adam.replica_state_bytes(**case)
    assert same(whole, engine.replica_state_bytes(**case))
    states = adam.optimizer_bytes(parameters=parameters, **optimizer)
    assert same(states, engine.optimizer_bytes(parameters=parameters, **optimizer))
    weights = adam.weight_bytes(parameters=parameters, bytes_per_weight=weight)
    assert same(weights, engine.weight_bytes(parameters=parameters, bytes_per_weight=weight))
    assert same(whole, weights + gradient * parameters + states)
    ratio = adam.optimizer_to_weight_ratio(bytes_per_weight=weight, **optimizer)
    assert same(ratio, states / weights)
    assert same(ratio, engine.optimizer_to_weight_ratio(bytes_per_weight=weight, **optimizer))


@pytest.mark.parametrize(("billions", "weights_gb", "states_gb"), [(7, 14, 112), (70, 140, 1120), (405, 810, 6480)])
def test_states_weigh_eight_times_the_weights(billions: int, weights_gb: int, states_gb: int) -> None:
    assert adam.weight_bytes(parameters=billions * B) == weights_gb * GB
    assert adam.replica_state_bytes(parameters=billions * B) == states_gb * GB


def test_a_bf16_master_makes_twelve_bytes_ten() -> None:
    assert adam.optimizer_bytes(parameters=70 * B) == 840 * GB
    assert adam.optimizer_bytes(parameters=70 * B, bytes_per_master=2) == 700 * GB


def test_the_optimizer_takes_six_times_the_weights_and_not_two_or_three() -> None:
    assert adam.optimizer_to_weight_ratio(bytes_per_weight=2) == 6
    assert adam.optimizer_to_weight_ratio(bytes_per_weight=2, bytes_per_master=0) == 4


def test_gb_is_not_gib() -> None:
    assert round(adam.weight_bytes(parameters=70 * B) / 2**30, 1) == 130.4
    assert round(adam.parameters_in(weight_bytes=130.385 * 2**30) / B, 2) == 70


@given(weight=st.integers(10**7, 10**13), width=widths)
def test_a_model_is_found_by_the_bytes_of_its_weights(weight: int, width: int) -> None:
    case = {"weight_bytes": weight, "bytes_per_weight": width}
    assert abs(adam.parameters_in(**case) - engine.parameters_in(**case)) < 1


@given(parameters=st.integers(10**6, 10**12), width=st.integers(1, 20), more=st.floats(0, 0.02))
def test_the_size_of_a_file_tells_the_bytes_a_parameter(parameters: int, width: int, more: float) -> None:
    case = {"optimizer_bytes": width * parameters * (1 + more), "parameters": parameters}
    assert adam.optimizer_width(**case) == engine.optimizer_width(**case) == width


@pytest.mark.parametrize(
    ("function", "wrong"),
    [
        ("weight_bytes", {"parameters": 0}),
        ("optimizer_width", {"optimizer_bytes": 1, "parameters": 0}),
        ("weight_bytes", {"parameters": 1, "bytes_per_weight": 0}),
        ("optimizer_bytes", {"parameters": 1, "bytes_per_master": -1}),
        ("optimizer_to_weight_ratio", {"bytes_per_weight": 0}),
        ("replica_state_bytes", {"parameters": 1, "bytes_per_moment": 0}),
        ("parameters_in", {"weight_bytes": 0}),
    ],
)
def test_what_cannot_be_is_refused(function: str, wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="must"):
        getattr(adam, function)(**wrong)
