"""Sections: due dates of their own in one lock file, in the notebooks, for lateness, and in the table of grades."""

from __future__ import annotations

import csv
import json
import os
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from checkout import ROOT
from command_line import run
from shardwise.bank.bank import Bank
from shardwise.course.assigning.assignments import Assigned, SetDefinition, Student, assign
from shardwise.course.assigning.keys import course_key
from shardwise.course.assigning.lockfile import Lock
from shardwise.course.assigning.simulated_class import hand_in, right
from shardwise.errors import ShardwiseError
from shardwise.grading.results import read_results

STUDENTS = [Student("ada", "Ada"), Student("bo", "Bo", ("bo@x",), 'A "1"'), Student("cleo", "Cleo", (), "B")]
SET = {"name": "w1", "title": "Week 1", "problems": ["bytes-per-gpu"], "due": "2026-12-01T12:00:00Z"}
A, B = {'A "1"': {"due": "2026-12-03T12:00:00+01:00"}}, {"B": {"due": "2026-12-05T12:00:00Z"}}


def given(bank: Bank, out: Path, students: list[Student] = STUDENTS, **more: Any) -> Assigned:
    key, _ = course_key(out / "course.key")
    return assign(bank, SetDefinition.model_validate({**SET, **more}), students, key, out)


def dates(done: Assigned) -> list[str]:
    lock = Lock(done.lock)
    return [due.isoformat()[:10] if (due := lock.due_of(student)) else "" for student in lock.students()]


def test_a_sections_due_date_is_in_the_lock_file_and_in_the_notebooks_of_its_students(
    whole_bank: Bank, tmp_path: Path
) -> None:
    done = given(whole_bank, tmp_path, sections=A)
    assert dates(done) == ["2026-12-01", "2026-12-03", "2026-12-01"]
    assert [Lock(done.lock).section_of(each.id) for each in STUDENTS] == ["", 'A "1"', "B"]
    assert done.other_sections == {"": 1, "B": 1}
    notes = [(tmp_path / "notebooks" / name / "w1.ipynb").read_text("utf-8") for name in ("ada", "bo", "cleo")]
    assert ["1 December" in notes[0], "3 December" in notes[1], "1 December" in notes[2]] == [True] * 3
    again = given(whole_bank, tmp_path, [replace(STUDENTS[0], section='A "1"'), *STUDENTS[1:]], sections=A)
    assert (again.kept, dates(again)) == (3, ["2026-12-03", "2026-12-03", "2026-12-01"])
    assert "3 December" in (tmp_path / "notebooks" / "ada" / "w1.ipynb").read_text("utf-8")
    later = given(whole_bank, tmp_path, STUDENTS[:1], sections={**A, **B})  # cleo is in the lock file still
    assert later.changes == ("due date of section B: 2026-12-01T12:00:00+00:00 → 2026-12-05T12:00:00+00:00",)


def test_a_due_date_for_a_section_without_students_is_refused(whole_bank: Bank, tmp_path: Path) -> None:
    with pytest.raises(ShardwiseError, match=r"section 'C', but no student .* The roster has 'A \"1\"', 'B'\."):
        given(whole_bank, tmp_path, sections={**A, "C": A['A "1"']})
    with pytest.raises(ShardwiseError, match='needs a column "section"'):
        given(whole_bank, tmp_path, STUDENTS[:1], sections=B)
    assert not list(tmp_path.glob("*.jsonl"))


def test_one_run_grades_all_sections_each_by_its_own_date(whole_bank: Bank, tmp_path: Path) -> None:
    lock = Lock(given(whole_bank, tmp_path, sections={**A, **B}).lock)
    submitted, results = tmp_path / "submitted", tmp_path / "results"
    for student in ("ada", "bo"):
        path = hand_in(lock, tmp_path / "notebooks", submitted, student, right)
        os.utime(path, (datetime.fromisoformat("2026-12-02T12:00:00Z").timestamp(),) * 2)
    run("grade", submitted, "--out", results, "--workers", 1, "--bank", ROOT)
    with (results / "grades.csv").open(encoding="utf-8", newline="") as table:
        rows = [(row["student"], row["section"], row["status"], row["late"]) for row in csv.DictReader(table)]
    assert rows == [
        ("ada", "", "graded", "yes"),
        ("bo", 'A "1"', "graded", ""),
        ("cleo", "B", "missing", ""),
    ]
    assert [result.due[:10] for result in read_results(results)] == ["2026-12-01", "2026-12-03", "2026-12-05"]


def test_assign_names_sections_without_a_date_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "w1.yaml").write_text(json.dumps({**SET, "sections": B}))
    (tmp_path / "roster.csv").write_text("student,section\nada,A\ncleo,B\n")
    paths = "--roster", tmp_path / "roster.csv", "--out", tmp_path / "out", "--bank", ROOT
    assert "Section 'A': 1 student, due Tuesday, 1 December 2026" in run("assign", tmp_path / "w1.yaml", *paths)
