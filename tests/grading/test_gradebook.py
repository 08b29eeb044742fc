"""The gradebook: weights, dropped sets, and never a zero for what could not be graded."""

from __future__ import annotations

import csv
import json
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import command_line
from shardwise.grading.gradebook import Gradebook, StudentTotal, make_gradebook, write_gradebook
from shardwise.grading.results import RESULTS, Result, to_json

NOW = datetime(2026, 12, 10, tzinfo=UTC)
PAST, FUTURE = "2026-12-01T12:00:00+01:00", "2026-12-20T12:00:00+01:00"


def result(student: str, name: str, points: float | None = None, most: float = 10, **more: Any) -> Result:
    status = more.pop("status", "ungraded" if points is None else "graded")
    return Result(student, name, student.title(), status=status, points=points, max_points=most, **more)


def book(*results: Result, weights: dict[str, float] | None = None, drop: int = 0) -> Gradebook:
    by_set: dict[str, list[Result]] = {}
    for each in results:
        by_set.setdefault(each.set, []).append(each)
    return make_gradebook(by_set, weights or {}, drop, NOW)


def total(*results: Result, **more: Any) -> float | None:
    return the(*results, **more).total


def the(*results: Result, **more: Any) -> StudentTotal:
    [only] = book(*results, **more).students
    return only


def missing(name: str, due: str) -> Result:
    return result("ada", name, status="missing", due=due)


def test_each_set_counts_by_its_weight_whatever_its_points() -> None:
    assert total(result("ada", "w1", 5, 10), result("ada", "w2", 20, 20)) == 75
    assert total(result("ada", "w1", 5, 10), result("ada", "w2", 20, 20), weights={"w2": 3}) == 87.5
    assert total(result("ada", "w1", 5, 10), result("ada", "w2", 20, 20), weights={"w2": 0}) == 50
    assert total(result("ada", "w1", 12, 10)) == 120  # a bonus
    assert total(result("ada", "w1", 1, 3), result("ada", "w2", 1, 3), result("ada", "w3", 1, 3)) == 33.33


def test_the_lowest_sets_are_dropped_but_never_all() -> None:
    sets = (result("ada", "w1", 2), result("ada", "w2", 9, 20), result("ada", "w3", 9))
    assert total(*sets, drop=1) == 67.5
    assert total(*sets, drop=5) == 90
    assert [name for name, score in the(*sets, drop=1).scores.items() if score.is_dropped] == ["w1"]
    assert total(result("ada", "w0", 0), *sets, drop=1, weights={"w0": 0}) == 67.5  # it does not count anyway
    equal = (missing("w1", PAST), missing("w2", PAST), result("ada", "w3", 10))  # of two zeros, the heavier is dropped
    assert total(*equal, drop=1, weights={"w2": 3}) == total(*equal, drop=1, weights={"w1": 3}) == 50


def test_missing_is_a_zero_only_after_the_due_date() -> None:
    graded = result("ada", "w1", 8)
    assert total(graded, missing("w2", PAST)) == 40
    assert total(graded, missing("w2", PAST), drop=1) == 80
    assert total(graded, missing("w2", FUTURE)) == 80
    assert total(graded, missing("w2", "")) == 80


def test_an_ungraded_set_is_never_a_zero_and_leaves_the_total_open() -> None:
    row = the(result("ada", "w1", 8), result("ada", "w2"))
    assert row.total is None and row.remarks == ["w2: could not be graded, so the total is incomplete"]
    assert total(result("ada", "w1", 8), result("ada", "w2"), weights={"w2": 0}) == 80
    assert total(result("ada", "w1", None, status="graded")) is None  # our failure in one question
    assert total(result("ada", "w1", 8), result("ada", "w1", None, path="a stray copy")) == 80


def test_excused_dropped_and_unassigned_sets_are_left_out() -> None:
    assert total(result("ada", "w1", 8), result("ada", "w2", status="excused")) == 80
    assert total(result("ada", "w1", 8), result("ada", "w2", 0, 0)) == 80  # every question was dropped
    rows = book(result("ada", "w1", 8), result("ada", "w2", 10), result("zoe", "w2", 5)).students
    assert [(row.student, row.total) for row in rows] == [("ada", 90), ("zoe", 50)]
    assert rows[1].remarks == ["w1: not assigned"]


