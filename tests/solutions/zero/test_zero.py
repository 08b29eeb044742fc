"""ZeRO's references against ownership tables and played steps, their limits, and the numbers of real models."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solutions.oracles.zero import zero as table
from solutions.zero import zero

B = 10**9
GB = 1e9
STAGES = (0, 1, 2, 3)

parameter_counts = st.integers(1, 2 * 10**12)
gpu_counts = st.integers(1, 600)
stages = st.sampled_from(STAGES)
rates = st.floats(1e8, 1e12)


def same(first: float, second: float) -> bool:
    return math.isclose(first, second, rel_tol=1e-9, abs_tol=1e-12)


# What a stage leaves on a GPU


@given(parameters=parameter_counts, stage=stages)
def test_one_gpu_holds_everything_whatever_the_stage(parameters: int, stage: int) -> None:
    assert zero.state_bytes_per_gpu(parameters=parameters, gpus=1, stage=stage) == 16 * parameters
    assert zero.memory_cut(gpus=1, stage=stage) == 1


def test_the_four_stages_of_7b_on_64_gpus() -> None:
    by_stage = [zero.state_bytes_per_gpu(parameters=7 * B, gpus=64, stage=stage) / GB for stage in STAGES]
    assert by_stage == [112, 29.3125, 15.53125, 1.75]
    assert zero.state_bytes_per_gpu(parameters=70 * B, gpus=64, stage=3) == 17.5 * GB


def test_between_steps_a_replica_holds_14_bytes_a_parameter() -> None:
    assert zero.lasting_state_bytes_per_gpu(parameters=7 * B, gpus=1, stage=0) == 98 * GB
    assert zero.lasting_state_bytes_per_gpu(parameters=7 * B, gpus=64, stage=1) == 15.3125 * GB
    assert zero.lasting_state_bytes_per_gpu(parameters=7 * B, gpus=64, stage=3) == 1.53125 * GB


def test_megatrons_distributed_optimizer_keeps_6_bytes_and_12_over_dp() -> None:
    layout: dict[str, Any] = {"parameters": 8 * B, "tp": 2, "pp": 2, "dp": 12}
    assert zero.sliced_state_bytes_per_gpu(**layout, stage=1, bytes_per_gradient=4) == 2 * B * (6 + 12 / 12)


# Cuts and room


@given(stage=st.sampled_from([1, 2]), share=st.floats(0.05, 0.995))
def test_from_some_number_of_gpus_on_a_cut_is_near_its_limit(stage: int, share: float) -> None:
    gpus = zero.gpus_for_cut(stage=stage, share=share)
    limit = {1: 4, 2: 8}[stage]
    assert gpus == table.gpus_for_cut(stage=stage, share=share)
    assert zero.memory_cut(gpus=gpus, stage=stage) >= share * limit * (1 - 1e-9)
    assert gpus == 1 or zero.memory_cut(gpus=gpus - 1, stage=stage) < share * limit * (1 + 1e-9)


def test_four_and_eight_are_limits_that_64_gpus_do_not_reach() -> None:
    assert [round(zero.memory_cut(gpus=64, stage=stage), 2) for stage in (1, 2, 3)] == [3.82, 7.21, 64]
    assert zero.memory_cut(gpus=10**9, stage=1) == pytest.approx(4)
    assert zero.memory_cut(gpus=10**9, stage=2) == pytest.approx(8)


@pytest.mark.parametrize("stage", range(4))
def test_two_gpus_are_enough_to_tell_the_stages_apart(stage: int) -> None:
    measured = zero.state_bytes_per_gpu(parameters=1e9, gpus=2, stage=stage)
    case = {"parameters": 1e9, "gpus": 2, "measured_bytes": measured}
    assert zero.nearest_stage(**case) == table.nearest_stage(**case) == stage


# What a step sends


@given(parameters=parameter_counts, gpus=gpu_counts, stage=stages, rate=rates)
def test_traffic_follows_a_step_that_is_played(parameters: int, gpus: int, stage: int, rate: float) -> None:
    case = {"parameters": parameters, "gpus": gpus}
    total = zero.step_traffic_bytes(**case, stage=stage)
    assert same(total, table.step_traffic_bytes(**case, stage=stage))
    seconds = zero.step_traffic_seconds(**case, stage=stage, bandwidth_bytes_per_s=rate)
    assert same(seconds, total / rate)
    assert same(seconds, table.step_traffic_seconds(**case, stage=stage, bandwidth_bytes_per_s=rate))
    whole_messages = sum(entry.message_bytes for entry in table.play_step(parameters, gpus, stage).entries)
    assert same(total, whole_messages * (gpus - 1) / gpus)


@given(parameters=parameter_counts, gpus=st.integers(2, 600))
def test_zero_3_sends_half_as_much_again(parameters: int, gpus: int) -> None:
    third, second = (zero.step_traffic_bytes(parameters=parameters, gpus=gpus, stage=s) for s in (3, 2))
    assert same(third / second, 1.5)


@pytest.mark.parametrize(
    ("stage", "collectives"),
    [
        (0, {"reduce-scatter": 1, "all-gather": 1}),
        (1, {"reduce-scatter": 1, "all-gather": 1}),
        (2, {"reduce-scatter": 1, "all-gather": 1}),
        (3, {"reduce-scatter": 1, "all-gather": 2}),
    ],
)
def test_each_layer_is_scattered_once_and_gathered_once_or_twice(stage: int, collectives: dict[str, int]) -> None:
    played = Counter(entry.name for entry in table.play_step(1000, 4, stage).entries)
    assert played == {name: count * table.LAYERS for name, count in collectives.items()}


def test_in_an_all_gather_of_uneven_ranges_everybody_gets_everything() -> None:
    ledger = table.Ledger(4)
    ledger.all_gather(10, 2.0)
    assert ledger.sent.sum() == 3 * 10 * 2  # each element crosses to the three ranks that lack it
    assert not np.allclose(ledger.sent, ledger.sent[0])
