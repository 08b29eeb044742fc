"""Grades for learning platforms: only points are filled in, and people who did not match are listed."""

from __future__ import annotations

import codecs
import csv
import io
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from shardwise.cli.main import app
from shardwise.course.assigning.roster import Student
from shardwise.errors import ShardwiseError
from shardwise.exchange.feedback_zip import write_feedback_zip
from shardwise.exchange.grade_tables import GradeTable, read_grade_table
from shardwise.exchange.learning_platforms import Filled, fill_grades, write_filled
from shardwise.grading.gradebook import Gradebook, make_gradebook
from shardwise.grading.results import RESULTS, Result, to_json

STUDENTS = [
    Student("s4410001", "Ada Löwe", ("aloewe", "aloewe@uni.example")),
    Student("s4410002", "Bo Berg", ("bberg@uni.example",)),
    Student("s4410003", "Cleo Diaz"),
    Student("s4410004", "Dan Evans", ("devans",)),
]
RESULTS_OF_TWO_SETS = [
    *(Result(each.id, "week-1", each.name, points=points, max_points=10) for each, points in zip(STUDENTS, (9.5, 7, 4.25, 3), strict=True)),
    Result("s4410001", "week-2", "Ada Löwe", points=22, max_points=20),  # with a bonus
    Result("s4410002", "week-2", "Bo Berg", status="excused", max_points=20),
    Result("s4410003", "week-2", "Cleo Diaz", status="ungraded", max_points=20),
    Result("s4410004", "week-2", "Dan Evans", status="missing", max_points=20, due="2026-01-01T00:00:00Z"),
]  # fmt: skip
CANVAS = '''Student,ID,SIS User ID,SIS Login ID,Section,Week 1 (90210),"Final exam, written (90211)",Current Score,Final Score
,,,,,Manual Posting,,,
    Points Possible,,,,,10.00,50.00,(read only),(read only)
"Löwe, Ada",10001,s4410001,aloewe,CS 301 Lab A,1.00,44.00,95.00,95.00
"Berg, Bo",10002,,bberg@uni.example,CS 301 Lab B,,31.00,,
"Diaz, Cleo",10003,,,CS 301 Lab B,N/A,,,
"Frank, Zoe",10009,,zfrank,CS 301 Lab B,5.00,,,
"Student, Test",,,"f3a9",CS 301 Lab A,,,,
'''.replace("\n", "\r\n")  # fmt: skip
WORKSHEET = """ID,"Vollständiger Name","E-Mail-Adresse",Status,Bewertung,Bestwertung,"Bewertung kann geändert werden","Zuletzt geändert (Abgabe)","Zuletzt geändert (Bewertung)","Feedback als Kommentar"
"Teilnehmer/in 501122","Ada Löwe",aloewe@uni.example,"Zur Bewertung abgegeben - ",,"20,00",Ja,"Montag, 1. Juni 2026, 10:00",-,"<p>zwei
Zeilen</p>"
"Teilnehmer/in 501123","Bo Berg",bberg@uni.example,"Keine Abgabe - ","3,00","20,00",Ja,-,-,
"""
REPORT = """"First name","Last name","ID number",Institution,Department,"Email address","Assignment: Week 1 (Real)","Assignment: Week 2 (Real)","Course total (Real)","Last downloaded from this course"
Ada,Löwe,,"Example University",Physics,aloewe@uni.example,-,-,-,1764000000
Bo,Berg,s4410002,"Example University",Physics,bo.berg@elsewhere.example,3.00,5.00,8.00,1764000000
"""
BLACKBOARD = '''"Last Name"\t"First Name"\t"Username"\t"Student ID"\t"Last Access"\t"Availability"\t"Week 1 [Total Pts: 20 Score] |664617"\t"Total [Total Pts: up to 20 Score] |664600"
"Löwe"\t"Ada"\t"aloewe"\t"4410001"\t"2026-06-01 10:11:12"\t"Yes"\t""\t""
"Evans"\t"Dan"\t"devans"\t"4410004"\t""\t"Yes"\t""\t""
"_PreviewUser"\t"Grace"\t"ghofer_previewuser"\t"ghofer_previewuser"\t""\t"Yes"\t""\t""
'''.replace("\n", "\r\n")  # fmt: skip


