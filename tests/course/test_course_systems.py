"""Submissions as named by Canvas, Moodle, Gradescope, GitHub, Blackboard and Brightspace: their owners, or what to do."""

from __future__ import annotations

import json
import re
import zipfile
from io import BytesIO
from pathlib import Path

import pytest

from classroom import Classroom
from shardwise.bank.bank import Bank
from shardwise.course.assigning.assignments import SetDefinition, assign
from shardwise.course.assigning.lockfile import Lock
from shardwise.course.assigning.roster import load_roster
from shardwise.course.collecting.identity import means_a_student
from shardwise.course.collecting.submitted_files import BadSubmission, find
from shardwise.grading.intake import Decisions, Intake, locks_near
from shardwise.grading.worker import Settings

ROSTER = """student,name,email,canvas_id,github
s01,Ada Löwe,ada.loewe@uni.edu,1001,
s02,"Berg, Bo",bo@uni.edu,1002,boberg-dev
s03,Cleo van der Meer,cleo@uni.edu,1003,cleo-m
s04,Dañiel O'Neil-Smith,dan@uni.edu,1004,
s05,Kim Lee,kim@uni.edu,1005,
s06,Kim Lee,kim2@uni.edu,1006,
s07,Müller Jörg,joerg@uni.edu,1007,
"""
EXPORT = """---
submission_111:
  :submitters:
  - :name: Bo Berg
    :sid: '9'
    :email: bo@uni.edu
  :created_at: 2026-06-01 10:00:00 Z
  :results:
    tests:
    - :name: Ada Löwe
submission_222:
  :submitters:
  - :name: "Cleo van der Meer"
  - :name: Ada Loewe
  :created_at: 2026-06-01 10:00:00 Z
"""


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory, whole_bank: Bank) -> Classroom:
    made = Classroom(tmp_path_factory.mktemp("lms") / "course", whole_bank, ("x",), ("bytes-per-gpu",))
    made.lock.path.unlink()
    roster = made.out / "roster.csv"
    roster.write_text(ROSTER)
    definition = SetDefinition.model_validate({"name": "week-1", "title": "Week 1", "problems": ["bytes-per-gpu"]})
    made.lock = Lock(assign(whole_bank, definition, load_roster(roster), made.lock.key, made.out).lock)
    return made


def read(course: Classroom, folder: Path) -> list[tuple[str, str]]:
    """Return the owner of each submission in a folder, and why it cannot be graded."""
    intake = Intake([folder], locks_near([folder], [course.lock]), Settings(), None, Decisions())
    said = []
    for found in find([folder], lambda path: means_a_student(path, course.lock)):
        try:
            said.append((intake.prepare(found).task.student, ""))
        except BadSubmission as error:
            refused = intake.refused(found, error)
            said.append((refused.student, refused.reason))
    return said


