"""Peaks and orders of schedules, sharding among replicas, and merged passes, against simulated steps."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solutions.oracles.pipeline import dualpipe
from solutions.oracles.pipeline import merged_passes as merged_engine
from solutions.oracles.pipeline import pipeline_sharding as sharding_engine
from solutions.oracles.pipeline import stage_peaks as engine
from solutions.pipeline import merged_passes, pipeline_sharding, stage_peaks


@given(name=st.sampled_from(stage_peaks.PEAKS), half=st.integers(1, 6), rounds=st.integers(2, 4), data=st.data())
def test_a_peak_is_what_the_operations_leave(name: str, half: int, rounds: int, data: Any) -> None:
    stage = data.draw(st.integers(0, 2 * half - 1))
    case = {"schedule": name, "stages": 2 * half, "stage": stage, "micro_batches": 2 * half * rounds}
    assert stage_peaks.stage_peak_micro_batches(**case) == engine.stage_peak_micro_batches(**case)


@given(half=st.integers(1, 6), rounds=st.integers(2, 4), data=st.data())
def test_dualpipe_runs_every_pass_once(half: int, rounds: int, data: Any) -> None:
    line = list(dualpipe.order(data.draw(st.integers(0, 2 * half - 1)), 2 * half, 2 * half * rounds))
    forwards = [passes[0] for kind, passes in line if kind in ("F", "FB")]
    backwards = [passes[-1] for kind, passes in line if kind in ("B", "I", "FB")]
    assert sorted(forwards) == sorted(backwards) == [(way, number) for way in (0, 1) for number in range(half * rounds)]
    assert sorted(p for kind, p in line if kind == "W") == sorted(p for kind, p in line if kind == "I")


@given(stages=st.integers(1, 10), micro_batches=st.integers(1, 30), data=st.data())
def test_the_line_of_1f1b_is_the_schedule_that_is_played(stages: int, micro_batches: int, data: Any) -> None:
    case = {"stages": stages, "stage": data.draw(st.integers(0, stages - 1)), "micro_batches": micro_batches}
    assert stage_peaks.one_f_one_b_line(**case) == engine.one_f_one_b_line(**case)


@given(
    policy=st.sampled_from(pipeline_sharding.POLICIES), replicas=st.integers(1, 20), micro_batches=st.integers(1, 40),
    parameters=st.floats(1e6, 1e11),
)  # fmt: skip
def test_replicas_send_what_a_walked_step_sends(
    policy: str, replicas: int, micro_batches: int, parameters: float
) -> None:
    case: dict[str, Any] = {
        "policy": policy,
        "replicas": replicas,
        "micro_batches": micro_batches,
        "parameters": parameters,
    }
    assert math.isclose(pipeline_sharding.replica_bytes(**case), sharding_engine.replica_bytes(**case), rel_tol=1e-12)


@given(
    micro_batches=st.integers(1, 40), forward=st.floats(0.01, 1), backward=st.floats(0.01, 1), exchange=st.floats(0, 2)
)
def test_merged_passes_take_what_two_lanes_take(
    micro_batches: int, forward: float, backward: float, exchange: float
) -> None:
    case: dict[str, Any] = {"forward_s": forward, "backward_s": backward, "exchange_s": exchange}
    for name in ("plain_step_seconds", "merged_step_seconds", "gain_of_merging"):
        found, expected = (
            getattr(m, name)(micro_batches=micro_batches, **case) for m in (merged_passes, merged_engine)
        )
        assert math.isclose(found, expected, rel_tol=1e-9, abs_tol=1e-9)


def test_dualpipe_wants_even_numbers_and_all_want_two_rounds() -> None:
    for schedule, stages, micro_batches in (("DualPipe", 3, 12), ("DualPipe", 4, 9), ("GPipe", 4, 7)):
        with pytest.raises(ValueError, match=r"even numbers|at least 8"):
            stage_peaks.stage_peak_micro_batches(schedule=schedule, stages=stages, stage=0, micro_batches=micro_batches)
