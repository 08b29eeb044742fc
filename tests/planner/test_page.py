"""docs/planner.md, as the command writes it from the runs, the planner and the stored predictions of its peers."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.planner import failures, page, planned, plots
from bench.planner.peers import asking
from bench.planner.predictions import Row, readable
from bench.planner.runs import Runs

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def written(runs: Runs) -> str:
    rows, silent = readable(runs)
    return page.written_page(runs, rows, silent, asking.kept())


def test_the_page_is_as_the_command_writes_it(written: str) -> None:
    assert (DOCS / "planner.md").read_text("utf-8") == written, "run `make planner` and commit the page"


@pytest.mark.slow
def test_the_plots_that_it_shows_are_there(runs: Runs, rows: list[Row], written: str) -> None:
    for name in plots.plots(rows[:5], planned.predictor(runs)):
        assert f"]({name})" in written
        assert (DOCS / name).exists()


def test_every_run_is_scored_or_listed_with_its_reason(runs: Runs, written: str) -> None:
    rows, silent = readable(runs)
    assert len(rows) + len(silent) == len(runs.rows)
    assert all(f"| {each.run.id} | {each.reason} |" in written for each in silent)


def test_reasons_are_of_runs_and_families_of_the_file(runs: Runs) -> None:
    names = {row.id for row in runs.rows} | {row.family for row in runs.rows}
    assert {name.removesuffix(" memory") for name in failures.reasons()} <= names


def test_every_reason_explains_an_error_on_the_page(written: str) -> None:
    unused = {name: reason for name, reason in failures.reasons().items() if f" | {reason} |" not in written}
    assert unused == {}, "delete the reasons of runs that are no longer far off"


def test_the_peers_were_asked_about_every_row(rows: list[Row]) -> None:
    for answers in asking.kept()["answers"].values():
        assert {row.run.id for row in rows} == set(answers)


def test_a_case_for_the_peers_is_the_row_in_plain_figures(rows: list[Row]) -> None:
    (row,) = [row for row in rows if row.run.id == "korth-175b-selective-sp"]
    case = asking.case(row)
    assert (case["layers"], case["hidden"], case["heads"], case["ffn"], case["mlp_matrices"]) == (
        96,
        12288,
        96,
        49152,
        2,
    )
    assert (case["tp"], case["pp"], case["dp"], case["virtual_stages"], case["micro_batches"]) == (8, 8, 1, 3, 64)
    assert (case["recompute"], case["sequence_parallel"], case["flash"], case["peak_tflops"]) == (
        "selective",
        True,
        False,
        312,
    )
