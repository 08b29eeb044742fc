"""Intervals between checkpoints against books, renewal and search."""

from __future__ import annotations

from math import e, exp, inf, sqrt
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from solutions.checkpointing import checkpoint_interval as interval
from solutions.oracles.checkpointing import checkpoint_interval as books

HOUR, DAY = 3600, 86400
writes = st.floats(1, 3000)
mtbfs = st.floats(1800, 100 * DAY)


@settings(deadline=None)
@given(write=writes, mtbf=mtbfs)
def test_the_exact_interval_is_found_by_trying(write: float, mtbf: float) -> None:
    best = interval.exact_interval_seconds(write_s=write, mtbf_s=mtbf)
    assume(best > 1e-3 * mtbf)
    assert best == pytest.approx(books.exact_interval_seconds(write_s=write, mtbf_s=mtbf), rel=1e-9)
    share = best / mtbf
    assert (share - 1) * exp(share - 1) == pytest.approx(-exp(-1 - write / mtbf), rel=1e-9)  # Lambert's function
    assert best < interval.young_interval_seconds(write_s=write, mtbf_s=mtbf)
    assert best < mtbf


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


@settings(deadline=None)
@given(
    training=st.floats(DAY, 100 * DAY),
    length=st.floats(60, 20000),
    write=writes,
    restart=st.floats(0, 3600),
    mtbf=mtbfs,
)
def test_a_run_is_renewed_after_each_failure(
    training: float, length: float, write: float, restart: float, mtbf: float
) -> None:
    case = {"training_s": training, "interval_s": length, "write_s": write, "restart_s": restart, "mtbf_s": mtbf}
    ours = interval.run_seconds(**case)
    assert ours == pytest.approx(books.run_seconds(**case), rel=1e-6)
    assert ours > training * (1 + write / length)


def test_a_run_that_never_ends_is_infinite() -> None:
    assert interval.run_seconds(training_s=DAY, interval_s=DAY, write_s=1, restart_s=0, mtbf_s=1) == inf


def test_no_failures_leave_the_writing_alone() -> None:
    run = interval.run_seconds(training_s=1000, interval_s=100, write_s=1, restart_s=50, mtbf_s=1e15)
    assert run == pytest.approx(1010)


@given(length=st.floats(60, 10000), write=writes, restart=st.floats(0, 1200), mtbf=st.floats(10 * HOUR, 100 * DAY))
def test_what_is_left_is_training_and_writing(length: float, write: float, restart: float, mtbf: float) -> None:
    case = {"interval_s": length, "write_s": write, "restart_s": restart, "mtbf_s": mtbf}
    ours = interval.effective_training_share(**case)
    assert ours == pytest.approx(books.effective_training_share(**case), rel=1e-9)
    waste = interval.total_waste(**case)
    assert waste == pytest.approx(books.total_waste(**case), rel=1e-9)
    assert 1 - waste <= ours * (1 + 1e-12)
    exact = 1 / interval.run_seconds(training_s=1, **case)
    assert ours == pytest.approx(exact, abs=3 * (waste + write / mtbf) ** 2)


def test_failures_may_take_all_the_time() -> None:
    with pytest.raises(ValueError, match="failures take all the time"):
        interval.effective_training_share(interval_s=7200, write_s=60, restart_s=1800, mtbf_s=5400)


@settings(deadline=None)
@given(step=st.integers(1, 100), write=st.integers(1, 1000), mtbf=st.integers(1800, 30 * DAY))
def test_the_best_number_of_steps_beats_its_neighbours(step: int, write: int, mtbf: int) -> None:
    case: dict[str, Any] = {"step_s": step, "write_s": write, "mtbf_s": mtbf}
    ours = interval.best_steps(**case)

    def run(steps: int) -> float:
        return interval.run_seconds(training_s=1, interval_s=steps * step, write_s=write, restart_s=0, mtbf_s=mtbf)

    assert run(ours) <= run(ours + 1) * (1 + 1e-13)
    assert ours == 1 or run(ours) <= run(ours - 1) * (1 + 1e-13)
    if run(ours + 1) > run(ours) * (1 + 1e-12) < run(ours - 1 or 1) + (ours == 1):
        assert abs(ours - books.best_steps(**case)) <= 1


def test_one_step_is_the_least() -> None:
    assert interval.best_steps(step_s=100, write_s=1, mtbf_s=600) == 1
    assert books.best_steps(step_s=100, write_s=1, mtbf_s=600) == 1
    assert interval.exact_interval_seconds(write_s=1e6, mtbf_s=1) == pytest.approx(1)
    assert interval.exact_interval_seconds(write_s=e, mtbf_s=1) < 1