FILE = "Bo Berg_12345_assignsubmission_file_"
NOT_THEIRS = r"This is s01's notebook, but it is in s02's folder\."
TABLE: list[tuple[str, str, str, str]] = [
    # its path, its owner (- is broken, ? names nobody, ! has no metadata), the student of its row, and the reason in that row
    (f"{FILE}/week-1.ipynb", "s02", "s02", ""),  # Moodle
    (f"{FILE}/week-1.ipynb", "s01", "s02", NOT_THEIRS),
    (f"{FILE}/week-1.ipynb", "-", "s02", "This is not a notebook"),
    (f"{FILE}/week-1.ipynb", "?", "s02", ""),
    (f"{FILE}week-1.ipynb", "s02", "s02", ""),  # without folders
    (f"{FILE}week-1.ipynb", "s01", "s02", "its file is named after s02"),
    (f"{FILE}/report.pdf", "-", "s02", r"report\.pdf is neither a notebook"),
    (f"{FILE}report.pdf", "-", "s02", r"report\.pdf is neither a notebook"),
    (f"{FILE}/solution.zip/week-1.ipynb", "s02", "s02", ""),
    (f"{FILE}/solution.zip/code.py", "-", "s02", r"contains no notebook \(\*\.ipynb\), only code\.py"),
    ("Berg, Bo_12345_assignsubmission_file_/week-1.ipynb", "s01", "s02", NOT_THEIRS),
    ("Ada Loewe_7_assignsubmission_file/week-1.ipynb", "s01", "s01", ""),
    ("Ada Lowe_7_assignsubmission_file_/week-1.ipynb", "s02", "s01", r"This is s02's notebook, but it is in s01's folder\."),
    ("Cleo Meer_7_assignsubmission_file_/week-1.ipynb", "s01", "s03", r"This is s01's notebook, but it is in s03's folder\."),
    ("Jörg Müller_7_assignsubmission_file_/week-1.ipynb", "s07", "s07", ""),
    ("Joerg Mueller_7_assignsubmission_file_/x.ipynb", "s01", "s07", r"in s07's folder\."),
    ("Daniel ONeil-Smith_7_assignsubmission_file_/x.ipynb", "s04", "s04", ""),
    ("Kim Lee_7_assignsubmission_file_/week-1.ipynb", "s05", "s05", ""),  # two students with this name
    ("Kim Lee_7_assignsubmission_file_/week-1.ipynb", "s01", "", r"This is s01's notebook, but it is in s05 or s06's folder\."),
    ("Kim Lee_7_assignsubmission_file_/week-1.ipynb", "?", "", r"Name its owner with --student\. Its location may belong to s05 or s06\."),
    ("Kim Lee_7_assignsubmission_file_/week-1.ipynb", "-", "", r"This is not a notebook.*may belong to s05 or s06\."),
    ("Kim Lee_7_assignsubmission_file_/report.pdf", "-", "", r"report\.pdf is neither.*may belong to s05 or s06\."),
    ("Zoe Zorn_7_assignsubmission_file_/week-1.ipynb", "s01", "", r"“Zoe Zorn”, who submitted it, is not in week-1\.lock\.jsonl"),
    ("Bob Berg_7_assignsubmission_file_/week-1.ipynb", "s02", "s02", ""),  # another first name
    ("Participant_7_assignsubmission_file_/week-1.ipynb", "s01", "s01", ""),  # names are hidden
    ("Teilnehmer_in_7_assignsubmission_file_/week-1.ipynb", "s01", "s01", ""),
    ("bergbo_1002_5678_week-1.ipynb", "s02", "s02", ""),  # Canvas
    ("bergbo_LATE_1002_5678_week-1-1.ipynb", "s01", "s02", "its file is named after s02"),
    ("bergbo_LATE_99_5678_week-1.ipynb", "s01", "s02", "its file is named after s02"),
    ("leekim_1006_5678_week-1.ipynb", "s05", "s06", "its file is named after s06"),
    ("leekim_1006_5678_week-1.ipynb", "-", "s06", "This is not a notebook"),
    ("vandermeercleo_77_5678_homework.docx", "-", "s03", r"homework\.docx is neither"),
    ("oneilsmithdaniel_77_5678_week-1.ipynb.txt", "s04", "s04", ""),
    ("zornzoe_77_5678_week-1.ipynb", "s01", "", "“zornzoe”, who submitted it"),
    ("submission_111/week-1.ipynb", "s02", "s02", ""),  # Gradescope
    ("submission_111/week-1.ipynb", "s01", "s02", NOT_THEIRS),
    ("submission_111/main.py", "-", "s02", r"main\.py is neither"),
    ("submission_222/week-1.ipynb", "s01", "s01", ""),  # a group
    ("submission_222/week-1.ipynb", "s02", "", "This is s02's notebook, but it is in s01 or s03's folder"),
    ("submission_333/week-1.ipynb", "s02", "s02", ""),  # not in the export
    ("week-1-boberg-dev/week-1.ipynb", "s02", "s02", ""),  # GitHub Classroom
    ("week-1-cleo-m/week-1.ipynb", "s01", "s03", r"in s03's folder\."),
    ("week-1-cleo-m/README.md", "-", "s03", r"README\.md is neither"),
    ("week-1-stranger/week-1.ipynb", "s01", "s01", ""),  # indistinguishable from ada's own folder
    ("week-1_s02_attempt_2026-06-01-10-11-12_week-1.ipynb", "s01", "s02", "its file is named after s02"),  # Blackboard
    ("123-456 - Bo Berg - Jun 1, 2026 1011 AM - week-1.ipynb", "s01", "s02", "its file is named after s02"),  # Brightspace
    ("bo@uni.edu/week-1.ipynb", "s01", "s02", NOT_THEIRS),
    ("bo@uni.edu/report.pdf", "-", "s02", r"report\.pdf is neither"),
    ("Bo Berg.ipynb", "s01", "s02", "its file is named after s02"),
    ("S02/week-1.ipynb.json", "s02", "s02", ""),
    ("s02/week-1.ipynb", "!", "s02", "grade it alone with --student and the --lock of its set"),
    # a student's file name looks like another system's name for somebody else
    ("bergbo_1002_5009_Ada Loewe_1_assignsubmission_file_.ipynb", "s01", "s02", "its file is named after s02"),
    ("week-1_s02_attempt_2026-06-01-10-11-12_x_s01_attempt_2026-01-01-1.ipynb", "s01", "s02", "its file is named after s02"),
    ("week-1_s02_attempt_2026-06-01-10-11-12_Ada Loewe_1_assignsubmission_file_.ipynb", "s01", "s02", "its file is named after s02"),
    ("123-456 - Bo Berg - Jun 1, 2026 1011 AM - Ada Loewe_1_assignsubmission_file_.ipynb", "s01", "s02", "its file is named after s02"),
    ("week-1_s02_attempt_2026-06-01-10-11-12_x\ny/week-1.ipynb", "s01", "s02", NOT_THEIRS),
    ("123-456 - Bo Berg - Jun 1, 2026 1011 AM - x\ny/week-1.ipynb", "s01", "s02", NOT_THEIRS),
    (f"class.zip/{FILE}{240 * 'x'}/week-1.ipynb", "s01", "s02", NOT_THEIRS),
    ("notes.pdf", "-", "nobody", ""),
]  # fmt: skip


