"""Gradient accumulation: formulas against a walk through the micro-batches, limits, and worked numbers."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from solutions import accumulation
from solutions.oracles import accumulation as engine

counts = st.integers(1, 48)
times = st.floats(1e-3, 5.0)
STEP: dict[str, Any] = {"micro_batch_s": 0.120, "all_reduce_s": 0.050}
SAMPLE: dict[str, Any] = {"sample_forward_s": 0.010, "sample_backward_s": 0.020}


def same(first: float, second: float) -> bool:
    return math.isclose(first, second, rel_tol=1e-9, abs_tol=1e-12)


# Batches


@given(micro_batch=counts, steps=counts, dp=counts)
def test_filling_a_batch_pass_by_pass_takes_the_steps(micro_batch: int, steps: int, dp: int) -> None:
    target = accumulation.effective_batch(micro_batch=micro_batch, accumulation_steps=steps, dp=dp)
    assert target == engine.counted_effective_batch(micro_batch=micro_batch, accumulation_steps=steps, dp=dp)
    for count in (accumulation.accumulation_steps, engine.counted_accumulation_steps):
        assert count(target_batch=target, micro_batch=micro_batch, dp=dp) == steps


@given(target=st.integers(1, 5000), micro_batch=counts, dp=counts)
def test_rounding_up_reaches_the_target_with_the_fewest_passes(target: int, micro_batch: int, dp: int) -> None:
    case = {"target_batch": target, "micro_batch": micro_batch, "dp": dp}
    steps, batch = accumulation.required_steps(**case)
    assert (steps, batch) == engine.filled_steps(**case)
    assert (steps - 1) * micro_batch * dp < target <= batch
    assert accumulation.batch_overshoot(**case) == batch - target == engine.counted_overshoot(**case)


@given(target=st.integers(1, 3000), micro_batch=counts, dp=counts)
def test_the_strict_count_refuses_exactly_what_would_overshoot(target: int, micro_batch: int, dp: int) -> None:
    case = {"target_batch": target, "micro_batch": micro_batch, "dp": dp}
    steps, batch = accumulation.required_steps(**case)
    for count in (accumulation.accumulation_steps, engine.counted_accumulation_steps):
        if batch == target:
            assert count(**case) == steps
        else:
            with pytest.raises(ValueError, match=r"no multiple|jumped over"):
                count(**case)


def test_thirty_two_samples_a_pass_are_sixty_four_times_short_of_2048() -> None:
    assert accumulation.effective_batch(micro_batch=4, accumulation_steps=1, dp=8) == 32
    assert accumulation.accumulation_steps(target_batch=2048, micro_batch=4, dp=8) == 64


@given(micro_batch=st.integers(1, 8), steps=counts, dp=counts, length=st.sampled_from([2048, 4096, 8192]))
def test_tokens_are_samples_times_their_length(micro_batch: int, steps: int, dp: int, length: int) -> None:
    case = {"micro_batch": micro_batch, "accumulation_steps": steps, "dp": dp}
    tokens = accumulation.batch_tokens(sequence_length=length, **case)
    assert tokens == engine.counted_batch_tokens(sequence_length=length, **case)
    assert tokens == length * accumulation.effective_batch(**case)


@given(tokens=st.floats(1e6, 1e13), batch=st.floats(1e3, 1e8))
def test_a_run_is_cut_into_batches(tokens: float, batch: float) -> None:
    steps = accumulation.optimizer_steps(tokens=tokens, batch_tokens=batch)
    assert same(steps, engine.counted_optimizer_steps(tokens=tokens, batch_tokens=batch))


def test_a_trillion_and_a_half_tokens_at_four_million_are_375000_steps() -> None:
    assert accumulation.optimizer_steps(tokens=1.5e12, batch_tokens=4e6) == 375_000
    assert engine.counted_optimizer_steps(tokens=1.5e12, batch_tokens=4e6) == 375_000


# Time


@given(steps=st.integers(1, 300), micro_batch_s=times, all_reduce_s=times)
def test_the_clock_of_a_step_agrees_with_the_formulas(steps: int, micro_batch_s: float, all_reduce_s: float) -> None:
    case = {"accumulation_steps": steps, "micro_batch_s": micro_batch_s, "all_reduce_s": all_reduce_s}
    assert same(accumulation.step_seconds(**case), engine.clocked_step_seconds(**case))
    assert same(accumulation.communication_share(**case), engine.clocked_communication_share(**case))
    overhead = accumulation.communication_overhead(**case)
    assert math.isclose(overhead, engine.clocked_communication_overhead(**case), rel_tol=1e-6)


@given(micro_batch=counts, steps=counts, dp=counts, micro_batch_s=times, all_reduce_s=times)
def test_throughput_is_what_the_log_says(
    micro_batch: int, steps: int, dp: int, micro_batch_s: float, all_reduce_s: float
) -> None:
    case: dict[str, Any] = {"micro_batch": micro_batch, "accumulation_steps": steps, "dp": dp,
                            "micro_batch_s": micro_batch_s, "all_reduce_s": all_reduce_s}  # fmt: skip
    assert same(accumulation.samples_per_second(**case), engine.clocked_samples_per_second(**case))


@given(steps=st.integers(1, 200), micro_batch_s=times, all_reduce_s=times)
def test_more_accumulation_means_more_throughput_and_never_more_than_compute_allows(
    steps: int, micro_batch_s: float, all_reduce_s: float
) -> None:
    case: dict[str, Any] = {"micro_batch": 2, "dp": 8, "micro_batch_s": micro_batch_s, "all_reduce_s": all_reduce_s}
    some = accumulation.samples_per_second(accumulation_steps=steps, **case)
    more = accumulation.samples_per_second(accumulation_steps=steps + 1, **case)
    assert some < more < 16 / micro_batch_s


@given(steps=st.integers(1, 200), micro_batch_s=times, all_reduce_s=times)
def test_share_and_overhead_are_two_views_of_one_wait(steps: int, micro_batch_s: float, all_reduce_s: float) -> None:
    case = {"accumulation_steps": steps, "micro_batch_s": micro_batch_s, "all_reduce_s": all_reduce_s}
    share, overhead = accumulation.communication_share(**case), accumulation.communication_overhead(**case)
    assert share < overhead
    assert same(share, overhead / (1 + overhead))


def test_the_worked_step_takes_7730_milliseconds_and_not_7731() -> None:
    assert round(accumulation.step_seconds(accumulation_steps=64, **STEP) * 1e3, 6) == 7730
    rate = accumulation.samples_per_second(micro_batch=4, accumulation_steps=64, dp=8, **STEP)
    assert round(rate, 1) == 264.9
    assert round(accumulation.communication_share(accumulation_steps=64, **STEP), 5) == 0.00647
    assert round(accumulation.communication_share(accumulation_steps=1, **STEP), 3) == 0.294


milliseconds = st.integers(1, 400).map(lambda value: value / 1000)


@given(micro_batch_s=milliseconds, all_reduce_s=milliseconds, percent=st.integers(1, 60))
def test_the_smallest_number_of_steps_meets_the_share_and_one_less_does_not(
    micro_batch_s: float, all_reduce_s: float, percent: int
) -> None:
    case = {"micro_batch_s": micro_batch_s, "all_reduce_s": all_reduce_s}
    limit = percent / 100
    steps = accumulation.steps_for_share(largest_share=limit, **case)
    assert accumulation.communication_share(accumulation_steps=steps, **case) <= limit * (1 + 1e-9)
    if steps > 1:
        assert accumulation.communication_share(accumulation_steps=steps - 1, **case) > limit
    if steps < 5000:
        assert steps == engine.tried_steps_for_share(largest_share=limit, **case)


def test_a_share_that_is_met_exactly_counts_as_met() -> None:
    case = {"micro_batch_s": 0.025, "all_reduce_s": 0.050}
    assert accumulation.steps_for_share(largest_share=0.05, **case) == 38
    assert same(accumulation.communication_share(accumulation_steps=38, **case), 0.05)


# Memory and recomputation


@given(sample_gb=st.integers(1, 12), state_gb=st.integers(1, 60))
def test_the_micro_batch_fits_and_one_sample_more_does_not(sample_gb: int, state_gb: int) -> None:
    memory: dict[str, Any] = {"memory_bytes": 75e9, "state_bytes": state_gb * 1e9, "sample_bytes": sample_gb * 1e9}
    micro_batch = accumulation.micro_batch_that_fits(**memory)
    assert state_gb + micro_batch * sample_gb <= 75 < state_gb + (micro_batch + 1) * sample_gb
    assert micro_batch == engine.packed_micro_batch(**memory)


@given(layers=st.integers(1, 130), part=st.floats(0, 1), ratio=st.floats(0.5, 4))
def test_recomputing_costs_what_the_clock_says(layers: int, part: float, ratio: float) -> None:
    case = {"layers": layers, "recomputed_layers": round(part * layers), "backward_per_forward": ratio}
    overhead = accumulation.recompute_overhead(**case)
    assert math.isclose(overhead, engine.clocked_recompute_overhead(**case), rel_tol=1e-9, abs_tol=1e-12)


def test_full_checkpointing_costs_a_third() -> None:
    full = accumulation.recompute_overhead(layers=32, recomputed_layers=32, backward_per_forward=2)
    assert same(full, 8 / 6 - 1)
    assert accumulation.recompute_overhead(layers=32, recomputed_layers=0, backward_per_forward=2) == 0


plans = st.fixed_dictionaries(
    {"micro_batch": st.integers(1, 8), "dp": st.integers(1, 16), "fixed_s": st.floats(0.0, 0.5),
     "sample_forward_s": times, "sample_backward_s": times, "recomputed": st.booleans()}
)  # fmt: skip


@given(plan=plans, passes=st.integers(1, 32))
def test_a_plan_takes_as_long_as_its_samples_one_by_one(plan: dict[str, Any], passes: int) -> None:
    target = passes * plan["micro_batch"] * plan["dp"]
    ours = accumulation.plan_seconds(target_batch=target, **plan)
    assert same(ours, engine.clocked_plan_seconds(target_batch=target, **plan))


@given(fixed_s=st.floats(0.0, 1.0), forward=times, backward=times)
def test_the_faster_plan_wins_the_race(fixed_s: float, forward: float, backward: float) -> None:
    case: dict[str, Any] = {"target_batch": 256, "dp": 8, "plain_micro_batch": 2, "recomputed_micro_batch": 8,
                            "sample_forward_s": forward, "sample_backward_s": backward, "fixed_s": fixed_s}  # fmt: skip
    # 16 passes of 2 against 4 of 8: twelve fixed costs saved, 32 forward passes added.
    assume(not math.isclose(12 * fixed_s, 32 * forward, rel_tol=1e-6))
    assert accumulation.faster_plan(**case) == ("plain" if 12 * fixed_s < 32 * forward else "recomputed")
    assert accumulation.faster_plan(**case) == engine.raced_plans(**case)


def test_without_a_fixed_cost_checkpointing_is_a_third_slower_whatever_the_micro_batch() -> None:
    plain = accumulation.plan_seconds(target_batch=2048, micro_batch=8, dp=8, **SAMPLE)
    larger = accumulation.plan_seconds(target_batch=2048, micro_batch=16, dp=8, recomputed=True, **SAMPLE)
    micro_batch_s = 8 * 0.030
    assert same(plain / micro_batch_s, 32)
    assert same(larger / micro_batch_s, 128 / 3)  # 42.67


# Bad input

BAD: list[tuple[Any, dict[str, Any]]] = [
    (accumulation.accumulation_steps, {"target_batch": 100, "micro_batch": 3, "dp": 8}),
    (accumulation.accumulation_steps, {"target_batch": 0, "micro_batch": 4, "dp": 8}),
    (accumulation.effective_batch, {"micro_batch": 4, "accumulation_steps": 0, "dp": 8}),
    (accumulation.batch_tokens, {"micro_batch": 1, "accumulation_steps": 1, "dp": 1, "sequence_length": 0}),
    (accumulation.required_steps, {"target_batch": 64, "micro_batch": 2.5, "dp": 8}),
    (accumulation.batch_overshoot, {"target_batch": 64, "micro_batch": 4, "dp": -1}),
    (accumulation.optimizer_steps, {"tokens": 1e12, "batch_tokens": 0}),
    (accumulation.step_seconds, {"accumulation_steps": 4, "micro_batch_s": 0, "all_reduce_s": 0.1}),
    (accumulation.samples_per_second, {"micro_batch": 0, "accumulation_steps": 1, "dp": 1, **STEP}),
    (accumulation.communication_share, {"accumulation_steps": 0, **STEP}),
    (accumulation.communication_overhead, {"accumulation_steps": 1, "micro_batch_s": -1, "all_reduce_s": 0.1}),
    (accumulation.steps_for_share, {"largest_share": 5, **STEP}),
    (accumulation.micro_batch_that_fits, {"memory_bytes": 80e9, "state_bytes": 79e9, "sample_bytes": 2e9}),
    (accumulation.recompute_overhead, {"layers": 32, "recomputed_layers": 33, "backward_per_forward": 2}),
    (accumulation.plan_seconds, {"target_batch": 100, "micro_batch": 8, "dp": 8, **SAMPLE}),
    (accumulation.plan_seconds, {"target_batch": 64, "micro_batch": 8, "dp": 8, "fixed_s": -1, **SAMPLE}),
]  # fmt: skip


@pytest.mark.parametrize(("function", "arguments"), BAD)
def test_impossible_arguments_are_refused(function: Any, arguments: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"must|multiple|fit|more than"):
        function(**arguments)
