"""Step times under accumulation: formulas against events with a start and an end, and measured times turned round."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solutions.accumulation import accumulation_time
from solutions.oracles.accumulation import accumulation_time as engine

counts = st.integers(1, 20)
times = st.floats(1e-3, 5.0)
STEP: dict[str, Any] = {"micro_batch_s": 0.120, "all_reduce_s": 0.050}


def same(first: float, second: float) -> bool:
    return math.isclose(first, second, rel_tol=1e-9, abs_tol=1e-12)


@given(steps=st.integers(1, 300), micro_batch_s=times, all_reduce_s=times)
def test_the_clock_of_a_step_agrees_with_the_formulas(steps: int, micro_batch_s: float, all_reduce_s: float) -> None:
    case = {"accumulation_steps": steps, "micro_batch_s": micro_batch_s, "all_reduce_s": all_reduce_s}
    assert same(accumulation_time.step_seconds(**case), engine.clocked_step_seconds(**case))
    assert same(accumulation_time.communication_share(**case), engine.clocked_communication_share(**case))
    overhead = accumulation_time.communication_overhead(**case)
    assert math.isclose(overhead, engine.clocked_communication_overhead(**case), rel_tol=1e-6)


@given(micro_batch=counts, steps=counts, dp=counts, micro_batch_s=times, all_reduce_s=times)
def test_throughput_is_what_the_log_says(
    micro_batch: int, steps: int, dp: int, micro_batch_s: float, all_reduce_s: float
) -> None:
    case: dict[str, Any] = {"micro_batch": micro_batch, "accumulation_steps": steps, "dp": dp,
                            "micro_batch_s": micro_batch_s, "all_reduce_s": all_reduce_s}  # fmt: skip
    assert same(accumulation_time.samples_per_second(**case), engine.clocked_samples_per_second(**case))


@given(steps=st.integers(1, 200), micro_batch_s=times, all_reduce_s=times)
def test_more_accumulation_means_more_throughput_and_never_more_than_compute_allows(
    steps: int, micro_batch_s: float, all_reduce_s: float
) -> None:
    case: dict[str, Any] = {"micro_batch": 2, "dp": 8, "micro_batch_s": micro_batch_s, "all_reduce_s": all_reduce_s}
    some = accumulation_time.samples_per_second(accumulation_steps=steps, **case)
    more = accumulation_time.samples_per_second(accumulation_steps=steps + 1, **case)
    assert some < more < 16 / micro_batch_s


@given(steps=st.integers(1, 200), micro_batch_s=times, all_reduce_s=times)
def test_share_and_overhead_are_two_views_of_one_wait(steps: int, micro_batch_s: float, all_reduce_s: float) -> None:
    case = {"accumulation_steps": steps, "micro_batch_s": micro_batch_s, "all_reduce_s": all_reduce_s}
    share, overhead = accumulation_time.communication_share(**case), accumulation_time.communication_overhead(**case)
    assert share < overhead
    assert same(share, overhead / (1 + overhead))


def test_the_worked_step_takes_7730_milliseconds_and_not_7731() -> None:
    assert round(accumulation_time.step_seconds(accumulation_steps=64, **STEP) * 1e3, 6) == 7730
    rate = accumulation_time.samples_per_second(micro_batch=4, accumulation_steps=64, dp=8, **STEP)
    assert round(rate, 1) == 264.9
    assert round(accumulation_time.communication_share(accumulation_steps=64, **STEP), 5) == 0.00647
    assert round(accumulation_time.communication_share(accumulation_steps=1, **STEP), 3) == 0.294


milliseconds = st.integers(1, 400).map(lambda value: value / 1000)


@given(micro_batch_s=milliseconds, all_reduce_s=milliseconds, percent=st.integers(1, 60))
def test_the_smallest_number_of_steps_meets_the_share_and_one_less_does_not(
    micro_batch_s: float, all_reduce_s: float, percent: int
) -> None:
    case = {"micro_batch_s": micro_batch_s, "all_reduce_s": all_reduce_s}
    limit = percent / 100
    steps = accumulation_time.steps_for_share(largest_share=limit, **case)
    assert accumulation_time.communication_share(accumulation_steps=steps, **case) <= limit * (1 + 1e-9)
    if steps > 1:
        assert accumulation_time.communication_share(accumulation_steps=steps - 1, **case) > limit
    if steps < 5000:
        assert steps == engine.tried_steps_for_share(largest_share=limit, **case)


def test_a_share_that_is_met_exactly_counts_as_met() -> None:
    case = {"micro_batch_s": 0.025, "all_reduce_s": 0.050}
    assert accumulation_time.steps_for_share(largest_share=0.05, **case) == 38
    assert same(accumulation_time.communication_share(accumulation_steps=38, **case), 0.05)


@given(percent=st.integers(1, 95), steps=st.integers(1, 40), other=st.integers(1, 40))
def test_a_share_goes_with_the_steps_as_the_events_say(percent: int, steps: int, other: int) -> None:
    case = {"share": percent / 100, "accumulation_steps": steps, "other_steps": other}
    share = accumulation_time.share_after_change(**case)
    assert math.isclose(share, engine.replayed_share(**case), rel_tol=1e-9)
    assert math.isclose(share, case["share"]) if other == steps else (share < case["share"]) == (other > steps)
    back = accumulation_time.share_after_change(share=share, accumulation_steps=other, other_steps=steps)
    assert same(back, case["share"])


@given(few=st.integers(1, 12), more=st.integers(1, 40), micro_batch_s=times, wait_s=times)
def test_two_step_times_tell_the_wait(few: int, more: int, micro_batch_s: float, wait_s: float) -> None:
    case: dict[str, Any] = {"few_steps": few, "few_step_s": few * micro_batch_s + wait_s,
                            "many_steps": few + more, "many_step_s": (few + more) * micro_batch_s + wait_s}  # fmt: skip
    for find in (accumulation_time.waiting_seconds, engine.searched_waiting_seconds):
        assert math.isclose(find(**case), wait_s, rel_tol=1e-6, abs_tol=1e-9)


@given(near=st.integers(20, 400), saved=st.integers(1, 19), wait=milliseconds, lost=st.integers(1, 900))
def test_the_far_site_overtakes_at_this_step_and_not_before(near: int, saved: int, wait: float, lost: int) -> None:
    case = {"near_micro_batch_s": near / 1000, "far_micro_batch_s": (near - saved) / 1000,
            "near_all_reduce_s": wait, "far_all_reduce_s": round(wait + lost / 1000, 3)}  # fmt: skip
    if lost % saved == 0:  # a tie, which rounding of decimal fractions may turn either way
        return
    steps = accumulation_time.overtaking_steps(**case)
    assert steps == engine.raced_sites(**case) == lost // saved + 1


def test_a_step_that_grows_with_its_micro_batches_waits_for_nothing() -> None:
    assert accumulation_time.waiting_seconds(few_steps=4, few_step_s=1.0, many_steps=8, many_step_s=2.0) == 0


BAD: list[tuple[Any, dict[str, Any]]] = [
    (accumulation_time.step_seconds, {"accumulation_steps": 4, "micro_batch_s": 0, "all_reduce_s": 0.1}),
    (accumulation_time.samples_per_second, {"micro_batch": 0, "accumulation_steps": 1, "dp": 1, **STEP}),
    (accumulation_time.communication_share, {"accumulation_steps": 0, **STEP}),
    (accumulation_time.communication_overhead, {"accumulation_steps": 1, "micro_batch_s": -1, "all_reduce_s": 0.1}),
    (accumulation_time.steps_for_share, {"largest_share": 5, **STEP}),
    (accumulation_time.share_after_change, {"share": 1.0, "accumulation_steps": 4, "other_steps": 2}),
    (accumulation_time.waiting_seconds, {"few_steps": 4, "few_step_s": 1.0, "many_steps": 4, "many_step_s": 2.0}),
    (accumulation_time.waiting_seconds, {"few_steps": 4, "few_step_s": 1.0, "many_steps": 8, "many_step_s": 2.1}),
    (accumulation_time.waiting_seconds, {"few_steps": 4, "few_step_s": 2.0, "many_steps": 4, "many_step_s": 1.0}),
    (accumulation_time.overtaking_steps, {"near_micro_batch_s": 0.3, "near_all_reduce_s": 0.1,
                                          "far_micro_batch_s": 0.3, "far_all_reduce_s": 0.5}),
    (accumulation_time.overtaking_steps, {"near_micro_batch_s": 0.4, "near_all_reduce_s": 0.5,
                                          "far_micro_batch_s": 0.3, "far_all_reduce_s": 0.5}),
    (accumulation_time.overtaking_steps, {"near_micro_batch_s": 0.2, "near_all_reduce_s": 0.1,
                                          "far_micro_batch_s": 0.3, "far_all_reduce_s": 0.5}),
]  # fmt: skip


@pytest.mark.parametrize(("function", "arguments"), BAD)
def test_impossible_arguments_are_refused(function: Any, arguments: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"must"):
        function(**arguments)