@pytest.mark.parametrize(("place", "whose", "row", "words"), TABLE, ids=[f"{one[0]} of {one[1]}" for one in TABLE])
def test_a_submission_finds_its_student_or_reports_what_to_do(
    course: Classroom, tmp_path: Path, place: str, whose: str, row: str, words: str
) -> None:
    notebook = course.notebook("s02" if whose in "?!" else whose) if whose != "-" else None
    if notebook is not None and whose == "?":
        del notebook["metadata"]["shardwise"]["student"]  # type: ignore[index]
    if whose == "!":
        notebook = json.loads(json.dumps(notebook))
        for cell in (notebook, *notebook["cells"]):
            cell["metadata"] = {}
    text = "{" if notebook is None else json.dumps(notebook)
    (tmp_path / "submission_metadata.yml").write_text(EXPORT)
    head, zipped, member = place.partition(".zip/")
    path = tmp_path / (head + zipped.removesuffix("/"))
    path.parent.mkdir(exist_ok=True)
    if member:
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(member, text)
    else:
        path.write_text(text)
    made = read(course, tmp_path)
    if row == "nobody":
        assert made == []
        return
    [(student, reason)] = made
    assert (student, bool(reason)) == (row, bool(words)), made
    assert not words or re.search(words, reason), reason


def test_an_export_of_gradescope_gives_receipt_times(course: Classroom, tmp_path: Path) -> None:
    export = EXPORT.replace("10:00:00 Z", "10:00:00.123456789 Z", 1)
    for folder, student in ((tmp_path, "s02"), (tmp_path / "s03", "s03")):  # s03 claims it
        (folder / "submission_111").mkdir(parents=True)
        (folder / "submission_111" / "week-1.ipynb").write_text(json.dumps(course.notebook(student)))
        (folder / "submission_metadata.yml").write_text(export.replace("bo@uni.edu", f"{student}@uni.edu"))
    (tmp_path / "submission_metadata.yml").write_text(export)
    locks = locks_near([tmp_path], [course.lock])
    intake = Intake([tmp_path], locks, Settings(), None, Decisions())
    received = {
        (found.path.parent.parent.name == "s03"): intake.received(found, "", "week-1") for found in find([tmp_path])
    }
    assert received[False].source == "gradescope"
    assert str(received[False].at) == "2026-06-01 10:00:00.123456+00:00"
    assert received[True].source == "file"


def test_a_class_in_one_archive_is_read_as_in_folders(course: Classroom, tmp_path: Path) -> None:
    inner = BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("week-1.ipynb", json.dumps(course.notebook("s03")))
    with zipfile.ZipFile(tmp_path / "class.zip", "w") as archive:
        archive.writestr(f"{FILE}/week-1.ipynb", json.dumps(course.notebook("s02")))
        archive.writestr("Ada Löwe_7_assignsubmission_file_/report.pdf", "")
        archive.writestr("Cleo van der Meer_8_assignsubmission_file_/work.zip", inner.getvalue())
        archive.writestr("Kim Lee_9_assignsubmission_file_/week-1.ipynb", json.dumps(course.notebook("s01")))
    made = dict(read(course, tmp_path / "class.zip"))
    assert (made["s02"], made["s03"]) == ("", "")
    assert "report.pdf is neither" in made["s01"]
    assert "in s05 or s06's folder" in made[""]
