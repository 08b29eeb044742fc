"""ZeRO's references against ownership tables and played steps, their limits, and the numbers of real models."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from solutions import zero
from solutions.oracles import ring as ring_engine
from solutions.oracles import zero as table

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


# What states weigh


@given(parameters=parameter_counts, weight=widths, gradient=widths, master=st.sampled_from([0, 2, 4]), moment=widths)
def test_a_replica_holds_the_sum_of_its_tensors(
    parameters: int, weight: int, gradient: int, master: int, moment: int
) -> None:
    optimizer = {"bytes_per_master": master, "bytes_per_moment": moment}
    case = {"parameters": parameters, "bytes_per_weight": weight, "bytes_per_gradient": gradient, **optimizer}
    whole = zero.replica_state_bytes(**case)
    assert same(whole, table.replica_state_bytes(**case))
    states = zero.optimizer_bytes(parameters=parameters, **optimizer)
    assert same(states, table.optimizer_bytes(parameters=parameters, **optimizer))
    weights = zero.weight_bytes(parameters=parameters, bytes_per_weight=weight)
    assert same(weights, table.weight_bytes(parameters=parameters, bytes_per_weight=weight))
    assert same(whole, weights + gradient * parameters + states)
    ratio = zero.optimizer_to_weight_ratio(bytes_per_weight=weight, **optimizer)
    assert same(ratio, states / weights)
    assert same(ratio, table.optimizer_to_weight_ratio(bytes_per_weight=weight, **optimizer))


@pytest.mark.parametrize(("billions", "weights_gb", "states_gb"), [(7, 14, 112), (70, 140, 1120), (405, 810, 6480)])
def test_states_weigh_eight_times_the_weights(billions: int, weights_gb: int, states_gb: int) -> None:
    assert zero.weight_bytes(parameters=billions * B) == weights_gb * GB
    assert zero.replica_state_bytes(parameters=billions * B) == states_gb * GB


def test_a_bf16_master_makes_twelve_bytes_ten() -> None:
    assert zero.optimizer_bytes(parameters=70 * B) == 840 * GB
    assert zero.optimizer_bytes(parameters=70 * B, bytes_per_master=2) == 700 * GB


def test_the_optimizer_takes_six_times_the_weights_and_not_two_or_three() -> None:
    assert zero.optimizer_to_weight_ratio(bytes_per_weight=2) == 6
    assert zero.optimizer_to_weight_ratio(bytes_per_weight=2, bytes_per_master=0) == 4


def test_gb_is_not_gib() -> None:
    assert round(zero.weight_bytes(parameters=70 * B) / 2**30, 1) == 130.4


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


@given(parameters=parameter_counts, tp=st.integers(1, 8), pp=st.integers(1, 16), dp=st.integers(1, 64), stage=stages)
def test_slices_of_tp_and_pp_are_sharded_over_dp(parameters: int, tp: int, pp: int, dp: int, stage: int) -> None:
    case = {"parameters": parameters, "tp": tp, "pp": pp, "dp": dp, "stage": stage}
    assert same(zero.sliced_state_bytes_per_gpu(**case), table.sliced_state_bytes_per_gpu(**case))


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


@given(
    billions=st.integers(1, 500),
    gpus=gpu_counts,
    stage=stages,
    activations=st.integers(0, 60),
    device=st.integers(16, 200),
    reserve=st.integers(0, 15),
)
def test_room_is_what_a_table_leaves_and_the_smallest_stage_has_enough_of_it(
    billions: int, gpus: int, stage: int, activations: int, device: int, reserve: int
) -> None:
    case: dict[str, Any] = {"parameters": billions * B, "gpus": gpus}
    memory = {"device_bytes": device * GB, "reserved_bytes": reserve * GB}
    needed = zero.needed_bytes_per_gpu(**case, stage=stage, activation_bytes=activations * GB)
    assert same(needed, table.needed_bytes_per_gpu(**case, stage=stage, activation_bytes=activations * GB))
    try:
        room = table.room_bytes_per_gpu(**case, stage=stage, **memory)
    except ValueError:
        with pytest.raises(ValueError, match="do not fit"):
            zero.room_bytes_per_gpu(**case, stage=stage, **memory)
    else:
        assert same(zero.room_bytes_per_gpu(**case, stage=stage, **memory), room)
    assume(all(abs(_needed(case, s, activations) + (reserve - device) * GB) > 1 for s in STAGES))
    fits = zero.smallest_stage(**case, activation_bytes=activations * GB, **memory)
    assert fits == table.smallest_stage(**case, activation_bytes=activations * GB, **memory)


def _needed(case: dict[str, Any], stage: int, activations: int) -> float:
    return float(zero.needed_bytes_per_gpu(**case, stage=stage, activation_bytes=activations * GB))


def test_30b_on_eight_gpus_is_no_fit_with_headroom() -> None:
    case = {"parameters": 30 * B, "gpus": 8, "activation_bytes": 20 * GB}
    assert zero.needed_bytes_per_gpu(**case, stage=3) == 80 * GB
    assert zero.smallest_stage(**case, device_bytes=80 * GB) == "ZeRO-3"  # to the last byte
    assert zero.smallest_stage(**case, device_bytes=80 * GB, reserved_bytes=1) == "nothing fits"
    assert zero.smallest_stage(**case, device_bytes=80 * 2**30, reserved_bytes=5 * GB) == "ZeRO-3"


def test_zero_2_does_not_fit_on_sixteen_gpus_nor_on_any_number() -> None:
    case = {"parameters": 30 * B, "activation_bytes": 20 * GB}
    assert zero.needed_bytes_per_gpu(**case, gpus=16, stage=2) == 106.25 * GB
    assert zero.needed_bytes_per_gpu(**case, gpus=16, stage=3) == 50 * GB
    for gpus in (64, 4096, 10**6):
        assert zero.needed_bytes_per_gpu(**case, gpus=gpus, stage=2) > 80 * GB
    for module in (zero, table):
        with pytest.raises(ValueError, match="no number of GPUs"):
            module.gpus_needed(**case, stage=2, device_bytes=80 * GB)


@given(
    billions=st.integers(1, 700),
    stage=st.sampled_from([1, 2, 3]),
    activations=st.integers(0, 40),
    device=st.integers(16, 200),
    reserve=st.integers(0, 10),
)
def test_the_gpus_needed_fit_and_one_fewer_do_not(
    billions: int, stage: int, activations: int, device: int, reserve: int
) -> None:
    memory = {"device_bytes": device * GB, "activation_bytes": activations * GB, "reserved_bytes": reserve * GB}
    try:
        gpus = zero.gpus_needed(parameters=billions * B, stage=stage, **memory)
    except ValueError:
        with pytest.raises(ValueError, match="no number of GPUs"):
            table.gpus_needed(parameters=billions * B, stage=stage, **memory)
        return
    assert gpus == table.gpus_needed(parameters=billions * B, stage=stage, **memory)
    free = (device - reserve - activations) * GB

    def states(count: int) -> float:
        return float(zero.state_bytes_per_gpu(parameters=billions * B, gpus=count, stage=stage))

    assert states(gpus) <= free * (1 + 1e-12)
    assert gpus == 1 or states(gpus - 1) > free * (1 - 1e-12)


def test_states_alone_need_2_and_14_and_81_gpus_of_80_gb() -> None:
    needed = [zero.gpus_needed(parameters=b * B, stage=3, device_bytes=80 * GB) for b in (7, 70, 405)]
    assert needed == [2, 14, 81]
    assert zero.gpus_needed(parameters=70 * B, stage=3, device_bytes=80 * GB, reserved_bytes=1) == 15


@given(parameters=st.integers(10**6, 10**12), gpus=st.integers(4, 600), stage=stages, off=st.floats(0.97, 1.03))
def test_a_measurement_points_at_its_stage(parameters: int, gpus: int, stage: int, off: float) -> None:
    measured = zero.state_bytes_per_gpu(parameters=parameters, gpus=gpus, stage=stage) * off
    case = {"parameters": parameters, "gpus": gpus, "measured_bytes": measured}
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
    extra = zero.extra_traffic_bytes(**case)
    assert same(extra, table.extra_traffic_bytes(**case))
    extra_seconds = zero.extra_traffic_seconds(**case, bandwidth_bytes_per_s=rate)
    assert same(extra_seconds, table.extra_traffic_seconds(**case, bandwidth_bytes_per_s=rate))
    limit = zero.limiting_traffic_bytes(parameters=parameters, stage=stage)
    assert same(limit, table.limiting_traffic_bytes(parameters=parameters, stage=stage))
    assert total < limit
    assert same(total, limit * (gpus - 1) / gpus)


@given(gpus=st.integers(1, 60), millions=st.integers(1, 500))
def test_stages_0_to_2_send_what_a_ring_all_reduce_of_the_gradients_sends(gpus: int, millions: int) -> None:
    ring = ring_engine.simulated_bytes_sent_per_gpu(message_bytes=2e6 * millions, gpus=gpus)
    for stage in (0, 1, 2):
        assert same(table.step_traffic_bytes(parameters=millions * 10**6, gpus=gpus, stage=stage), ring)


def test_total_and_extra_traffic_of_zero_3_are_two_quantities() -> None:
    case = {"parameters": 7 * B, "gpus": 64}
    assert round(zero.step_traffic_bytes(**case, stage=3) / GB, 2) == 41.34
    assert round(zero.step_traffic_bytes(**case, stage=2) / GB, 2) == 27.56
    assert round(zero.extra_traffic_bytes(**case) / GB, 2) == 13.78
    assert round(zero.step_traffic_seconds(**case, stage=3, bandwidth_bytes_per_s=100e9) * 1e3) == 413
    assert round(zero.extra_traffic_seconds(**case, bandwidth_bytes_per_s=100e9) * 1e3) == 138


def test_the_limit_for_many_gpus_is_42_and_28_gb_for_7b() -> None:
    assert zero.limiting_traffic_bytes(parameters=7 * B, stage=3) == 42 * GB
    assert zero.limiting_traffic_bytes(parameters=7 * B, stage=2) == 28 * GB


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


@given(parameters=parameter_counts, gpus=gpu_counts, gathers=st.sampled_from([1, 2]), gradient=widths)
def test_a_sharded_step_gathers_weights_and_scatters_gradients(
    parameters: int, gpus: int, gathers: int, gradient: int
) -> None:
    case = {"parameters": parameters, "gpus": gpus, "weight_gathers": gathers, "bytes_per_gradient": gradient}
    assert same(zero.sharded_step_bytes(**case), table.sharded_step_bytes(**case))


def test_a_sharded_step_with_16_bit_gradients_is_zero_3_or_zero_2() -> None:
    case = {"parameters": 7 * B, "gpus": 64, "bytes_per_gradient": 2}
    assert zero.sharded_step_bytes(**case, weight_gathers=2) == zero.step_traffic_bytes(
        parameters=7 * B, gpus=64, stage=3
    )
    assert zero.sharded_step_bytes(**case, weight_gathers=1) == zero.step_traffic_bytes(
        parameters=7 * B, gpus=64, stage=2
    )


def test_in_an_all_gather_of_uneven_ranges_everybody_gets_everything() -> None:
    ledger = table.Ledger(4)
    ledger.all_gather(10, 2.0)
    assert ledger.sent.sum() == 3 * 10 * 2  # each element crosses to the three ranks that lack it
    assert not np.allclose(ledger.sent, ledger.sent[0])


# What is refused


@pytest.mark.parametrize(
    ("function", "wrong"),
    [
        ("weight_bytes", {"parameters": 0}),
        ("weight_bytes", {"parameters": 1, "bytes_per_weight": 0}),
        ("optimizer_bytes", {"parameters": 1, "bytes_per_master": -1}),
        ("optimizer_to_weight_ratio", {"bytes_per_weight": 0}),
        ("replica_state_bytes", {"parameters": 1, "bytes_per_moment": 0}),
        ("state_bytes_per_gpu", {"parameters": 1, "gpus": 8, "stage": 4}),
        ("state_bytes_per_gpu", {"parameters": 1, "gpus": 0, "stage": 1}),
        ("state_bytes_per_gpu", {"parameters": -7, "gpus": 8, "stage": 1}),
        ("lasting_state_bytes_per_gpu", {"parameters": 1, "gpus": 8, "stage": True}),
        ("sliced_state_bytes_per_gpu", {"parameters": 1, "tp": 0, "pp": 1, "dp": 1, "stage": 1}),
        ("memory_cut", {"gpus": 8, "stage": -1}),
        ("needed_bytes_per_gpu", {"parameters": 1, "gpus": 8, "stage": 1, "activation_bytes": -1}),
        ("step_traffic_bytes", {"parameters": 1, "gpus": 1.5, "stage": 1}),
        ("limiting_traffic_bytes", {"parameters": 1, "stage": 5}),
        ("extra_traffic_bytes", {"parameters": 0, "gpus": 8}),
        ("step_traffic_seconds", {"parameters": 1, "gpus": 8, "stage": 1, "bandwidth_bytes_per_s": 0}),
        ("extra_traffic_seconds", {"parameters": 1, "gpus": 8, "bandwidth_bytes_per_s": 0}),
        ("sharded_step_bytes", {"parameters": 1, "gpus": 8, "weight_gathers": 0, "bytes_per_gradient": 4}),
        ("smallest_stage", {"parameters": 1, "gpus": 8, "activation_bytes": 0, "device_bytes": 0}),
        ("gpus_needed", {"parameters": 1, "stage": 0, "device_bytes": 80e9}),
        ("gpus_needed", {"parameters": 1, "stage": 4, "device_bytes": 80e9}),
        ("nearest_stage", {"parameters": 1, "gpus": 1, "measured_bytes": 16}),
    ],
)
def test_what_cannot_be_is_refused(function: str, wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="must"):
        getattr(zero, function)(**wrong)


def test_the_oracle_refuses_a_stage_that_shards_nothing() -> None:
    with pytest.raises(ValueError, match="shards nothing"):
        table.gpus_needed(parameters=1, stage=0, device_bytes=80e9)
    with pytest.raises(ValueError, match="once or twice"):
        table.sharded_step_bytes(parameters=1, gpus=2, weight_gathers=3, bytes_per_gradient=2)
