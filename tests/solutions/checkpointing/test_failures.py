"""Failures: counts, MTBFs, quiet spans, and what a failure costs."""

from __future__ import annotations

from math import exp
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solutions.checkpointing import failures, restart_costs
from solutions.oracles.checkpointing import failures as watched
from solutions.oracles.checkpointing import restart_costs as struck

HOUR, DAY = 3600, 86400
times = st.floats(1, 1e8)


@given(
    count=st.integers(1, 2000), parts=st.integers(1, 30000), observed=st.floats(3600, 1e8), other=st.integers(1, 30000)
)
def test_counts_give_the_mtbf_of_any_other_job(count: int, parts: int, observed: float, other: int) -> None:
    seen: dict[str, Any] = {"failures": count, "parts": parts, "observed_s": observed}
    one = failures.part_mtbf_seconds(**seen)
    assert one == pytest.approx(watched.part_mtbf_seconds(**seen), rel=1e-9)
    assert one / parts == pytest.approx(observed / count)
    ours = failures.mtbf_elsewhere_seconds(other_parts=other, **seen)
    assert ours == pytest.approx(watched.mtbf_elsewhere_seconds(other_parts=other, **seen), rel=1e-9)
    assert ours == pytest.approx(watched.job_mtbf_seconds(part_mtbf_s=one, parts=other), rel=1e-9)


def test_llama_3_and_the_clusters_of_meta() -> None:
    job = failures.mtbf_elsewhere_seconds(failures=419, parts=16384, observed_s=54 * DAY, other_parts=16384)
    assert job / HOUR == pytest.approx(3.09, abs=0.005)
    rate = failures.node_mtbf_seconds(failures_per_1000_node_days=6.5)
    assert rate == pytest.approx(watched.node_mtbf_seconds(failures_per_1000_node_days=6.5))
    for gpus, printed in ((16384, 1.8), (131072, 0.23)):
        assert failures.job_mtbf_seconds(part_mtbf_s=rate, parts=gpus // 8) / HOUR == pytest.approx(printed, rel=0.025)


@given(span=times, mtbf=times)
def test_a_quiet_span_is_many_quiet_slices(span: float, mtbf: float) -> None:
    quiet = failures.quiet_probability(span_s=span, mtbf_s=mtbf)
    assert quiet == pytest.approx(watched.quiet_probability(span_s=span, mtbf_s=mtbf), rel=1e-6, abs=1e-9)
    assert failures.quiet_probability(span_s=2 * span, mtbf_s=mtbf) == pytest.approx(quiet**2, abs=1e-12)
    mean = failures.expected_failures(run_s=span, mtbf_s=mtbf)
    assert mean == pytest.approx(watched.expected_failures(run_s=span, mtbf_s=mtbf), rel=1e-9)
    assert quiet == pytest.approx(exp(-mean))


@given(part=st.floats(1e6, 1e9), span=st.floats(3600, 1e5), chance=st.floats(0.05, 0.95))
def test_the_largest_quiet_job_is_quiet_enough_and_one_more_part_is_not(
    part: float, span: float, chance: float
) -> None:
    case = {"part_mtbf_s": part, "span_s": span, "probability": chance}
    try:
        ours = failures.largest_quiet_job(**case)
    except ValueError:
        assert failures.quiet_probability(span_s=span, mtbf_s=part) < chance * (1 + 1e-9)
        return
    assert failures.quiet_probability(span_s=span, mtbf_s=part / ours) >= chance * (1 - 1e-9)
    assert failures.quiet_probability(span_s=span, mtbf_s=part / (ours + 1)) < chance * (1 + 1e-9)
    assert abs(ours - watched.largest_quiet_job(**case)) <= 1


def test_certainty_is_not_to_be_had() -> None:
    with pytest.raises(ValueError, match="probability must lie below 1"):
        failures.largest_quiet_job(part_mtbf_s=1e7, span_s=1, probability=1)


# What a failure costs ----------------------------------------------------------------------------------------------


@given(
    interval=st.integers(10, 10**5),
    write=st.integers(0, 10**4),
    detect=st.integers(0, 1800),
    restart=st.integers(0, 3600),
)
def test_a_failure_may_strike_at_any_moment(interval: int, write: int, detect: int, restart: int) -> None:
    case = {"interval_s": interval, "write_s": write}
    lost = restart_costs.lost_work_seconds(**case)
    assert lost == pytest.approx(struck.lost_work_seconds(**case), rel=1e-9)
    assert 0 < lost < interval + write
    whole: dict[str, Any] = {**case, "detect_s": detect, "restart_s": restart}
    assert restart_costs.failure_seconds(**whole) == pytest.approx(struck.failure_seconds(**whole), rel=1e-9)


@given(period=st.integers(10, 10**5), share=st.floats(0.01, 1))
def test_a_checkpoint_counts_when_it_has_drained(period: int, share: float) -> None:
    case = {"period_s": period, "drain_s": period * share, "restart_s": 10}
    ours = restart_costs.background_failure_seconds(**case)
    assert ours == pytest.approx(struck.background_failure_seconds(**case), rel=1e-9)
    assert period / 2 < ours - 10 <= 1.5 * period


def test_gemini_wastes_105_minutes_when_the_store_takes_42() -> None:
    lost = restart_costs.background_failure_seconds(period_s=42 * 60, drain_s=42 * 60, restart_s=42 * 60)
    assert lost / 60 == 105  # 42 minutes to read the checkpoint among them
    with pytest.raises(ValueError, match="does not end within a period"):
        restart_costs.background_failure_seconds(period_s=60, drain_s=61)


@given(
    gpus=st.integers(1, 3000), span=st.integers(DAY, 90 * DAY), mtbf=st.integers(HOUR, 30 * DAY),
    interval=st.integers(60, 20000), write=st.integers(1, 600), detect=st.integers(0, 1800),
    restart=st.integers(0, 3600), price=st.sampled_from([1.5, 2, 3.25]),
)  # fmt: skip
def test_every_gpu_waits_for_every_failure(
    gpus: int, span: int, mtbf: int, interval: int, write: int, detect: int, restart: int, price: float
) -> None:
    cycle: dict[str, Any] = {
        "gpus": gpus,
        "mtbf_s": mtbf,
        "interval_s": interval,
        "write_s": write,
        "restart_s": restart,
    }
    bill: dict[str, Any] = {**cycle, "span_s": span, "detect_s": detect, "dollars_per_gpu_hour": price}
    ours = restart_costs.failures_dollars(**bill)
    assert ours == pytest.approx(struck.failures_dollars(**bill), rel=1e-9)
    hours = restart_costs.fault_tolerance_gpu_hours(training_s=span, **cycle)
    assert hours == pytest.approx(struck.fault_tolerance_gpu_hours(training_s=span, **cycle), rel=1e-9)


def test_a_crash_of_512_gpus_needs_its_restart_named() -> None:
    crash: dict[str, Any] = {
        "gpus": 512, "span_s": DAY, "mtbf_s": DAY, "interval_s": 68 * 60, "write_s": 0, "detect_s": 0,
        "dollars_per_gpu_hour": 2,
    }  # fmt: skip
    assert restart_costs.failures_dollars(restart_s=98, **crash) == pytest.approx(608, abs=0.5)
    assert restart_costs.failures_dollars(restart_s=130, **crash) == pytest.approx(617, abs=0.5)


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
