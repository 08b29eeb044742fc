"""Intervals between checkpoints against books, renewal and search."""

from __future__ import annotations

from math import e, inf, sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solutions.checkpointing import checkpoint_interval as interval
from solutions.oracles.checkpointing import checkpoint_interval as books

HOUR, DAY = 3600, 86400
writes = st.floats(1, 3000)
mtbfs = st.floats(1800, 100 * DAY)


@settings(deadline=None)
@given(write=writes, mtbf=mtbfs, step=st.floats(1, 100))
def test_young_is_where_the_books_show_the_least_waste(write: float, mtbf: float, step: float) -> None:
    case = {"write_s": write, "mtbf_s": mtbf}
    young = interval.young_interval_seconds(**case)
    assert young == pytest.approx(books.young_interval_seconds(**case), rel=1e-9)
    assert interval.young_steps(step_s=step, **case) == pytest.approx(books.young_steps(step_s=step, **case), rel=1e-9)
    assert interval.least_waste(**case) == pytest.approx(books.least_waste(**case), rel=1e-6)
    assert interval.least_waste(**case) == pytest.approx(sqrt(2 * write / mtbf))
    failing = interval.least_waste(restart_s=step, with_writing=False, **case)
    assert failing == pytest.approx(books.least_waste(restart_s=step, with_writing=False, **case), rel=1e-6)
    assert failing == pytest.approx(sqrt(write / mtbf / 2) + step / mtbf)
    overhead = interval.write_overhead(interval_s=young, write_s=write)
    assert overhead == pytest.approx(books.write_overhead(interval_s=young, write_s=write), rel=1e-6)
    assert interval.total_waste(interval_s=young, **case) == pytest.approx(2 * overhead)


@pytest.mark.parametrize(("mtbf", "printed"), [(1440, 117), (360, 57), (15, 9.1)])
def test_daly_prints_his_intervals_in_minutes(mtbf: float, printed: float) -> None:
    assert interval.daly_interval_seconds(write_s=5, mtbf_s=mtbf) == pytest.approx(
        printed, abs=0.5 if printed > 10 else 0.05
    )


@given(write=writes, mtbf=mtbfs)
def test_daly_is_nearer_to_the_optimum_than_young(write: float, mtbf: float) -> None:
    case = {"write_s": write, "mtbf_s": mtbf}
    exact, daly, young = (getattr(interval, f"{name}_interval_seconds")(**case) for name in ("exact", "daly", "young"))
    assert abs(daly - exact) < abs(young - exact)
    if write < mtbf / 10:
        assert daly == pytest.approx(exact, rel=5e-4)
    if write >= 2 * mtbf:
        assert daly == mtbf


def test_no_failures_leave_the_writing_alone() -> None:
    run = interval.run_seconds(training_s=1000, interval_s=100, write_s=1, restart_s=50, mtbf_s=1e15)
    assert run == pytest.approx(1010)


def test_failures_may_take_all_the_time() -> None:
    with pytest.raises(ValueError, match="failures take all the time"):
        interval.effective_training_share(interval_s=7200, write_s=60, restart_s=1800, mtbf_s=5400)


def test_one_step_is_the_least() -> None:
    assert interval.best_steps(step_s=100, write_s=1, mtbf_s=600) == 1
    assert books.best_steps(step_s=100, write_s=1, mtbf_s=600) == 1
    assert interval.exact_interval_seconds(write_s=1e6, mtbf_s=1) == pytest.approx(1)
    assert interval.exact_interval_seconds(write_s=e, mtbf_s=1) < 1


def test_a_run_that_never_ends_is_infinite() -> None:
    assert interval.run_seconds(training_s=DAY, interval_s=DAY, write_s=1, restart_s=0, mtbf_s=1) == inf
