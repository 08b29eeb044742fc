"""From a layout to a step: references against engines that play it, their limits, and the plan of a real run."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solutions.capstone import capstone
from solutions.layout import run_plan
from solutions.oracles.layout import run_plan as engine
from solutions.oracles.pipeline import pipeline as pipeline_engine
from solutions.pipeline import pipeline


def same(first: float, second: float) -> bool:
    return first == pytest.approx(second, rel=1e-9, abs=1e-12)


@given(busy=st.floats(0.1, 100), stages=st.integers(1, 16), rounds=st.integers(1, 8), sync=st.floats(0, 10))
def test_a_step_is_the_played_pipeline_and_what_traffic_adds_at_its_end(
    busy: float, stages: int, rounds: int, sync: float
) -> None:
    micro_batches = stages * rounds
    idle = pipeline.bubble_idle_fraction(stages=stages, micro_batches=micro_batches)
    case: dict[str, Any] = {"busy_s": busy, "idle": idle, "micro_batches": micro_batches}
    step = run_plan.step_seconds(**case, sync_s=sync)
    assert same(step, engine.step_seconds(**case, sync_s=sync))
    played = pipeline_engine.step_seconds(
        stages=stages, micro_batches=micro_batches, micro_batch_seconds=busy / micro_batches
    )
    assert same(run_plan.step_seconds(**case, sync_s=0), played)
    hides = sync <= busy / micro_batches
    assert (step == run_plan.step_seconds(**case, sync_s=0)) or not hides


def test_the_traffic_of_the_405b_run_is_that_of_its_slice() -> None:
    shape = {"hidden": 16384, "ffn_hidden": 53248, "heads": 128, "kv_heads": 8, "stage_layers": 8, "tp": 8}
    weights = capstone.stage_weight_bytes(**shape, bytes_per_weight=2)
    whole = capstone.gradient_sync_seconds(**shape, dp=128, bandwidth_bytes_per_s=50e9)
    assert same(run_plan.sync_seconds(weight_bytes=weights, replicas=128, bandwidth_bytes_per_s=50e9), whole)
