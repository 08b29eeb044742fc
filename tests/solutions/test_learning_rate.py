"""Learning-rate rules and schedules against written-out schedules, searches and walks, and the worked numbers."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solutions import learning_rate
from solutions.oracles import learning_rate as engine

rates = st.floats(1e-6, 1.0)
batches = st.floats(16.0, 4e3)
BASE: dict[str, Any] = {"base_lr": 3e-4, "base_batch": 256}


def same(first: float, second: float) -> bool:
    return math.isclose(first, second, rel_tol=1e-9, abs_tol=1e-12)


# Scaling rules


@given(base_lr=rates, base_batch=batches, batch=batches)
def test_the_rules_agree_with_stacking_and_with_a_search(base_lr: float, base_batch: float, batch: float) -> None:
    case = {"base_lr": base_lr, "base_batch": base_batch, "batch": batch}
    assert same(learning_rate.linear_rule_lr(**case), engine.stacked_lr(**case))
    assert same(learning_rate.square_root_rule_lr(**case), engine.searched_square_root_lr(**case))


@given(base_lr=rates, base_batch=batches, batch=batches)
def test_the_square_root_rule_is_the_geometric_middle_of_nothing_and_linear(
    base_lr: float, base_batch: float, batch: float
) -> None:
    case = {"base_lr": base_lr, "base_batch": base_batch, "batch": batch}
    assert same(learning_rate.square_root_rule_lr(**case) ** 2, base_lr * learning_rate.linear_rule_lr(**case))


@given(base_lr=rates, base_batch=batches, factor=st.floats(0.1, 30.0))
def test_the_batch_for_a_rate_gives_that_rate_back(base_lr: float, base_batch: float, factor: float) -> None:
    case = {"base_lr": base_lr, "base_batch": base_batch}
    batch = learning_rate.square_root_rule_batch(lr=factor * base_lr, **case)
    assert same(learning_rate.square_root_rule_lr(batch=batch, **case), factor * base_lr)
    assert same(batch, engine.searched_square_root_batch(lr=factor * base_lr, **case))


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


# Warmup


@given(base_warmup=st.integers(1, 5000), base_batch=batches, batch=batches)
def test_warmup_grows_with_the_batch(base_warmup: int, base_batch: float, batch: float) -> None:
    case: dict[str, Any] = {"base_warmup_steps": base_warmup, "base_batch": base_batch, "batch": batch}
    assert same(learning_rate.warmup_steps(**case), engine.stacked_warmup(**case))


@given(warmup=st.integers(1, 500), total=st.integers(50_000, 200_000), base_batch=st.integers(64, 512),
       factor=st.integers(1, 8))  # fmt: skip
def test_at_equal_data_the_share_of_a_warmup_that_grows_with_the_batch_grows_with_its_square(
    warmup: int, total: int, base_batch: int, factor: int
) -> None:
    case = {"base_warmup_steps": warmup, "base_total_steps": total, "base_batch": base_batch}
    share = learning_rate.warmup_share(batch=factor * base_batch, **case)
    assert same(share, engine.counted_warmup_share(batch=factor * base_batch, **case))
    assert same(share, factor**2 * warmup / total)


def test_eight_thousand_steps_of_warmup_are_64_per_cent_of_the_same_data_and_two_thirds_of_one_in_llama() -> None:
    recipe = {"base_warmup_steps": 1000, "base_batch": 256, "batch": 2048}
    assert learning_rate.warmup_steps(**recipe) == 8000
    assert learning_rate.warmup_share(base_total_steps=100_000, **recipe) == 0.64
    llama = {"base_warmup_steps": 8000, "base_total_steps": 1_200_000, "base_batch": 16e6, "batch": 16e6}
    assert round(learning_rate.warmup_share(**llama), 4) == 0.0067


# Adam under the square-root rule


@given(window=st.floats(20.0, 5000.0), base_batch=batches, factor=st.floats(1.0, 16.0))
def test_adam_looks_back_over_as_many_samples_as_before(window: float, base_batch: float, factor: float) -> None:
    case = {"beta": 1 - 1 / window, "base_batch": base_batch, "batch": factor * base_batch}
    steps = learning_rate.adam_window_steps(**case)
    assert math.isclose(steps, engine.summed_adam_window(**case), rel_tol=1e-9)
    assert math.isclose(steps * case["batch"], window * base_batch, rel_tol=1e-9)


# Schedules

warmed = st.fixed_dictionaries(
    {"peak_lr": rates, "final_lr": st.floats(0.0, 1e-6), "warmup_steps": st.integers(1, 300),
     "total_steps": st.integers(301, 3000)}
)  # fmt: skip


@given(schedule=warmed, step=st.integers(0, 3500))
def test_the_cosine_schedule_is_the_written_out_one(schedule: dict[str, Any], step: int) -> None:
    ours = learning_rate.cosine_lr(step=step, **schedule)
    listed = engine.listed_cosine_lr(step=step, **schedule)
    assert math.isclose(ours, listed, rel_tol=1e-9, abs_tol=1e-12 * schedule["peak_lr"])


@given(schedule=warmed)
def test_a_cosine_begins_at_zero_peaks_after_warmup_and_stays_at_its_end(schedule: dict[str, Any]) -> None:
    total, warmup = schedule["total_steps"], schedule["warmup_steps"]
    assert learning_rate.cosine_lr(step=0, **schedule) == 0
    assert same(learning_rate.cosine_lr(step=warmup, **schedule), schedule["peak_lr"])
    for step in (total, total + 1000):
        assert same(learning_rate.cosine_lr(step=step, **schedule), schedule["final_lr"])


@given(schedule=warmed)
def test_after_its_peak_a_cosine_only_falls(schedule: dict[str, Any]) -> None:
    steps = range(schedule["warmup_steps"], schedule["total_steps"], 37)
    lrs = [learning_rate.cosine_lr(step=step, **schedule) for step in steps]
    assert lrs == sorted(lrs, reverse=True)


phases = st.fixed_dictionaries(
    {"peak_lr": rates, "warmup_steps": st.integers(1, 300), "stable_steps": st.integers(1, 2000),
     "decay_steps": st.integers(1, 500)}
)  # fmt: skip


@given(schedule=phases, step=st.integers(0, 3500))
def test_warmup_stable_decay_is_the_written_out_schedule(schedule: dict[str, Any], step: int) -> None:
    ours, listed = (rate(step=step, **schedule) for rate in (learning_rate.wsd_lr, engine.listed_wsd_lr))
    assert same(ours, listed)


@given(schedule=phases, step=st.integers(0, 300), longer=st.integers(1, 10_000))
def test_a_longer_stable_phase_changes_nothing_before_the_decay(
    schedule: dict[str, Any], step: int, longer: int
) -> None:
    before = min(step, schedule["warmup_steps"] + schedule["stable_steps"])
    other = {**schedule, "stable_steps": schedule["stable_steps"] + longer}
    assert learning_rate.wsd_lr(step=before, **schedule) == learning_rate.wsd_lr(step=before, **other)


@given(schedule=warmed)
def test_the_area_of_a_cosine_is_the_sum_of_its_steps(schedule: dict[str, Any]) -> None:
    assert same(learning_rate.cosine_area(**schedule), engine.summed_cosine_area(**schedule))


@given(schedule=phases)
def test_the_area_of_warmup_stable_decay_is_the_sum_of_its_steps(schedule: dict[str, Any]) -> None:
    assert same(learning_rate.wsd_area(**schedule), engine.summed_wsd_area(**schedule))
    by_calls = sum(learning_rate.wsd_lr(step=step, **schedule) for step in range(2801))
    assert math.isclose(learning_rate.wsd_area(**schedule), by_calls, rel_tol=1e-9)


@given(warmup=st.integers(0, 300), stable=st.integers(0, 2000), decay=st.integers(1, 500))
def test_a_stable_phase_gives_up_to_twice_the_area_of_a_cosine(warmup: int, stable: int, decay: int) -> None:
    case = {"warmup_steps": warmup, "stable_steps": stable, "decay_steps": decay}
    ratio = learning_rate.wsd_to_cosine_area(**case)
    assert 1 <= ratio < 2
    assert same(ratio, engine.summed_area_ratio(**case))


@given(peak=rates, steps=st.integers(2, 2000), factor=st.integers(2, 8))
def test_scaling_rate_up_and_horizon_down_keeps_the_area(peak: float, steps: int, factor: int) -> None:
    base = learning_rate.cosine_area(peak_lr=peak, final_lr=0.0, warmup_steps=0, total_steps=steps * factor)
    scaled = learning_rate.cosine_area(peak_lr=peak * factor, final_lr=0.0, warmup_steps=0, total_steps=steps)
    assert same(base, scaled)


def test_twice_the_batch_halves_the_horizon_of_100000_steps() -> None:
    assert learning_rate.scaled_steps(steps=100_000, base_batch=256, batch=512) == 50_000
    long = {"final_lr": 0.0, "warmup_steps": 0, "total_steps": 100_000}
    assert same(learning_rate.cosine_area(peak_lr=3e-4, **long), 15.0)
    assert same(engine.summed_cosine_area(peak_lr=6e-4, **{**long, "total_steps": 50_000}), 15.0)


@given(steps=st.integers(1, 10**6), base_batch=batches, batch=batches)
def test_a_horizon_is_the_data_cut_into_batches(steps: int, base_batch: float, batch: float) -> None:
    case: dict[str, Any] = {"steps": steps, "base_batch": base_batch, "batch": batch}
    assert same(learning_rate.scaled_steps(**case), engine.counted_scaled_steps(**case))


# Batch ramps


@given(first=st.integers(1, 16), doublings=st.integers(0, 4), stage=st.floats(0.1, 50.0), rest=st.floats(0.1, 1000.0))
def test_a_ramp_takes_the_steps_of_its_stages(first: int, doublings: int, stage: float, rest: float) -> None:
    case = {"tokens": doublings * stage + rest, "first_batch": first, "last_batch": first * 2**doublings,
            "stage_tokens": stage}  # fmt: skip
    assert math.isclose(learning_rate.ramped_steps(**case), engine.walked_ramp_steps(**case), rel_tol=1e-9)


@given(total=st.floats(1.0, 1e4), part=st.floats(0.001, 1.0), first=batches, second=batches)
def test_one_change_of_batch_makes_two_runs(total: float, part: float, first: float, second: float) -> None:
    case = {"tokens": total, "first_tokens": part * total, "first_batch": first, "second_batch": second}
    assert math.isclose(learning_rate.two_batch_steps(**case), engine.walked_two_batch_steps(**case), rel_tol=1e-9)


@given(stage=st.floats(1.0, 100.0))
def test_a_ramp_of_one_doubling_is_one_change_of_batch(stage: float) -> None:
    ramp = learning_rate.ramped_steps(tokens=1000, first_batch=4, last_batch=8, stage_tokens=stage)
    change = learning_rate.two_batch_steps(tokens=1000, first_batch=4, first_tokens=stage, second_batch=8)
    assert same(ramp, change)


def test_a_ramp_to_four_million_costs_fifty_thousand_steps_more_than_none() -> None:
    none = learning_rate.ramped_steps(tokens=1.5e12, first_batch=4e6, last_batch=4e6, stage_tokens=50e9)
    ramp = learning_rate.ramped_steps(tokens=1.5e12, first_batch=1e6, last_batch=4e6, stage_tokens=50e9)
    assert none == 375_000
    assert ramp == 425_000


# Bad input

SCHEDULE: dict[str, Any] = {"peak_lr": 3e-4, "final_lr": 0.0, "warmup_steps": 100, "total_steps": 1000}
PHASES: dict[str, Any] = {"peak_lr": 3e-4, "warmup_steps": 100, "stable_steps": 1000, "decay_steps": 100}
RAMP: dict[str, Any] = {"tokens": 1e12, "first_batch": 4e6, "last_batch": 16e6, "stage_tokens": 1e10}
BAD: list[tuple[Any, dict[str, Any]]] = [
    (learning_rate.linear_rule_lr, {"batch": 0, **BASE}),
    (learning_rate.square_root_rule_lr, {"batch": -1, **BASE}),
    (learning_rate.square_root_rule_batch, {"lr": 0, **BASE}),
    (learning_rate.sample_weight, {"lr": 1e-3, "batch": 0, **BASE}),
    (learning_rate.warmup_steps, {"base_warmup_steps": 0, "base_batch": 256, "batch": 512}),
    (learning_rate.warmup_share, {"base_warmup_steps": 200, "base_total_steps": 100, "base_batch": 1, "batch": 1}),
    (learning_rate.adam_window_steps, {"beta": 0.9, "base_batch": 1, "batch": 11}),
    (learning_rate.adam_window_steps, {"beta": 1.0, "base_batch": 1, "batch": 2}),
    (learning_rate.cosine_lr, {"step": -1, **SCHEDULE}),
    (learning_rate.cosine_lr, {"step": 1, **SCHEDULE, "warmup_steps": 1000}),
    (learning_rate.wsd_lr, {"step": 1, **PHASES, "decay_steps": 0}),
    (learning_rate.cosine_area, {**SCHEDULE, "total_steps": 100}),
    (learning_rate.wsd_area, {**PHASES, "peak_lr": 0}),
    (learning_rate.wsd_to_cosine_area, {"warmup_steps": 0, "stable_steps": 0, "decay_steps": 0}),
    (learning_rate.scaled_steps, {"steps": 0, "base_batch": 1, "batch": 1}),
    (learning_rate.ramped_steps, {**RAMP, "last_batch": 12e6}),
    (learning_rate.ramped_steps, {**RAMP, "last_batch": 2e6}),
    (learning_rate.ramped_steps, {**RAMP, "stage_tokens": 1e12}),
    (learning_rate.two_batch_steps, {"tokens": 1, "first_batch": 1, "first_tokens": 2, "second_batch": 1}),
]


@pytest.mark.parametrize(("function", "arguments"), BAD)
def test_impossible_arguments_are_refused(function: Any, arguments: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"must|more than"):
        function(**arguments)