def book(*names: str) -> Gradebook:
    chosen = {name: [each for each in RESULTS_OF_TWO_SETS if each.set == name] for name in names}
    return make_gradebook(chosen, {}, 0, datetime(2026, 12, 1, tzinfo=UTC))


def filled(raw: bytes, tmp_path: Path, *names: str, **more: Any) -> tuple[Filled, GradeTable, GradeTable, bytes]:
    """Fill in a table, and return a summary, the table before and after, and the contents of the written file."""
    path = tmp_path / "export.csv"
    path.write_bytes(raw)
    table = read_grade_table(path)
    done = fill_grades(table, book(*names), STUDENTS, **more)
    written = write_filled(table, path)
    assert written.name == "export-filled.csv" and path.read_bytes() == raw and written.stat().st_mode & 0o077 == 0
    return done, read_grade_table(path), read_grade_table(written), written.read_bytes()


def changes(before: GradeTable, after: GradeTable) -> dict[str, dict[str, str]]:
    """Return every cell that differs, by its row's second cell and its column; columns may have been added."""
    found: dict[str, dict[str, str]] = {}
    for old, new in zip(before.rows, after.rows, strict=True):
        assert len(new) in (len(old), len(after.rows[0]), 0)
        for place, cell in enumerate(new):
            if place >= len(old) or old[place] != cell:
                found.setdefault(new[1] or new[0].strip(), {})[after.rows[0][place]] = cell
    return found


def test_canvas_gets_points_excuses_and_a_new_column_with_its_maximum(tmp_path: Path) -> None:
    done, _, after, raw = filled(CANVAS.encode(), tmp_path, "week-1", "week-2", titles={"week-1": "Week 1", "week-2": "Week 2"})  # fmt: skip
    rows = {row[1]: row for row in after.rows}
    assert rows["ID"][-1] == "Week 2" and rows["10001"][5:] == ["9.5", "44.00", "95.00", "95.00", "22"]
    assert rows["10002"][5] == "7" and rows["10002"][-1] == "EX"
    assert rows["10003"][5] == "4.25" and rows["10003"][-1] == ""  # ungraded, so not 0
    assert rows["10009"][5:] == ["5.00", "", "", "", ""]
    assert [row[-1] for row in after.rows[1:3]] == ["", "20"]
    assert (done.strangers, done.absent, done.added) == (["Frank, Zoe 10009"], ["s4410004"], ["week-2"])
    assert raw.count(b"\r\n") == raw.count(b"\n") == CANVAS.count("\n") and "Löwe".encode() in raw


def test_a_canvas_column_is_found_by_title_or_chosen(tmp_path: Path) -> None:
    done, _, after, _ = filled(CANVAS.encode(), tmp_path, "week-1")  # week-1 is Week 1
    assert done.headers == {"week-1": "Week 1 (90210)"} and done.cells == 3
    done, _, after, _ = filled(
        CANVAS.encode(), tmp_path, "week-1", chosen={"week-1": "Final exam, written"}, scale=True
    )
    assert [row[6] for row in after.rows[3:6]] == ["47.5", "35", "21.25"]
    with pytest.raises(ShardwiseError, match=r"Cannot find the column 'Week 9'\. .*: 'Week 1 \(90210\)'"):
        filled(CANVAS.encode(), tmp_path, "week-1", chosen={"week-1": "Week 9"})


def test_canvas_with_semicolons_keeps_them(tmp_path: Path) -> None:
    text = "LastName;FirstName;ID;SIS Login ID;Section;Week 1 (90210)\n    Points Possible;;;;;10,00\nLöwe;Ada;10001;aloewe;Übung 1;\n"
    done, _, _, raw = filled(codecs.BOM_UTF8 + text.encode(), tmp_path, "week-1")
    assert raw == codecs.BOM_UTF8 + text.replace("Übung 1;", "Übung 1;9.5").encode() and done.notes == []


