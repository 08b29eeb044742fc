"""The fit of the planner's constants: what it changes, that it restores, and that what is left out is not seen."""

from __future__ import annotations

from math import exp, log

import numpy as np
import pytest

from bench.planner import calibrate, planned
from bench.planner.predictions import Row
from bench.planner.runs import Runs
from solutions.planner import constants as planner_constants

NAMES = ["chips/A100-80GB/matmul", "chips/H100-80GB/matmul"]
IDS = ("aa-131868", "aa-132178", "dgxc-8b-bf16-8", "dgxc-8b-bf16-32", "dgxc-8b-bf16-128")


@pytest.fixture(scope="module")
def few(rows: list[Row]) -> list[Row]:
    return [row for row in rows if row.run.id in IDS]


def test_errors_are_of_the_constants_at_a_point(few: list[Row], runs: Runs) -> None:
    with calibrate.tried():
        fit = calibrate.Fit(few, runs, NAMES, 0.5)
        said = [planned.plan_of(row, runs).step_s / (row.step_s or 1) for row in few]
        assert np.exp(fit.errors(fit.now)) == pytest.approx(said)
        slower = fit.errors(fit.now - log(2))
        assert all(slower > fit.errors(fit.now) + 0.3)


def test_constants_are_as_before_afterwards(few: list[Row], runs: Runs) -> None:
    before = planner_constants.constants()["chips"]["A100-80GB"]["matmul"]
    said = planned.plan_of(few[0], runs).step_s
    with calibrate.tried():
        fit = calibrate.Fit(few, runs, NAMES, 0.5)
        fit.errors(fit.now - 1)
        assert planner_constants.constants()["chips"]["A100-80GB"]["matmul"] == pytest.approx(before / exp(1))
    assert planner_constants.constants()["chips"]["A100-80GB"]["matmul"] == before
    assert planned.plan_of(few[0], runs).step_s == said


def test_a_fit_brings_predictions_nearer(few: list[Row], runs: Runs) -> None:
    with calibrate.tried():
        fit = calibrate.Fit(few, runs, NAMES, 0.5)
        off = calibrate.Fit(few, runs, NAMES, 0.5)
        off.start = fit.start - 0.4
        point, errors, _ = off.fitted()
        assert off.loss(errors, point) < off.loss(off.errors(off.start), off.start)
        assert np.median(np.abs(errors)) < 0.05


def test_what_is_left_out_does_not_pull(few: list[Row], runs: Runs) -> None:
    with calibrate.tried():
        fit = calibrate.Fit(few, runs, NAMES, 0.5)
        point, errors, jacobian = fit.fitted()
        wrong = errors.copy()
        wrong[:2] += 0.5  # the A100 rows, as if printed times were other ones
        inside = [at for at, row in enumerate(few) if row.run.chip == "A100-80"]
        without = fit.without(inside, point, wrong, jacobian)
        assert without == pytest.approx(fit.without(inside, point, errors, jacobian), abs=1e-6)
