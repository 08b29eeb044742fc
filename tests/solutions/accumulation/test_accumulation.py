"""Gradient accumulation: formulas against a walk through the micro-batches, limits, and worked numbers."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from solutions.accumulation import accumulation
from solutions.oracles.accumulation import accumulation as engine

counts = st.integers(1, 20)
times = st.floats(1e-3, 5.0)
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
    overshoot = accumulation.batch_overshoot(**case)
    assert overshoot == engine.counted_overshoot(**case)
    assert 0 <= overshoot < micro_batch * dp
    assert (target + overshoot) % (micro_batch * dp) == 0


@given(target=st.integers(1, 3000), micro_batch=counts, dp=counts)
def test_the_strict_count_refuses_exactly_what_would_overshoot(target: int, micro_batch: int, dp: int) -> None:
    case = {"target_batch": target, "micro_batch": micro_batch, "dp": dp}
    overshoot = accumulation.batch_overshoot(**case)
    for count in (accumulation.accumulation_steps, engine.counted_accumulation_steps):
        if overshoot == 0:
            assert count(**case) * micro_batch * dp == target
        else:
            with pytest.raises(ValueError, match=r"no multiple|jumped over"):
                count(**case)


@given(target=st.integers(1, 3000), dp=counts, fits=st.integers(1, 40))
def test_the_largest_micro_batch_that_divides_is_found_by_cutting(target: int, dp: int, fits: int) -> None:
    case = {"target_batch": target, "dp": dp, "largest_micro_batch": fits}
    if target % dp:
        for find in (accumulation.dividing_micro_batch, engine.cut_micro_batch):
            with pytest.raises(ValueError, match=r"multiple|sequence"):
                find(**case)
        return
    size = accumulation.dividing_micro_batch(**case)
    assert size == engine.cut_micro_batch(**case) <= fits
    assert accumulation.accumulation_steps(target_batch=target, micro_batch=size, dp=dp) >= 1


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


def test_a_tie_goes_to_the_plan_without_checkpointing() -> None:
    case: dict[str, Any] = {"target_batch": 256, "dp": 8, "plain_micro_batch": 2, "recomputed_micro_batch": 8,
                            "sample_forward_s": 0.375, "sample_backward_s": 0.5, "fixed_s": 1.0}  # fmt: skip
    assert accumulation.faster_plan(**case) == engine.raced_plans(**case) == "plain"


def test_without_a_fixed_cost_checkpointing_is_a_third_slower_whatever_the_micro_batch() -> None:
    plain = accumulation.plan_seconds(target_batch=2048, micro_batch=8, dp=8, **SAMPLE)
    larger = accumulation.plan_seconds(target_batch=2048, micro_batch=16, dp=8, recomputed=True, **SAMPLE)
    micro_batch_s = 8 * 0.030
    assert same(plain / micro_batch_s, 32)
    assert same(larger / micro_batch_s, 128 / 3)  # 42.67


@given(layers=st.integers(1, 130), percent=st.integers(1, 60), tenths=st.integers(5, 40))
def test_one_layer_more_than_affordable_costs_too_much(layers: int, percent: int, tenths: int) -> None:
    case = {"layers": layers, "backward_per_forward": tenths / 10}
    limit = percent / 100
    most = accumulation.affordable_layers(largest_overhead=limit, **case)
    assert most == engine.tried_affordable_layers(largest_overhead=limit, **case)
    assert accumulation.recompute_overhead(recomputed_layers=most, **case) <= limit * (1 + 1e-9)
    if most < layers:
        assert accumulation.recompute_overhead(recomputed_layers=most + 1, **case) > limit


@given(plain=st.integers(1, 6), more=st.integers(1, 10), forward=times)
def test_at_the_tie_both_plans_take_equally_long(plain: int, more: int, forward: float) -> None:
    sizes = {"plain_micro_batch": plain, "recomputed_micro_batch": plain + more}
    fixed_s = accumulation.tying_fixed_seconds(sample_forward_s=forward, **sizes)
    assert math.isclose(fixed_s, engine.searched_tie(sample_forward_s=forward, **sizes), rel_tol=1e-9)
    case: dict[str, Any] = {"target_batch": 8 * plain * (plain + more), "dp": 8, "sample_forward_s": forward,
                            "sample_backward_s": 2 * forward, **sizes}  # fmt: skip
    assert accumulation.faster_plan(fixed_s=0.95 * fixed_s, **case) == "plain"
    assert accumulation.faster_plan(fixed_s=1.05 * fixed_s, **case) == "recomputed"


# Bad input

BAD: list[tuple[Any, dict[str, Any]]] = [
    (accumulation.accumulation_steps, {"target_batch": 100, "micro_batch": 3, "dp": 8}),
    (accumulation.accumulation_steps, {"target_batch": 0, "micro_batch": 4, "dp": 8}),
    (accumulation.effective_batch, {"micro_batch": 4, "accumulation_steps": 0, "dp": 8}),
    (accumulation.batch_tokens, {"micro_batch": 1, "accumulation_steps": 1, "dp": 1, "sequence_length": 0}),
    (accumulation.dividing_micro_batch, {"target_batch": 64, "dp": 48, "largest_micro_batch": 4}),
    (accumulation.dividing_micro_batch, {"target_batch": 64, "dp": 8, "largest_micro_batch": 0}),
    (accumulation.affordable_layers, {"layers": 32, "largest_overhead": 0, "backward_per_forward": 2}),
    (accumulation.tying_fixed_seconds, {"plain_micro_batch": 4, "recomputed_micro_batch": 4, "sample_forward_s": 0.1}),
    (accumulation.batch_overshoot, {"target_batch": 64, "micro_batch": 4, "dp": -1}),
    (accumulation.optimizer_steps, {"tokens": 1e12, "batch_tokens": 0}),
    (accumulation.micro_batch_that_fits, {"memory_bytes": 80e9, "state_bytes": 79e9, "sample_bytes": 2e9}),
    (accumulation.recompute_overhead, {"layers": 32, "recomputed_layers": 33, "backward_per_forward": 2}),
    (accumulation.plan_seconds, {"target_batch": 100, "micro_batch": 8, "dp": 8, **SAMPLE}),
    (accumulation.plan_seconds, {"target_batch": 64, "micro_batch": 8, "dp": 8, "fixed_s": -1, **SAMPLE}),
]  # fmt: skip


@pytest.mark.parametrize(("function", "arguments"), BAD)
def test_impossible_arguments_are_refused(function: Any, arguments: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"must|multiple|fit|more than"):
        function(**arguments)
