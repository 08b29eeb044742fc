"""Schedules of the learning rate against written-out ones, their areas against sums, and the worked numbers."""

from __future__ import annotations

import math
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from solutions.learning_rate import lr_schedules
from solutions.oracles.learning_rate import lr_schedules as engine

rates = st.floats(1e-6, 1.0)


def same(first: float, second: float) -> bool:
    return math.isclose(first, second, rel_tol=1e-9, abs_tol=1e-12)


warmed = st.fixed_dictionaries(
    {"peak_lr": rates, "final_lr": st.floats(0.0, 1e-6), "warmup_steps": st.integers(1, 300),
     "total_steps": st.integers(301, 3000)}
)  # fmt: skip


@given(schedule=warmed)
def test_a_cosine_begins_at_zero_peaks_after_warmup_and_stays_at_its_end(schedule: dict[str, Any]) -> None:
    total, warmup = schedule["total_steps"], schedule["warmup_steps"]
    assert lr_schedules.cosine_lr(step=0, **schedule) == 0
    assert same(lr_schedules.cosine_lr(step=warmup, **schedule), schedule["peak_lr"])
    for step in (total, total + 1000):
        assert same(lr_schedules.cosine_lr(step=step, **schedule), schedule["final_lr"])


@given(schedule=warmed)
def test_the_area_of_a_cosine_is_the_sum_of_its_steps(schedule: dict[str, Any]) -> None:
    assert same(lr_schedules.cosine_area(**schedule), engine.summed_cosine_area(**schedule))


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


def test_a_run_may_be_all_warmup() -> None:
    case = {"base_warmup_steps": 100, "base_total_steps": 100, "base_batch": 256, "batch": 256}
    assert lr_schedules.warmup_share(**case) == engine.counted_warmup_share(**case) == 1