def test_a_worksheet_of_moodle_is_for_one_set(tmp_path: Path) -> None:
    done, before, after, _ = filled(WORKSHEET.encode(), tmp_path, "week-1")
    assert changes(before, after) == {"Ada Löwe": {"Bewertung": "9.5"}, "Bo Berg": {"Bewertung": "7"}}
    assert done.notes == [
        "week-1 has 10 points, and its column 20. The points are not converted; --scale converts them."
    ]
    _, before, after, _ = filled(WORKSHEET.encode(), tmp_path, "week-1", scale=True)
    assert changes(before, after) == {"Ada Löwe": {"Bewertung": "19"}, "Bo Berg": {"Bewertung": "14"}}
    done, before, after, _ = filled(WORKSHEET.encode(), tmp_path, "week-2")
    assert changes(before, after) == {"Ada Löwe": {"Bewertung": "22"}}  # Bo is excused
    assert done.notes == [
        "s4410001 has 22 points for week-2, and Moodle ignores points above its maximum.",
        "s4410002 is excused from week-2: excuse them in Moodle too.",
    ]
    with pytest.raises(ShardwiseError, match="worksheet is for one assignment"):
        filled(WORKSHEET.encode(), tmp_path, "week-1", "week-2")


def test_a_grader_report_of_moodle_keeps_everything_else(tmp_path: Path) -> None:
    done, before, after, raw = filled(REPORT.encode("cp1252"), tmp_path, "week-1", "week-2")
    assert changes(before, after) == {
        "Löwe": {"Assignment: Week 1 (Real)": "9.5", "Assignment: Week 2 (Real)": "22"},
        "Berg": {"Assignment: Week 1 (Real)": "7"},
    }
    assert raw.decode("cp1252") and done.absent == ["s4410003", "s4410004"]
    scaled, *_ = filled(REPORT.encode("cp1252"), tmp_path, "week-1", scale=True)
    assert (
        "The points of week-1 are not converted, because the table does not give its column's maximum." in scaled.notes
    )


