"""Grading end to end: real sets, real notebooks, the real sandbox."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from classroom import CLASS
from classroom import Classroom as Room
from junitparser import JUnitXml
from typer.testing import CliRunner

from shardwise.bank.bank import Bank
from shardwise.cli.main import app
from shardwise.course.simulated_class import ATTACKS, add_cell, blank, fill, mistaken, right, unreadable
from shardwise.grading import reports
from shardwise.grading.batch import grade
from shardwise.question import Outcome


@pytest.fixture
def room(tmp_path: Path, whole_bank: Bank) -> Room:
    return Room(tmp_path, whole_bank)


def test_right_mistaken_unreadable_blank_and_missing(room: Room) -> None:
    for student, write in zip(CLASS, (right, mistaken, unreadable, blank), strict=False):
        room.hand_in(student, write)
    results = room.grade(workers=2)
    total = results["ada"].max_points
    assert results["ada"].points == total
    assert {one.outcome for one in results["ada"].feedback} == {Outcome.CORRECT}
    assert results["bo"].points is not None
    assert results["bo"].points < total / 2
    assert sum(one.mistake is not None for one in results["bo"].feedback) >= 12
    assert {one.outcome for one in results["cleo"].feedback} == {Outcome.UNREADABLE}
    assert {one.outcome for one in results["dan"].feedback} == {Outcome.BLANK}
    assert results["eve"].status == "missing"
    assert results["eve"].points is None


def test_a_hostile_cell_loses_only_its_own_marks_and_changes_nobody_elses(room: Room) -> None:
    room.hand_in("ada", right)
    for student, attack in zip(CLASS[1:], ATTACKS.values(), strict=False):
        room.hand_in(student, right, attack)
    alone = room.grade()["ada"]
    results = room.grade(workers=2)
    total = results["ada"].max_points
    assert len(results["ada"].feedback) == 20
    for student in ("ada", *CLASS[1 : 1 + len(ATTACKS)]):
        assert results[student].points == total, (student, results[student])
    assert results["ada"].feedback == alone.feedback
    notes = {attack: results[student].notes for student, attack in zip(CLASS[1:], ATTACKS, strict=False)}
    assert "stopped" in notes["reads the reference"][0]
    assert "stopped" in notes["ends its process"][0]
    assert "ran too long" in notes["loops for ever"][0]
    assert "stopped" in notes["opens a socket"][0]
    assert notes["prints 200 MB"] == ()  # it is cut, and costs nothing


@pytest.mark.parametrize("attack", ["ends its process", "loops for ever", "allocates 6 GB"])
def test_an_answer_cell_that_attacks_loses_that_answer_alone(room: Room, attack: str) -> None:
    questions = room.lock.questions("ada")

    def write(question: object) -> str | None:
        return ATTACKS[attack] if question == questions[4] else right(question)  # type: ignore[arg-type]

    room.put("ada", fill(room.notebook("ada"), questions, write))
    result = room.grade()["ada"]
    assert result.points == result.max_points - questions[4].points
    assert result.feedback[4].outcome == Outcome.BLANK
    assert "The cell with your answer stopped" in result.feedback[4].say


def test_broken_foreign_huge_and_edited_notebooks_get_a_clear_line_and_stop_nothing(room: Room) -> None:
    room.hand_in("ada", right)
    room.put("b1", "{ not json", "b1")
    room.put("b2", '{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}', "b2")
    room.put("b3", "", "b3")
    room.put("b4", "[" * 100_000, "b4")
    room.put("b5", " " * 21_000_000, "b5")
    stranger = room.notebook("bo")
    stranger["metadata"]["shardwise"]["student"] = "mallory"  # type: ignore[index]
    room.put("b6", stranger, "b6")
    room.put("b7", room.notebook("cleo"), "dan")
    link = room.handed_in / "b8" / "week-1.ipynb"
    link.parent.mkdir()
    link.symlink_to("/etc/passwd")
    by_folder = {Path(one.path).parent.name: one for one in room.batch().rows() if one.path}
    assert by_folder["ada"].points == by_folder["ada"].max_points
    said = {
        "b1": "This is no notebook", "b2": "does not come from shardwise", "b3": "This file is empty",
        "b4": "nesting is too deep", "b5": "has 21 MB", "b6": "'mallory', who is not in week-1.lock.jsonl",
        "dan": "cleo's notebook in dan's folder", "b8": "a link",
    }  # fmt: skip
    for folder, words in said.items():
        assert by_folder[folder].status == "ungraded"
        assert words in by_folder[folder].reason, by_folder[folder].reason
        assert by_folder[folder].points is None


def test_two_notebooks_of_one_student_count_neither(room: Room) -> None:
    room.hand_in("ada", right)
    room.put("ada", room.notebook("ada"), "ada-again")
    results = [one for one in room.batch().rows() if one.student == "ada"]
    assert [one.status for one in results] == ["ungraded", "ungraded"]
    assert "Keep the one that counts" in results[0].reason


def test_locked_cells_come_from_the_original_and_deleted_ones_are_blank(room: Room) -> None:
    questions = room.lock.questions("ada")
    notebook = fill(room.notebook("ada"), questions, right)
    cells: list[dict[str, object]] = notebook["cells"]  # type: ignore[assignment]
    for cell in cells:
        role = cell["metadata"]["shardwise"]["role"]  # type: ignore[index]
        if role in ("question", "check", "setup"):
            cell["source"] = "raise SystemExit('edited')"
    gone = questions[2].id
    notebook["cells"] = [one for one in reversed(cells) if one["metadata"]["shardwise"].get("question") != gone]  # type: ignore[index, attr-defined]
    room.put("ada", notebook)
    result = room.grade()["ada"]
    assert result.points == result.max_points - questions[2].points
    assert "gone" in result.feedback[2].say


def test_a_cell_that_also_calls_check_still_runs(room: Room) -> None:
    room.put(
        "ada",
        add_cell(fill(room.notebook("ada"), room.lock.questions("ada"), right), "print(check('ring-time').score())"),
    )
    result = room.grade()["ada"]
    assert result.notes == ()
    assert result.points == result.max_points


def test_student_code_cannot_forge_its_grade(room: Room) -> None:
    forgery = """
