"""Schedules of the learning rate against written-out ones, their areas against sums, and the worked numbers."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solutions.learning_rate import lr_schedules
from solutions.oracles.learning_rate import lr_schedules as engine

rates = st.floats(1e-6, 1.0)
batches = st.floats(16.0, 4e3)


def same(first: float, second: float) -> bool:
    return math.isclose(first, second, rel_tol=1e-9, abs_tol=1e-12)


@given(base_warmup=st.integers(1, 5000), base_batch=batches, batch=batches)
def test_warmup_grows_with_the_batch(base_warmup: int, base_batch: float, batch: float) -> None:
    case: dict[str, Any] = {"base_warmup_steps": base_warmup, "base_batch": base_batch, "batch": batch}
    assert same(lr_schedules.warmup_steps(**case), engine.climbed_warmup(**case))


@given(warmup=st.integers(1, 500), total=st.integers(50_000, 200_000), base_batch=st.integers(64, 512),
       factor=st.integers(1, 8))  # fmt: skip
def test_at_equal_data_the_share_of_a_warmup_that_grows_with_the_batch_grows_with_its_square(
    warmup: int, total: int, base_batch: int, factor: int
) -> None:
    case = {"base_warmup_steps": warmup, "base_total_steps": total, "base_batch": base_batch}
    share = lr_schedules.warmup_share(batch=factor * base_batch, **case)
    assert same(share, engine.counted_warmup_share(batch=factor * base_batch, **case))
    assert same(share, factor**2 * warmup / total)


def test_eight_thousand_steps_of_warmup_are_64_per_cent_of_the_same_data_and_two_thirds_of_one_in_llama() -> None:
    recipe = {"base_warmup_steps": 1000, "base_batch": 256, "batch": 2048}
    assert lr_schedules.warmup_steps(**recipe) == 8000
    assert lr_schedules.warmup_share(base_total_steps=100_000, **recipe) == 0.64
    llama = {"base_warmup_steps": 8000, "base_total_steps": 1_200_000, "base_batch": 16e6, "batch": 16e6}
    assert round(lr_schedules.warmup_share(**llama), 4) == 0.0067


warmed = st.fixed_dictionaries(
    {"peak_lr": rates, "final_lr": st.floats(0.0, 1e-6), "warmup_steps": st.integers(1, 300),
     "total_steps": st.integers(301, 3000)}
)  # fmt: skip


@given(schedule=warmed, step=st.integers(0, 3500))
def test_the_cosine_schedule_is_the_written_out_one(schedule: dict[str, Any], step: int) -> None:
    ours = lr_schedules.cosine_lr(step=step, **schedule)
    listed = engine.listed_cosine_lr(step=step, **schedule)
    assert math.isclose(ours, listed, rel_tol=1e-9, abs_tol=1e-12 * schedule["peak_lr"])


@given(schedule=warmed)
def test_a_cosine_begins_at_zero_peaks_after_warmup_and_stays_at_its_end(schedule: dict[str, Any]) -> None:
    total, warmup = schedule["total_steps"], schedule["warmup_steps"]
    assert lr_schedules.cosine_lr(step=0, **schedule) == 0
    assert same(lr_schedules.cosine_lr(step=warmup, **schedule), schedule["peak_lr"])
    for step in (total, total + 1000):
        assert same(lr_schedules.cosine_lr(step=step, **schedule), schedule["final_lr"])


@given(schedule=warmed)
def test_after_its_peak_a_cosine_only_falls(schedule: dict[str, Any]) -> None:
    steps = range(schedule["warmup_steps"], schedule["total_steps"], 37)
    lrs = [lr_schedules.cosine_lr(step=step, **schedule) for step in steps]
    assert lrs == sorted(lrs, reverse=True)


phases = st.fixed_dictionaries(
    {"peak_lr": rates, "warmup_steps": st.integers(1, 300), "stable_steps": st.integers(1, 2000),
     "decay_steps": st.integers(1, 500)}
)  # fmt: skip


@given(schedule=phases, step=st.integers(0, 3500))
def test_warmup_stable_decay_is_the_written_out_schedule(schedule: dict[str, Any], step: int) -> None:
    ours, listed = (rate(step=step, **schedule) for rate in (lr_schedules.wsd_lr, engine.listed_wsd_lr))
    assert same(ours, listed)


@given(schedule=phases, step=st.integers(0, 300), longer=st.integers(1, 10_000))
def test_a_longer_stable_phase_changes_nothing_before_the_decay(
    schedule: dict[str, Any], step: int, longer: int
) -> None:
    before = min(step, schedule["warmup_steps"] + schedule["stable_steps"])
    other = {**schedule, "stable_steps": schedule["stable_steps"] + longer}
    assert lr_schedules.wsd_lr(step=before, **schedule) == lr_schedules.wsd_lr(step=before, **other)


@given(schedule=warmed)
def test_the_area_of_a_cosine_is_the_sum_of_its_steps(schedule: dict[str, Any]) -> None:
    assert same(lr_schedules.cosine_area(**schedule), engine.summed_cosine_area(**schedule))


@given(schedule=phases)
def test_the_area_of_warmup_stable_decay_is_the_sum_of_its_steps(schedule: dict[str, Any]) -> None:
    assert same(lr_schedules.wsd_area(**schedule), engine.summed_wsd_area(**schedule))
    by_calls = sum(lr_schedules.wsd_lr(step=step, **schedule) for step in range(2801))
    assert math.isclose(lr_schedules.wsd_area(**schedule), by_calls, rel_tol=1e-9)


@given(warmup=st.integers(0, 300), stable=st.integers(0, 2000), decay=st.integers(1, 500))
def test_a_stable_phase_gives_up_to_twice_the_area_of_a_cosine(warmup: int, stable: int, decay: int) -> None:
    case = {"warmup_steps": warmup, "stable_steps": stable, "decay_steps": decay}
    ratio = lr_schedules.wsd_to_cosine_area(**case)
    assert 1 <= ratio < 2
    assert same(ratio, engine.summed_area_ratio(**case))


@given(peak=rates, steps=st.integers(2, 2000), factor=st.integers(2, 8))
def test_scaling_rate_up_and_horizon_down_keeps_the_area(peak: float, steps: int, factor: int) -> None:
    base = lr_schedules.cosine_area(peak_lr=peak, final_lr=0.0, warmup_steps=0, total_steps=steps * factor)
    scaled = lr_schedules.cosine_area(peak_lr=peak * factor, final_lr=0.0, warmup_steps=0, total_steps=steps)
    assert same(base, scaled)


def test_twice_the_batch_halves_the_horizon_of_100000_steps() -> None:
    assert lr_schedules.scaled_steps(steps=100_000, base_batch=256, batch=512) == 50_000
    long = {"final_lr": 0.0, "warmup_steps": 0, "total_steps": 100_000}
    assert same(lr_schedules.cosine_area(peak_lr=3e-4, **long), 15.0)
    assert same(engine.summed_cosine_area(peak_lr=6e-4, **{**long, "total_steps": 50_000}), 15.0)


@given(steps=st.integers(1, 10**6), base_batch=batches, batch=batches)
def test_a_horizon_is_the_data_cut_into_batches(steps: int, base_batch: float, batch: float) -> None:
    case: dict[str, Any] = {"steps": steps, "base_batch": base_batch, "batch": batch}
    assert same(lr_schedules.scaled_steps(**case), engine.counted_scaled_steps(**case))


@given(warmup=st.integers(10, 500), total=st.integers(20_000, 200_000), percent=st.integers(5, 60))
def test_a_larger_batch_than_this_warms_up_for_too_long(warmup: int, total: int, percent: int) -> None:
    case: dict[str, Any] = {"base_warmup_steps": warmup, "base_total_steps": total, "base_batch": 256.0}
    batch = lr_schedules.batch_for_warmup_share(largest_share=percent / 100, **case)
    assert math.isclose(batch, engine.searched_warmup_batch(largest_share=percent / 100, **case), rel_tol=1e-9)
    assert same(lr_schedules.warmup_share(batch=batch, **case), percent / 100)


def test_a_run_may_be_all_warmup() -> None:
    case = {"base_warmup_steps": 100, "base_total_steps": 100, "base_batch": 256, "batch": 256}
    assert lr_schedules.warmup_share(**case) == engine.counted_warmup_share(**case) == 1


SCHEDULE: dict[str, Any] = {"peak_lr": 3e-4, "final_lr": 0.0, "warmup_steps": 100, "total_steps": 1000}
PHASES: dict[str, Any] = {"peak_lr": 3e-4, "warmup_steps": 100, "stable_steps": 1000, "decay_steps": 100}
BAD: list[tuple[Any, dict[str, Any]]] = [
    (lr_schedules.warmup_steps, {"base_warmup_steps": 0, "base_batch": 256, "batch": 512}),
    (lr_schedules.warmup_share, {"base_warmup_steps": 200, "base_total_steps": 100, "base_batch": 1, "batch": 1}),
    (lr_schedules.cosine_lr, {"step": -1, **SCHEDULE}),
    (lr_schedules.cosine_lr, {"step": 1, **SCHEDULE, "warmup_steps": 1000}),
    (lr_schedules.wsd_lr, {"step": 1, **PHASES, "decay_steps": 0}),
    (lr_schedules.cosine_area, {**SCHEDULE, "total_steps": 100}),
    (lr_schedules.wsd_area, {**PHASES, "peak_lr": 0}),
    (lr_schedules.wsd_to_cosine_area, {"warmup_steps": 0, "stable_steps": 0, "decay_steps": 0}),
    (lr_schedules.scaled_steps, {"steps": 0, "base_batch": 1, "batch": 1}),
    (lr_schedules.batch_for_warmup_share, {"base_warmup_steps": 1, "base_total_steps": 9, "base_batch": 1,
                                           "largest_share": 5}),
]  # fmt: skip


@pytest.mark.parametrize(("function", "arguments"), BAD)
def test_impossible_arguments_are_refused(function: Any, arguments: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"must|more than"):
        function(**arguments)
