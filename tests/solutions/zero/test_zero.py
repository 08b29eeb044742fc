"""ZeRO's references against ownership tables and played steps, their limits, and the numbers of real models."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solutions.oracles.ring import ring as ring_engine
from solutions.oracles.zero import zero as table
from solutions.zero import zero

B = 10**9
GB = 1e9
STAGES = (0, 1, 2, 3)

parameter_counts = st.integers(1, 2 * 10**12)
gpu_counts = st.integers(1, 600)
stages = st.sampled_from(STAGES)
widths = st.sampled_from([1, 2, 4])
rates = st.floats(1e8, 1e12)


def same(first: float, second: float) -> bool:
    return math.isclose(first, second, rel_tol=1e-9, abs_tol=1e-12)


# What a stage leaves on a GPU


@given(parameters=parameter_counts, gpus=gpu_counts, stage=stages, gradient=widths)
def test_states_follow_the_ownership_table(parameters: int, gpus: int, stage: int, gradient: int) -> None:
    case = {"parameters": parameters, "gpus": gpus, "stage": stage}
    assert same(
        zero.state_bytes_per_gpu(**case, bytes_per_gradient=gradient),
        table.state_bytes_per_gpu(**case, bytes_per_gradient=gradient),
    )
    assert same(zero.lasting_state_bytes_per_gpu(**case), table.lasting_state_bytes_per_gpu(**case))


@given(parameters=parameter_counts, gpus=gpu_counts)
def test_every_shard_has_one_owner_and_ranks_differ_by_an_element_a_tensor(parameters: int, gpus: int) -> None:
    for row in table.adam_tensors():
        mine = table.held(row, elements=parameters, ranks=gpus, stage=3)
        assert mine.sum() == parameters
        assert mine.max() - mine.min() <= 1


@given(parameters=parameter_counts, gpus=st.integers(2, 600))
def test_each_stage_holds_less_than_the_one_before(parameters: int, gpus: int) -> None:
    by_stage = [zero.state_bytes_per_gpu(parameters=parameters, gpus=gpus, stage=stage) for stage in STAGES]
    assert by_stage == sorted(by_stage, reverse=True)
    assert len(set(by_stage)) == 4


@given(parameters=parameter_counts, stage=stages)
def test_one_gpu_holds_everything_whatever_the_stage(parameters: int, stage: int) -> None:
    assert zero.state_bytes_per_gpu(parameters=parameters, gpus=1, stage=stage) == 16 * parameters
    assert zero.memory_cut(gpus=1, stage=stage) == 1


def test_the_four_stages_of_7b_on_64_gpus() -> None:
    by_stage = [zero.state_bytes_per_gpu(parameters=7 * B, gpus=64, stage=stage) / GB for stage in STAGES]
    assert by_stage == [112, 29.3125, 15.53125, 1.75]
    assert zero.state_bytes_per_gpu(parameters=70 * B, gpus=64, stage=3) == 17.5 * GB


def test_fp32_gradients_cost_two_bytes_more_where_gradients_lie() -> None:
    def more(stage: int) -> float:
        case = {"parameters": 8 * B, "gpus": 128, "stage": stage}
        return float(zero.state_bytes_per_gpu(**case, bytes_per_gradient=4) - zero.state_bytes_per_gpu(**case))

    assert more(1) == 16 * GB
    assert same(more(2), 16 * GB / 128)
    assert zero.state_bytes_per_gpu(parameters=8 * B, gpus=128, stage=2, bytes_per_gradient=4) == 17 * GB


def test_between_steps_a_replica_holds_14_bytes_a_parameter() -> None:
    assert zero.lasting_state_bytes_per_gpu(parameters=7 * B, gpus=1, stage=0) == 98 * GB
    assert zero.lasting_state_bytes_per_gpu(parameters=7 * B, gpus=64, stage=1) == 15.3125 * GB
    assert zero.lasting_state_bytes_per_gpu(parameters=7 * B, gpus=64, stage=3) == 1.53125 * GB


@given(
    parameters=parameter_counts,
    tp=st.integers(1, 8),
    pp=st.integers(1, 16),
    dp=st.integers(1, 64),
    stage=stages,
    gradient=st.sampled_from([2, 4]),
)
def test_slices_of_tp_and_pp_are_sharded_over_dp(
    parameters: int, tp: int, pp: int, dp: int, stage: int, gradient: int
) -> None:
    case = {"parameters": parameters, "tp": tp, "pp": pp, "dp": dp, "stage": stage, "bytes_per_gradient": gradient}
    assert same(zero.sliced_state_bytes_per_gpu(**case), table.sliced_state_bytes_per_gpu(**case))


def test_megatrons_distributed_optimizer_keeps_6_bytes_and_12_over_dp() -> None:
    layout: dict[str, Any] = {"parameters": 8 * B, "tp": 2, "pp": 2, "dp": 12}
    assert zero.sliced_state_bytes_per_gpu(**layout, stage=1, bytes_per_gradient=4) == 2 * B * (6 + 12 / 12)


def test_sharding_the_optimizer_alone_is_zero_1() -> None:
    layout: dict[str, Any] = {"parameters": 70 * B, "tp": 4, "pp": 4, "dp": 64}
    assert round(zero.sliced_state_bytes_per_gpu(**layout, stage=1) / GB, 1) == 18.3
    assert round(zero.sliced_state_bytes_per_gpu(**layout, stage=3) / GB, 2) == 1.09


# Cuts and room


@given(gpus=st.integers(1, 100_000), stage=stages)
def test_cuts_are_ratios_of_tables_and_stay_below_their_limits(gpus: int, stage: int) -> None:
    cut = zero.memory_cut(gpus=gpus, stage=stage)
    if gpus <= 2000:
        assert same(cut, table.memory_cut(gpus=gpus, stage=stage))
    assert 1 <= cut <= {0: 1, 1: 4, 2: 8, 3: gpus}[stage]


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


def test_zero_3_holds_9_to_17_times_less_than_the_stages_before() -> None:
    first, second, third = (zero.state_bytes_per_gpu(parameters=7 * B, gpus=64, stage=stage) for stage in (1, 2, 3))
    assert (round(second / third, 3), first / third) == (8.875, 16.75)


def test_zero_2_leaves_64_and_a_half_of_80_gb() -> None:
    room = zero.room_bytes_per_gpu(parameters=7 * B, gpus=64, stage=2, device_bytes=80 * GB)
    assert room == 64.46875 * GB


@given(parameters=st.integers(10**6, 10**12), gpus=st.integers(4, 600), stage=stages, off=st.floats(0.97, 1.03))
def test_a_measurement_points_at_its_stage(parameters: int, gpus: int, stage: int, off: float) -> None:
    measured = zero.state_bytes_per_gpu(parameters=parameters, gpus=gpus, stage=stage) * off
    case = {"parameters": parameters, "gpus": gpus, "measured_bytes": measured}
    assert zero.nearest_stage(**case) == table.nearest_stage(**case) == stage


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


@given(gpus=st.integers(1, 60), millions=st.integers(1, 500))
def test_stages_0_to_2_send_what_a_ring_all_reduce_of_the_gradients_sends(gpus: int, millions: int) -> None:
    ring = ring_engine.simulated_bytes_sent_per_gpu(message_bytes=2e6 * millions, gpus=gpus)
    for stage in (0, 1, 2):
        assert same(table.step_traffic_bytes(parameters=millions * 10**6, gpus=gpus, stage=stage), ring)


def test_the_traffic_of_7b_on_64_gpus() -> None:
    case = {"parameters": 7 * B, "gpus": 64}
    assert round(zero.step_traffic_bytes(**case, stage=3) / GB, 2) == 41.34
    assert round(zero.step_traffic_bytes(**case, stage=2) / GB, 2) == 27.56
    assert round(zero.step_traffic_seconds(**case, stage=3, bandwidth_bytes_per_s=100e9) * 1e3) == 413


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


# What is refused


@pytest.mark.parametrize(
    ("function", "wrong"),
    [
        ("state_bytes_per_gpu", {"parameters": 1, "gpus": 8, "stage": 4}),
        ("state_bytes_per_gpu", {"parameters": 1, "gpus": 0, "stage": 1}),
        ("state_bytes_per_gpu", {"parameters": -7, "gpus": 8, "stage": 1}),
        ("lasting_state_bytes_per_gpu", {"parameters": 1, "gpus": 8, "stage": True}),
        ("sliced_state_bytes_per_gpu", {"parameters": 1, "tp": 0, "pp": 1, "dp": 1, "stage": 1}),
        ("memory_cut", {"gpus": 8, "stage": -1}),
        ("gpus_for_cut", {"share": 0.9, "stage": 3}),
        ("gpus_for_cut", {"share": 1, "stage": 1}),
        ("needed_bytes_per_gpu", {"parameters": 1, "gpus": 8, "stage": 1, "activation_bytes": -1}),
        ("step_traffic_bytes", {"parameters": 1, "gpus": 1.5, "stage": 1}),
        ("step_traffic_seconds", {"parameters": 1, "gpus": 8, "stage": 1, "bandwidth_bytes_per_s": 0}),
        ("nearest_stage", {"parameters": 1, "gpus": 1, "measured_bytes": 16}),
    ],
)
def test_what_cannot_be_is_refused(function: str, wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="must"):
        getattr(zero, function)(**wrong)