def test_blackboard_gets_its_encoding_tabs_and_quotes_back(tmp_path: Path) -> None:
    raw = codecs.BOM_UTF16_LE + BLACKBOARD.encode("utf-16-le")
    done, _, _, written = filled(raw, tmp_path, "week-1", "week-2")
    text = written.removeprefix(codecs.BOM_UTF16_LE).decode("utf-16-le")
    assert text.splitlines()[1] == '"Löwe"\t"Ada"\t"aloewe"\t"4410001"\t"2026-06-01 10:11:12"\t"Yes"\t"9.5"\t""\t"22"'
    assert text.splitlines()[2].endswith('"3"\t""\t"0"')  # missing after the due date
    assert (done.added, done.strangers) == (["week-2"], [])
    assert filled(raw, tmp_path, "week-1", scale=True)[2].rows[1][6] == "19"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "its first line is empty"),
        ("student,points\nada,3\n", "its first line is student, points"),
        ("OrgDefinedId,Username,Last Name,First Name,Email,End-of-Line Indicator\n", "This is not a table of grades"),
    ],
)
def test_other_tables_are_refused(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(ShardwiseError, match=complaint):
        filled(text.encode(), tmp_path, "week-1")


def test_nobody_gets_points_by_an_ambiguous_name(tmp_path: Path) -> None:
    text = "Student,ID,Section,Week 1 (1)\nBo Berg,1,,\nBo Berg,2,,\nAda Löwe,s4410002,,\n"
    done, _, after, _ = filled(text.encode(), tmp_path, "week-1")
    assert [row[3] for row in after.rows[1:]] == [
        ""
    ] * 3  # an id takes precedence over a name, so all three rows are Bo's
    assert done.notes == ["s4410002 is in several rows, which were left unchanged."]


@pytest.fixture
def graded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with the results of notebooks that were downloaded from Moodle, and feedback pages."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "results" / "week-1"
    (folder / "feedback" / "week-1").mkdir(parents=True)
    paths = {
        "s4410001": "moodle.zip/Ada Löwe_501122_assignsubmission_file/week-1.ipynb",
        "s4410002": "submitted/Bo Berg_501123_assignsubmission_file_week-1.ipynb",
        "s4410003": "submitted/Ada Löwe_501122_assignsubmission_file_/cleo.ipynb",  # graded with --student
        "s4410004": "submitted/dan/week-1.ipynb",
    }
    lines = [
        Result(each.id, "week-1", each.name, points=1, max_points=2, path=paths[each.id]) for each in STUDENTS
    ]  # fmt: skip
    (folder / RESULTS).write_text("".join(to_json(line) + "\n" for line in lines), "utf-8")
    for each in STUDENTS:
        (folder / "feedback" / "week-1" / f"{each.id}.html").write_text(f"the page of {each.name}", "utf-8")
    return folder


def pages_in(archive: Path) -> dict[str, str]:
    """Read an archive as Moodle does: NAME_NUMBER_TYPE_PLUGIN, split at underscores."""
    found = {}
    with zipfile.ZipFile(archive) as file:
        for name in file.namelist():
            _, number, kind, plugin, *rest = name.split("/")[0].split("_", 4)
            assert (kind, plugin, rest, number.isdecimal()) == ("assignsubmission", "file", [""], True)
            assert name.endswith("/feedback-week-1.html")
            found[number] = file.read(name).decode()
    return found


def test_the_archive_of_feedback_has_the_folders_that_moodle_expects(graded: Path) -> None:
    done = CliRunner().invoke(app, ["feedback-zip", "results/week-1"])
    assert done.exit_code == 1 and "s4410003, s4410004" in done.output
    assert pages_in(graded / "feedback-moodle.zip") == {
        "501122": "the page of Ada Löwe",
        "501123": "the page of Bo Berg",
    }
    assert (graded / "feedback-moodle.zip").stat().st_mode & 0o077 == 0


def test_a_download_from_moodle_names_the_folders(graded: Path, tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in (
            "Cleo Diaz_501124_assignsubmission_file/x.ipynb",
            "Dan Evans_501125_assignsubmission_file_/y.ipynb",
        ):
            archive.writestr(name, "")
    (tmp_path / "download.zip").write_bytes(buffer.getvalue())
    done = CliRunner().invoke(
        app, ["feedback-zip", "results/week-1", "--submissions", "download.zip", "--out", "f.zip"]
    )
    assert done.exit_code == 0, done.output
    assert list(pages_in(tmp_path / "f.zip")) == ["501122", "501123", "501124", "501125"]
    with pytest.raises(ShardwiseError, match="cannot be read as an archive"):
        write_feedback_zip([], graded, (), tmp_path / "g.zip", graded / RESULTS)
    with pytest.raises(ShardwiseError, match="Download all submissions from"):
        write_feedback_zip([], graded, (), tmp_path / "g.zip")


def test_nobody_gets_the_feedback_of_a_namesake(graded: Path, tmp_path: Path) -> None:
    for name in (
        "Cleo Diaz_1_assignsubmission_file_",
        "Cleo Diaz_2_assignsubmission_file_",
        "Ada Löwe_3_assignsubmission_file_",
    ):
        (tmp_path / "download" / name).mkdir(parents=True)
    words = ["feedback-zip", "results/week-1", "--submissions", "download", "--out", "f.zip"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 1 and "s4410003, s4410004" in done.output
    assert list(pages_in(tmp_path / "f.zip")) == ["3", "501123"]


def test_the_archive_of_feedback_never_replaces_the_submissions(graded: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "s.zip", "w") as archive:
        archive.writestr("Cleo Diaz_1_assignsubmission_file_/x.ipynb", "")
    before = (tmp_path / "s.zip").read_bytes()
    words = ["feedback-zip", "results/week-1", "--submissions", "s.zip", "--out", "s.zip"]
    assert "Choose another file" in str(CliRunner().invoke(app, words).exception)
    assert (tmp_path / "s.zip").read_bytes() == before


def test_the_command_fills_an_export_and_lists_who_did_not_match(graded: Path, tmp_path: Path) -> None:
    (tmp_path / "canvas.csv").write_text(CANVAS, "utf-8", newline="")
    (tmp_path / "roster.csv").write_text("student,name,alias\ns4410004,Dan Evans,zfrank\n")
    done = CliRunner().invoke(app, ["gradebook", "results/week-1", "--into", "canvas.csv", "--roster", "roster.csv"])
    assert done.exit_code == 0, done.output
    assert "Wrote canvas-filled.csv, to import into Canvas: 4 grades." in done.output
    assert "week-1 → Week 1 (90210)" in done.output
    assert "week-1 has 2 points, and its column 10." in done.output
    with (tmp_path / "canvas-filled.csv").open(encoding="utf-8", newline="") as table:
        assert [row["Week 1 (90210)"] for row in csv.DictReader(table)][2:6] == ["1", "1", "1", "1"]