import builtins, json, sys
class Always(float):
    def __eq__(self, other): return True
    def __float__(self): return 1.0
    def __sub__(self, other): return 0.0
builtins.abs = lambda x: 0
json.dumps = lambda *a, **k: '{"credit": 1}'
for name in list(globals()):
    if not name.startswith('_'):
        globals().setdefault(name, Always())
bytes_per_gpu = Always(3)
"""
    room.put("ada", add_cell(room.notebook("ada"), forgery, place=len(room.notebook("ada")["cells"])))  # type: ignore[arg-type]
    result = room.grade()["ada"]
    assert result.points in (0, None) or result.points == 0
    assert result.status == "graded"


def test_reports_say_what_happened_and_no_cell_is_a_formula(room: Room) -> None:
    room.hand_in("ada", right)
    room.hand_in("bo", mistaken, "raise ValueError('<script>alert(1)</script> =1+1')")
    room.put("x", "{", "=cmd")
    batch = room.batch()
    found = {one.student: one.graded for one in batch.rows()}
    reports.write(batch)
    out = batch.out
    with (out / "grades.csv").open(encoding="utf-8", newline="") as table:
        rows = {row["student"]: row for row in csv.DictReader(table)}
    assert rows["ada"]["points"] == rows["ada"]["max_points"] != ""
    assert rows["cleo"]["points"] == ""
    assert rows["cleo"]["status"] == "missing"
    assert all(not value.startswith("=") for row in rows.values() for value in row.values())
    lines = [json.loads(line) for line in (out / "results.jsonl").read_text("utf-8").splitlines()]
    assert {one["student"]: one["points"] for one in lines}["ada"] == found["ada"].max_points
    assert all("key" not in question for one in lines for question in one["questions"])
    page = (out / "feedback" / "week-1" / "bo.html").read_text("utf-8")
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    reports.write_junit(found.values(), out / "junit.xml")
    suites = {suite.name: suite for suite in JUnitXml.fromfile(str(out / "junit.xml"))}
    assert suites["week-1.ada"].failures == suites["week-1.ada"].errors == 0
    assert suites["week-1.bo"].failures > 10
    assert suites["week-1.cleo"].errors == 1
    scope = reports.gradescope(found["ada"])
    assert sum(test["score"] for test in scope["tests"]) == found["ada"].points
    assert all(test["status"] in ("passed", "failed") for test in scope["tests"])


def test_grades_do_not_depend_on_workers_or_order(room: Room) -> None:
    for place, student in enumerate(CLASS[:6]):
        room.hand_in(student, (right, mistaken, unreadable)[place % 3])
    one, two = room.grade(workers=1), room.grade(workers=2)
    assert {name: found.document() for name, found in one.items()} == {
        name: found.document() for name, found in two.items()
    }


def test_a_practice_notebook_is_graded_without_a_lock(whole_bank: Bank, tmp_path: Path) -> None:
    from shardwise.bank.bank import pose
    from shardwise.course.notebooks import chapter_notebook, text_of

    chapter = "01-ring-all-reduce"
    questions = [pose(one, "0") for one in whole_bank.of_chapter(chapter)]
    notebook = fill(json.loads(text_of(chapter_notebook(whole_bank, chapter))), questions, right)
    (tmp_path / "mine.ipynb").write_text(json.dumps(notebook), "utf-8")
    [row] = grade([tmp_path / "mine.ipynb"], tmp_path / "out").rows()
    result = row.graded
    assert result.points == result.max_points


def test_a_bug_hunt_answered_in_part_earns_its_part(room: Room) -> None:
    questions = room.lock.questions("ada")
    place = next(number for number, one in enumerate(questions) if one.kind == "bugline")
    key = questions[place].key.model_dump()

    def write(question: object) -> str | None:
        if question == questions[place]:
            return f"{questions[place].variable} = {{'line': {key['line']}, 'input': {{'gpus': ...}}, 'fix': ...}}"
        return None

    room.put("ada", fill(room.notebook("ada"), questions, write))
    feedback = room.grade()["ada"].feedback[place]
    assert feedback.outcome == Outcome.PARTIAL
    assert feedback.parts == {"line": True, "input": False, "fix": False}
    assert feedback.points == round(questions[place].points / 3, 2)


def test_a_function_that_is_no_function_is_unreadable_and_an_untouched_one_is_blank(room: Room) -> None:
    questions = room.lock.questions("ada")
    place = next(number for number, one in enumerate(questions) if one.kind == "code")
    name = questions[place].form.model_dump()["function"]
    room.put(
        "ada", fill(room.notebook("ada"), questions, lambda one: f"{name} = 3" if one == questions[place] else None)
    )
    room.put("bo", room.notebook("bo"))
    results = room.grade()
    assert results["ada"].feedback[place].outcome == Outcome.UNREADABLE
    assert f"no function called {name}" in results["ada"].feedback[place].say
    assert {one.outcome for one in results["bo"].feedback} == {Outcome.BLANK}


def test_without_a_sandbox_it_says_loudly_what_that_means(room: Room) -> None:
    room.hand_in("ada", right)
    arguments = [
        "grade",
        str(room.handed_in),
        "--out",
        str(room.out / "results"),
        "--unsafe-no-sandbox",
        "--workers",
        "1",
    ]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    assert "NO SANDBOX: the notebooks' code runs with your rights" in done.stderr
    assert "sandbox: none" in done.stdout


def test_the_exit_code_says_whether_all_could_be_graded(room: Room) -> None:
    room.hand_in("ada", right)
    out = ["--out", str(room.out / "results"), "--workers", "1"]
    assert CliRunner().invoke(app, ["grade", str(room.handed_in), *out]).exit_code == 0
    room.put("bo", "{")
    done = CliRunner().invoke(app, ["grade", str(room.handed_in), *out])
    assert done.exit_code == 1
    assert "This is no notebook" in done.stdout
