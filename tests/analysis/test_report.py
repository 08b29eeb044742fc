"""The report on a set: what it counts, what it flags, and what it leaves unsaid because the class is small."""

from __future__ import annotations

import csv
import json
import math
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from analysis.made_class import made_class, report_on, right, times
from shardwise.analysis.report import report_of
from shardwise.analysis.report_files import report_page
from shardwise.analysis.responses import responses_of
from shardwise.bank.lint.fairness import effort_of
from shardwise.cli.main import app
from shardwise.course.assigning.lockfile import Lock
from shardwise.grading.results import Result, read_results
from shardwise.kinds.quantity.general import number_in
from shardwise.question import Question

PROBLEMS = ("ring-time", "bytes-per-gpu", "tree-steps", "ring-or-tree", "crossover-size", "order-ring-events")
HOSTILE = '=HYPERLINK("http://x")<script>alert(1)</script>'
STUDENTS = 60


def _answer(number: int, question: Question) -> Any:
    """Return an answer: students are strong from the first to the last, but `tree-steps` is right for the weak ones only."""
    strong = number < STUDENTS * 0.7
    if question.slug == "tree-steps":
        return times(question, 1 if not strong else 3)
    if question.slug == "ring-time" and number in range(42, 54):  # a mistake that no template lists
        return times(question, 2 * number_in(str(question.params["gpus"])))
    if question.slug == "bytes-per-gpu" and number == 59:
        return HOSTILE
    if question.slug == "order-ring-events" and number % 3 == 0:
        return None
    if question.slug == "ring-or-tree":
        return right(question) if number % 10 < 7 else "a"
    chance = random.Random(f"{number} {question.slug}").random()
    return right(question) if chance < (0.9 if strong else 0.3) else times(question, 1.37) if "order" not in question.slug else None  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("course")
    others = [Result("gone", "week-1", status="missing"), Result("ill", "week-1", status="excused"), Result("", "week-1", status="ungraded")]  # fmt: skip
    made_class(path, STUDENTS, PROBLEMS, _answer, others)
    return path


@pytest.fixture(scope="module")
def report(folder: Path) -> dict[str, Any]:
    done = CliRunner().invoke(app, ["report", str(folder / "results")], catch_exceptions=False)
    assert done.exit_code == 0
    assert "60 graded, 1 missing, 1 not graded, 1 excused; 6 items" in done.output
    read: dict[str, Any] = json.loads((folder / "results" / "report.json").read_text("utf-8"))
    return read


def _item(report: dict[str, Any], slug: str) -> dict[str, Any]:
    return next(item for item in report["items"] if item["item"] == slug)


def _flags(report: dict[str, Any], slug: str) -> str:
    return "\n".join(flag["text"] for flag in _item(report, slug)["flags"])


def test_everybody_is_counted_once_and_every_item_is_there_in_the_order_of_the_set(report: dict[str, Any]) -> None:
    assert report["students"] == {
        "all": 63, "graded": 60, "missing": 1, "ungraded": 1, "excused": 1, "incomplete": 0, "late": 1,
    }  # fmt: skip
    assert [item["item"] for item in report["items"]] == list(PROBLEMS)
    assert sum(bar["students"] for bar in report["scores"]["histogram"]) == 60
    assert [(each["name"], each["n"]) for each in report["sections"]] == [("A", 30), ("B", 30)]


def test_an_item_on_which_strong_students_lose_points_is_flagged(report: dict[str, Any]) -> None:
    assert _item(report, "tree-steps")["discrimination"] < -0.3
    assert "strong students lose points here. Check the key and the wording." in _flags(report, "tree-steps")
    assert "who answered “key × 3” did better on the rest of the set" in _flags(report, "tree-steps")
    assert "strong students" not in _flags(report, "crossover-size")


def test_a_wrong_answer_that_nobody_listed_is_found_across_draws(report: dict[str, Any]) -> None:
    found = _item(report, "ring-time")["unlisted"][0]
    assert (found["expression"], found["students"]) == ("key × 2 × number of GPUs", 12)
    assert len({example["key"] for example in found["examples"]}) > 1
    assert "12 students answered “key × 2 × number of GPUs”" in _flags(report, "ring-time")
    assert _item(report, "crossover-size")["unlisted"][0]["expression"] == "key × 1.37"


def test_options_are_counted_by_their_texts_and_blanks_by_their_share(report: dict[str, Any]) -> None:
    options = _item(report, "ring-or-tree")["options"]
    assert sum(option["students"] for option in options) == 60
    assert {option["text"] for option in options} >= {"Neither, because both send the same bytes."}
    assert _item(report, "order-ring-events")["blank"] >= 1 / 3
    assert "left it blank" in _flags(report, "order-ring-events")


def test_unreadable_answers_are_listed_with_the_reason_and_no_page_or_table_runs_them(
    folder: Path, report: dict[str, Any]
) -> None:
    assert [(each["student"], each["item"]) for each in report["unreadable"]] == [("student-59", "bytes-per-gpu")]
    page = (folder / "results" / "report.html").read_text("utf-8")
    assert "<script" not in page and "&lt;script&gt;alert(1)" in page
    with (folder / "results" / "report.csv").open(encoding="utf-8", newline="") as table:
        rows = list(csv.DictReader(table))
    assert [row["item"] for row in rows] == list(PROBLEMS)
    assert not any(cell.startswith(("=", "+", "@")) for row in rows for cell in row.values())
    assert {path.stat().st_mode & 0o077 for path in (folder / "results").glob("report.*")} == {0}


