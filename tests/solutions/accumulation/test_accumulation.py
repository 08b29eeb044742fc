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


def same(first: float, second: float) -> bool:
    return math.isclose(first, second, rel_tol=1e-9, abs_tol=1e-12)


# Batches


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


# Memory and recomputation


def test_full_checkpointing_costs_a_third() -> None:
    full = accumulation.recompute_overhead(layers=32, recomputed_layers=32, backward_per_forward=2)
    assert same(full, 8 / 6 - 1)
    assert accumulation.recompute_overhead(layers=32, recomputed_layers=0, backward_per_forward=2) == 0


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