def test_the_table_is_sorted_by_section_and_safe_for_spreadsheets(tmp_path: Path) -> None:
    made = book(
        result("ada", "w1", 8, section="B"), result("bo", "w1", 6, section="A"), result("=1+1", "w1", 10, section="A"), result("cy", "w1")
    )  # fmt: skip
    assert made.section_means() == {"A": (2, 80), "B": (1, 80)}
    write_gradebook(made, tmp_path / "gradebook.csv")
    with (tmp_path / "gradebook.csv").open(encoding="utf-8", newline="") as table:
        rows = list(csv.DictReader(table))
    assert [(row["student"], row["section"], row["w1"], row["w1 max"], row["total"]) for row in rows] == [
        ("cy", "", "", "10", ""), ("'=1+1", "A", "10", "10", "100"), ("bo", "A", "6", "10", "60"), ("ada", "B", "8", "10", "80")
    ]  # fmt: skip
    assert (tmp_path / "gradebook.csv").stat().st_mode & 0o077 == 0


def folder(path: Path, *results: Result) -> Path:
    path.mkdir(parents=True)
    (path / RESULTS).write_text("".join(to_json(each) + "\n" for each in results), "utf-8")
    return path


run = partial(command_line.run, "gradebook")


def test_folders_of_results_need_no_course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    one = folder(tmp_path / "results" / "w1", result("ada", "w1", 5), result("bo", "w1", 10), result("", "w1"))
    two = folder(tmp_path / "results" / "w2", result("ada", "w2", 10), result("bo", "w2"))
    said = run(one, two, "--weight", "w2=3", "--drop-lowest", "0")
    assert "87.5 %" in said and "could not be graded" in said and "All: 1 total, mean 87.5 %" in said
    document = json.loads(run(one, two, "--json", "--drop-lowest", "1"))
    assert [(each["student"], each["total"]) for each in document["students"]] == [("ada", 100), ("bo", None)]
    for words, complaint in (
        (("--weight", "w3=2"), "unknown set 'w3'. Sets with results: w1, w2"),
        (("--weight", "w2"), "--weight needs a set and a value"),
        (("--weight", "w2=-1"), "A weight is a number from 0 to 1,000,000, not '-1'"),
        (("--weight", "w2=inf"), "A weight is a number from 0 to 1,000,000, not 'inf'"),
        (("--into", "x.csv", "--out", "x.csv"), "would replace the table to fill"),
        (("--out", "course.key"), "needs a file name that ends in .csv"),
        ((tmp_path / "nowhere",), "Grade first"),
        ((folder(tmp_path / "again", result("ada", "w1", 5)),), "both have results of w1"),
    ):
        assert complaint in run(one, two, *words, code=2)
    assert "shardwise init course DIR" in run(code=2)


def test_a_course_gives_the_weights_and_the_sets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "course.yaml").write_text(
        "title: LLM systems\ndrop_lowest: 1\nsets: [sets/w1.yaml, {file: sets/w2.yaml, weight: 2}, sets/w3.yaml, sets/w4.yaml]\n"
    )
    assert "No set of this course has been graded yet" in run(code=2)
    for name, points in (("w1", 10), ("w2", 4), ("w3", 7)):
        folder(tmp_path / "results" / name, result("ada", name, points), result("ada", "01-a-chapter", 0))
    assert "85 %" in run()
    assert "62.5 %" not in run() and "62.5 %" in run("--drop-lowest", "0")
    assert "60 %" in run("w1", "w2", "--drop-lowest", "0")
    assert "would replace the roster" in run("--out", "roster.csv", code=2)
    assert "Unknown set 'w9'; known: w1, w2, w3, w4" in run("w9", code=2)


@pytest.mark.parametrize(
    ("sets", "complaint"),
    [
        ("[sets/w1.yaml, {file: sets/w1.yaml, weight: 0}]", "lists the set w1 twice, as sets/w1.yaml"),
        ("[sets/w1.yaml, {file: old/w1.yaml, weight: 2}]", "twice, as sets/w1.yaml and old/w1.yaml"),
        ("[{file: sets/w1.yaml, weight: .inf}]", "weight"),
    ],
)
def test_no_total_comes_from_a_set_listed_twice_or_an_infinite_weight(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sets: str, complaint: str
) -> None:
    monkeypatch.chdir(tmp_path)
    folder(tmp_path / "results" / "w1", result("ada", "w1", 10))
    (tmp_path / "course.yaml").write_text(f"title: LLM systems\nsets: {sets}\n")
    assert complaint in run(code=2)


def test_results_that_are_not_numbers_are_damaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    results = folder(tmp_path / "w1", result("ada", "w1", 10)) / RESULTS
    results.write_text(results.read_text().replace('"points": 10', '"points": NaN'))
    assert "is damaged" in run(tmp_path / "w1", code=2)