def test_one_multiple_of_the_key_is_one_cluster_and_chance_is_none(tmp_path: Path) -> None:
    def answer(number: int, question: Question) -> Any:
        chance = math.exp(random.Random(number).gauss(0, 3))
        return times(question, 7 if number % 2 else chance)  # 7 is also n - 1 for some students

    report = report_on(*made_class(tmp_path / "course", 60, ("ring-time", "bytes-per-gpu"), answer))
    for slug in ("ring-time", "bytes-per-gpu"):
        first, *others = _item(report, slug)["unlisted"]
        assert first["expression"] == "key × 7" and first["students"] >= 30
        assert max((each["students"] for each in others if each["expression"]), default=0) <= 4


def test_a_question_that_does_not_count_changes_no_reliability_but_discriminates(folder: Path) -> None:
    lock = Lock(folder / "week-1.lock.jsonl")
    results = [each for each in read_results(folder / "results") if each.status == "graded"]

    def changed(result: Result, change: dict[str, float] | None) -> Result:
        answers = json.loads(result.answers_json)
        others = [each for each in answers if not each["question"].endswith("/tree-steps")]
        its = [{**each, **change} for each in answers if each not in others] if change is not None else []
        return replace(result, answers_json=json.dumps(others + its))

    given, without, zero = (
        report_of(responses_of([changed(each, change) for each in results], lock), set_name="week-1", title="Week 1")
        for change in ({}, None, {"points": 0.0, "max_points": 0.0})
    )
    assert zero["reliability"] == without["reliability"] and zero["reliability"]["items"] == 5
    assert _item(zero, "tree-steps")["discrimination"] == _item(given, "tree-steps")["discrimination"] < -0.3


def test_success_that_depends_on_the_draw_is_found_and_chance_is_not(tmp_path: Path) -> None:
    def answer(number: int, question: Question) -> Any:
        if question.slug == "ring-time":
            return right(question) if effort_of(question, 16).total < 5 else times(question, 1.37)
        if question.slug == "tree-steps":
            return right(question) if number_in(str(question.params["gpus"])) < 500 else times(question, 1.37)
        return right(question) if random.Random(number).random() < 0.6 else times(question, 1.37)

    report = report_on(*made_class(tmp_path / "course", 80, ("ring-time", "tree-steps", "bytes-per-gpu"), answer))
    fair = _item(report, "ring-time")["fairness"]
    assert fair["rho"] < 0 and fair["p_corrected"] < 0.05
    assert fair["hardest_third"] < fair["easiest_third"]
    assert "The result depends on the draw" in _flags(report, "ring-time")
    assert "with the number of GPUs" in _flags(report, "tree-steps")
    assert _item(report, "bytes-per-gpu")["fairness"]["p_corrected"] > 0.05


def test_a_small_class_is_told_what_is_mostly_noise(tmp_path: Path) -> None:
    report = report_on(
        *made_class(tmp_path / "course", 3, ("ring-time", "bytes-per-gpu"), lambda _, question: right(question))
    )
    assert report["reliability"]["why"] == "All students have the same score."
    assert _item(report, "ring-time")["discrimination"] is None
    page = report_page(report)
    assert "Only 3 students have a score." in page and "mostly noise" in page


def test_an_empty_set_has_a_page_too(tmp_path: Path) -> None:
    missing = [Result("student-0", "week-1", status="missing")]
    report = report_on(*made_class(tmp_path / "course", 0, ("ring-time",), lambda *_: None, missing))
    assert report["students"]["missing"] == 1
    assert "Only 0 students have a score." in report_page(report)


def test_the_command_says_what_it_needs(tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    def refused(*words: str) -> str:
        done = CliRunner().invoke(app, ["report", *words])
        assert done.exit_code != 0
        return str(done.exception)

    assert "Grade first:  shardwise grade" in refused("nowhere")
    lonely = tmp_path / "lonely"
    lonely.mkdir()
    (lonely / "results.jsonl").write_bytes((folder / "results" / "results.jsonl").read_bytes())
    assert "Cannot find the lock file of the set 'week-1'" in refused(str(lonely))
    assert "Cannot find results of the set 'week-9'" in refused(str(folder / "results"), "--set", "week-9")


def test_in_a_course_the_name_of_a_set_is_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lock, out = made_class(tmp_path / "x", 3, ("ring-time", "bytes-per-gpu"), lambda _, question: right(question))
    course = tmp_path / "course"
    (course / "results").mkdir(parents=True)
    (course / "assigned").mkdir()
    out.rename(course / "results" / "week-1")
    lock.path.parent.rename(course / "assigned" / "week-1")
    (course / "assigned" / "week-1" / "course.key").rename(course / "course.key")
    (course / "course.yaml").write_text("title: A course\nsets: [sets/first.yaml]\n")
    (course / "sets").mkdir()
    (course / "sets" / "first.yaml").write_text("name: week-1\n")
    monkeypatch.chdir(course)
    for named in ("week-1", "sets/first.yaml"):
        done = CliRunner().invoke(app, ["report", named], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        assert (course / "results" / "week-1" / "report.html").is_file()
