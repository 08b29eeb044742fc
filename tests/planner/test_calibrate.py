"""The fit of the planner's constants and the calibration of ranges: a fit restores the constants, and ignores held-out rows."""

from __future__ import annotations

from math import exp, log

import numpy as np
import pytest

from bench.planner import coverage, planned
from bench.planner.coverage import Seen
from bench.planner.fitting import Fit, trial_constants
from bench.planner.knowledge import Case
from bench.planner.predictions import Row
from bench.planner.runs import Runs
from solutions.planner import constants as planner_constants

NAMES = ["chips/A100-80GB/matmul", "chips/H100-80GB/matmul"]
IDS = ("aa-131868", "aa-132178", "dgxc-8b-bf16-8", "dgxc-8b-bf16-32", "dgxc-8b-bf16-128")


@pytest.fixture(scope="module")
def few(rows: list[Row]) -> list[Row]:
    return [row for row in rows if row.run.id in IDS]


def fit_of(few: list[Row], runs: Runs) -> Fit:
    cases = {row.run.id: Case(row, runs) for row in few}
    return Fit(few, NAMES, 0.5, lambda row: cases[row.run.id].time_ratio())


def test_errors_are_of_the_constants_at_a_point(few: list[Row], runs: Runs) -> None:
    with trial_constants():
        fit = fit_of(few, runs)
        said = [planned.plan_of(row, runs).step_s / (row.step_s or 1) for row in few]
        assert np.exp(fit.errors(fit.now)) == pytest.approx(said)
        slower = fit.errors(fit.now - log(2))
        assert all(slower > fit.errors(fit.now) + 0.3)


def test_constants_are_as_before_afterwards(few: list[Row], runs: Runs) -> None:
    before = planner_constants.constants()["chips"]["A100-80GB"]["matmul"]
    said = planned.plan_of(few[0], runs).step_s
    with trial_constants():
        fit = fit_of(few, runs)
        fit.errors(fit.now - 1)
        assert planner_constants.constants()["chips"]["A100-80GB"]["matmul"] == pytest.approx(before / exp(1))
    assert planner_constants.constants()["chips"]["A100-80GB"]["matmul"] == before
    assert planned.plan_of(few[0], runs).step_s == said


def test_a_fit_brings_predictions_nearer(few: list[Row], runs: Runs) -> None:
    with trial_constants():
        fit = fit_of(few, runs)
        off = fit_of(few, runs)
        off.start = fit.start - 0.4
        off.now = off.start
        off.run()
        assert off.loss(off.at_point, off.point) < off.loss(off.errors(off.start), off.start)
        assert np.median(np.abs(off.at_point)) < 0.05


def test_what_is_left_out_does_not_pull(few: list[Row], runs: Runs) -> None:
    with trial_constants():
        fit = fit_of(few, runs)
        fit.run()
        inside = [at for at, row in enumerate(few) if row.run.chip == "A100-80"]
        expected = fit.without(inside)
        fit.at_point = fit.at_point.copy()
        fit.at_point[:2] += 0.5  # the A100 rows, as if printed times were other ones
        assert fit.without(inside) == pytest.approx(expected, abs=1e-6)


def seen(family: str, *errors: float, cell: str = "row") -> list[Seen]:
    return [Seen(f"{family}-{at}", family, (cell,), exp(error), exp(error)) for at, error in enumerate(errors)]


CELLS = (("row", "framework", "unknown"),)


def test_a_factor_covers_four_of_five_runs_and_more_with_few_families() -> None:
    many = [run for at in range(1, 101) for run in seen(f"family {at}", at / 1000)]
    assert log(coverage.factors(many, CELLS)["row",].factor) == pytest.approx(0.081)  # 80 % x (1 + 1 / 100), rounded up
    few = [run for at in range(1, 5) for run in seen(f"family {at}", *(at / 100 + each / 1000 for each in range(10)))]
    assert log(coverage.factors(few, CELLS)["row",].factor) == pytest.approx(0.045)  # 90 % of 40


def test_a_large_family_does_not_decide_a_factor() -> None:
    runs = [*seen("large", *[0.01] * 100), *(run for at in range(9) for run in seen(f"small {at}", 0.2))]
    assert coverage.factors(runs, CELLS)["row",].factor == pytest.approx(exp(0.2))


def test_less_knowledge_never_means_a_narrower_range_of_one_prediction() -> None:
    runs = [*(run for at in range(50) for run in seen(f"{at}", 0.1)), *seen("other", 0.01, cell="framework")]
    found = coverage.factors(runs, CELLS)
    assert found["framework",].factor == found["row",].factor == pytest.approx(exp(0.1))
    assert found["unknown",].factor == 1, "it widens a span of software"


def test_a_range_is_tried_on_families_that_did_not_calibrate_it() -> None:
    runs = [*(run for at in range(50) for run in seen(f"{at}", 0.1)), *seen("strange", 0.3, 0.05)]
    covered = coverage.nested(runs, CELLS)["row",]
    assert (covered.runs, covered.families) == (52, 51)
    assert covered.of_runs == pytest.approx(51 / 52, abs=1e-3) and covered.of_families == pytest.approx(
        50.5 / 51, abs=1e-3
    )


def test_a_span_is_scored_by_the_end_that_the_reported_figure_is_beyond() -> None:
    assert Seen("a", "b", ("unknown",), 0.8, 1.1).score < 0
    assert Seen("a", "b", ("unknown",), 1.2, 1.3).score == pytest.approx(log(1.2))
    assert Seen("a", "b", ("unknown",), 0.5, 0.8).score == pytest.approx(-log(0.8))


def test_memory_without_a_printed_figure_counts_only_where_it_is_contradicted(rows: list[Row], runs: Runs) -> None:
    named = {row.run.id: Case(row, runs) for row in rows if row.run.id.startswith(("bloom-bf16-206b", "aa-131869"))}
    contradicted = next(named["bloom-bf16-206b-tp4-mbs2-oom"].sizes())
    assert contradicted.high == pytest.approx(
        planned.predictor(runs)(named["bloom-bf16-206b-tp4-mbs2-oom"].row).memory_bytes / 85e9, rel=1e-3
    )
    assert not list(named["aa-131869"].sizes()), "it was predicted not to fit"
