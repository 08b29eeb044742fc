"""What Adam keeps of a model: references against the rows of a table, and the numbers of real models."""

from __future__ import annotations

import pytest

from solutions import adam

B = 10**9
GB = 1e9


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
