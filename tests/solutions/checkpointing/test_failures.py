"""Failures: counts, MTBFs, quiet spans, and what a failure costs."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solutions.checkpointing import failures, restart_costs
from solutions.oracles.checkpointing import failures as watched
from solutions.oracles.checkpointing import restart_costs as struck

HOUR, DAY = 3600, 86400


def test_llama_3_and_the_clusters_of_meta() -> None:
    job = failures.mtbf_elsewhere_seconds(failures=419, parts=16384, observed_s=54 * DAY, other_parts=16384)
    assert job / HOUR == pytest.approx(3.09, abs=0.005)
    rate = failures.node_mtbf_seconds(failures_per_1000_node_days=6.5)
    assert rate == pytest.approx(watched.node_mtbf_seconds(failures_per_1000_node_days=6.5))
    for gpus, printed in ((16384, 1.8), (131072, 0.23)):
        assert failures.job_mtbf_seconds(part_mtbf_s=rate, parts=gpus // 8) / HOUR == pytest.approx(printed, rel=0.025)


def test_certainty_is_not_to_be_had() -> None:
    with pytest.raises(ValueError, match="probability must be below 1"):
        failures.largest_quiet_job(part_mtbf_s=1e7, span_s=1, probability=1)


# What a failure costs ----------------------------------------------------------------------------------------------


def test_gemini_wastes_105_minutes_when_the_store_takes_42() -> None:
    lost = restart_costs.background_failure_seconds(period_s=42 * 60, drain_s=42 * 60, restart_s=42 * 60)
    assert lost / 60 == 105  # 42 minutes to read the checkpoint among them
    with pytest.raises(ValueError, match="does not end within a period"):
        restart_costs.background_failure_seconds(period_s=60, drain_s=61)


@given(
    count=st.integers(1, 500), avoided=st.floats(0, 1), interval=st.integers(600, 10000), new=st.integers(600, 10000),
    write=st.integers(1, 600), detect=st.integers(60, 1800), restart=st.integers(60, 3600),
)  # fmt: skip
def test_a_proposal_is_the_difference_of_two_runs(
    count: int, avoided: float, interval: int, new: int, write: int, detect: int, restart: int
) -> None:
    run: dict[str, Any] = {
        "failures": count, "interval_s": interval, "write_s": write, "detect_s": detect, "restart_s": restart,
    }  # fmt: skip
    for change in (
        {"avoided_failures": int(avoided * count)},
        {"new_detect_s": detect // 2},
        {"new_restart_s": restart // 2},
        {"new_interval_s": new, "training_s": 50 * DAY},
    ):
        case: dict[str, Any] = {**run, **change}
        ours = restart_costs.proposal_seconds_saved(**case)
        assert ours == pytest.approx(struck.proposal_seconds_saved(**case), rel=1e-9, abs=1e-6)
    assert restart_costs.proposal_seconds_saved(**run) == 0
    with pytest.raises(ValueError, match="avoided_failures must be at most"):
        restart_costs.proposal_seconds_saved(avoided_failures=count + 1, **run)
