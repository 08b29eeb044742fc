"""Rosters as course systems export them (the files in `rosters/`, with invented people): who is a student, and under which names."""

from __future__ import annotations

from pathlib import Path

import pytest

from shardwise.bank.bank import Bank
from shardwise.course.assigning.assignments import SetDefinition, assign
from shardwise.course.assigning.roster import Student, load_roster
from shardwise.errors import Faulty, ShardwiseError

ROSTERS = Path(__file__).with_name("rosters")

# file: the sentence about it, and each student's id, name, aliases and section
EXPORTS: dict[str, tuple[str, list[str]]] = {
    "canvas.csv": (
        "3 students. Their ids are in the column SIS Login ID; aliases: ID, SIS User ID; section: Section. "
        "Skipped: no name and no id (line 2), Points Possible (line 3), Test Student (line 7).",
        [
            "aloewe | Ada Löwe | 10001, s4410001 | CS 301 Lab A",
            "bberg | Bo Berg | 10002, s4410002 | CS 301 Lab B",
            "cmeer | Cleo van der Meer | 10003, s4410003 | CS 301 Lab A and CS 301 Lab B",
        ],
    ),
    "canvas-semicolons.csv": (  # from a teacher who may not see SIS ids, with names in two columns
        "2 students. Their ids are in the column SIS Login ID; aliases: ID; section: Section. "
        "Skipped: Points Possible (line 2), Test Student (line 5).",
        ["aloewe@uni.example | Ada Löwe | 10001 | Übung 1", "bberg@uni.example | Bo Berg | 10002 | Übung 2"],
    ),
    "moodle-grades.csv": (
        "2 students. Their ids are in the column Email address, not in ID number (line 2: the column ID number is empty); "
        "aliases: ID number.",
        ["ada.loewe@uni.example | Ada Löwe |  | ", "bo.berg@uni.example | Bo Berg | 4410002 | "],
    ),
    "moodle-participants.csv": (
        "2 students. Their ids are in the column Email address; section: Groups.",
        ["ada.loewe@uni.example | Ada Löwe |  | Lab A", "bo.berg@uni.example | Bo Berg |  | "],
    ),
    "moodle-teilnehmer.csv": (
        "3 students. Their ids are in the column ID-Nummer; aliases: E-Mail-Adresse; section: Gruppen. "
        "Skipped: Grace Hofer, Trainer/in (line 4).",
        [
            "4410001 | Ada Löwe | ada.loewe@uni.example | Gruppe 1",
            "4410007 | Jörg Müller | joerg.mueller@uni.example | Gruppe 1, Gruppe 2",
            "4410008 | Søren Ægir | soren.aegir@uni.example | ",
        ],
    ),
    "moodle-worksheet.csv": (
        "2 students. Their ids are in the column ID number; aliases: Email address.",
        ["4410001 | Ada Löwe | ada.loewe@uni.example | ", "4410002 | Bo Berg | bo.berg@uni.example | "],
    ),
    "blackboard.xls": (  # UTF-16 with tabs, whatever its name says
        "2 students. Their ids are in the column Username; aliases: Student ID. Skipped: Grace _PreviewUser (line 4).",
        ["aloewe | Ada Löwe | 4410001 | ", "bberg | Bo Berg | 4410002 | "],
    ),
    "brightspace.csv": (
        "2 students. Their ids are in the column Username; aliases: OrgDefinedId, Email.",
        ["aloewe | Ada Löwe | 4410001, aloewe@uni.example | ", "bberg | Bo Berg | 4410002, bberg@uni.example | "],
    ),
    "gradescope.csv": (
        "2 students. Their ids are in the column Email, not in SID (line 3: the column SID is empty); aliases: SID; "
        "section: Sections. Skipped: Grace Hofer, Instructor (line 4), Tom Tanner, TA (line 5).",
        ["aloewe@uni.example | Ada Löwe | 4410001 | Lab A", "bberg@uni.example | Bo Berg |  | Lab B"],
    ),
    "github-classroom.csv": (
        "2 students. Their ids are in the column identifier; aliases: github_username.",
        ["aloewe@uni.example | Ada | ada-l | ", "bberg@uni.example | bberg@uni.example |  | "],
    ),
    "github-classroom-names.csv": (
        "2 students. Their ids are in the column github_username.",
        ["ada-l | Ada Löwe |  | ", "boberg-dev | Bo Berg |  | "],
    ),
    "classroom50.csv": (
        "2 students. Their ids are in the column username; aliases: email; section: section. Skipped: Grace Hofer, hta (line 4).",
        ["ada-l | Ada Löwe | aloewe@uni.example | Lab A", "boberg-dev | Bo Berg |  | Lab B"],
    ),
    "excel.csv": (  # Windows-1252, with semicolons at the ends of lines
        "2 students. Their ids are in the column Matrikelnummer; section: Gruppe.",
        ["4410001 | Ada Löwe |  | Übung 1", "4410007 | Jörg Müller |  | Übung 2"],
    ),
    "plain.csv": ("", ["aloewe | Ada Löwe | ada-l | 1", "bberg | Berg, Bo | boberg-dev | 2"]),
}


def listed(students: list[Student]) -> list[str]:
    return [" | ".join((each.id, each.name, ", ".join(each.also), each.section)) for each in students]


@pytest.mark.parametrize("file", sorted(path.name for path in ROSTERS.iterdir()))
def test_an_export_of_a_course_system_is_read_as_it_comes(file: str) -> None:
    said: list[str] = []
    students = load_roster(ROSTERS / file, said.append)
    words, expected = EXPORTS[file]
    assert listed(students) == expected
    assert said == ([f"{ROSTERS / file}: {words}"] if words else [])


@pytest.mark.parametrize(
    "text",
    [
        "student,name\nada,Ada A.\nbo,Bo B.\n",
        "\ufeffStudent,Name\r\nada,Ada A.\r\nbo,Bo B.\r\n",
        "NAME;ID\nAda A.;ada\nBo B.;bo\n",
        "Email\tName\nada\tAda A.\nbo\tBo B.\n",
        "email,name,student\n,Ada A.,ada\n,Bo B.,bo\n",
        'name , student ,"a; b; c"\n"Ada A.", ada ,1\n"Bo B.",bo,2\n\n , ,\n',
        "Student,ID\nAda A.,ada\nBo B.,bo\n",
    ],
    ids=[
        "as in the docs",
        "with a mark and capitals",
        "with semicolons",
        "with tabs",
        "with addresses",
        "with spaces and empty lines",
        "with names in the column student",
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_roster_of_ones_own_needs_a_column_of_ids(tmp_path: Path, text: str, encoding: str) -> None:
    (tmp_path / "roster.csv").write_text(text, encoding)
    assert load_roster(tmp_path / "roster.csv") == [Student("ada", "Ada A."), Student("bo", "Bo B.")]


def faults(tmp_path: Path, roster: str | bytes) -> list[str]:
    path = tmp_path / "roster.csv"
    path.write_bytes(roster if isinstance(roster, bytes) else roster.encode())
    with pytest.raises(Faulty) as error:
        load_roster(path)
    assert all(fault.remedy for fault in error.value.faults)
    return [f"{fault.place.removeprefix(str(path))} {fault.message}" for fault in error.value.faults]


def test_every_fault_of_a_roster_is_named_at_its_line(tmp_path: Path) -> None:
    roster = f"student,name,email\nada,Ada,a@b\n../etc,Eve,e@b\nADA,Again,g@b\n,Nobody,n@b\n{'m' * 64},Most,m@b\n{'l' * 65},Longer,l@b\n"
    assert faults(tmp_path, roster) == [  # in the column student, although every email would do
        ":3:1 student '../etc' is not a valid file name",
        ":4:1 student 'ADA' is listed twice",
        ":5:1 the column student is empty",
        f":7:1 student '{'l' * 65}' is not a valid file name",
    ]


def test_an_alias_of_two_students_is_a_fault(tmp_path: Path) -> None:
    assert faults(tmp_path, "student,name,alias\nada,Ada Abel,shared\ncleo,Cleo Cruz,shared;ada\n") == [
        ":3:1 cleo and ada are both called 'ada'",
        ":3:1 cleo and ada are both called 'shared'",
    ]


@pytest.mark.parametrize(
    ("head", "columns"),
    [
        ("student,student", "student and student"),
        ("Student,name,ID", "Student and ID"),
        ("email,E-Mail-Adresse", "email and E-Mail-Adresse"),
        ("Name,Username,NetID,Email", "Username and NetID"),
        ("First name,Student ID,Last name,ID number", "Student ID and ID number"),
    ],
)
def test_a_roster_with_two_columns_of_ids_is_refused(tmp_path: Path, head: str, columns: str) -> None:
    assert faults(tmp_path, f"{head}\nada,bo,cleo,dan\n") == [f":1:1 the columns {columns} both identify students"]


@pytest.mark.parametrize(
    ("roster", "words"),
    [
        ("student,name\n", "no students found"),
        ("", "the first line is empty"),
        ("who\nada\n", "the first line is who, and no column with students' ids was found"),
        ("First name,Last name\nAda,Löwe\n", "no column with students' ids was found"),
        ("Email,Role\ngrace@uni.example,Instructor\n", "no students found"),
        ('student\n"ada\n' + "bo\n" * 50_000, "is not a CSV table"),
        (b"PK\3\4\x14\0xl/workbook.xml", "is a workbook of a spreadsheet"),
        (
            "student,name\nada,Löwe\n".encode() + "bo,Müller\n".encode("cp1252"),
            ":3:1 cannot be read as text: byte 0xfc",
        ),
        (b"student,name\nada,L\x81we\n", ":2:1 cannot be read as text: byte 0x81"),
        ("student,name\nada,Löwe\n".encode("utf-16-le"), "is not text"),
        ("student,name\nada,LÃ¶we\n", ":2:1 'ada,LÃ¶we' should be 'ada,Löwe'"),
    ],
)
def test_a_file_that_is_not_a_roster_is_refused_with_a_message(tmp_path: Path, roster: str | bytes, words: str) -> None:
    [fault] = faults(tmp_path, roster)
    assert words in fault


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("gradescope.csv", "calls a student 'aloewe@uni.example' who is 'aloewe' in the lock file"),  # an alias
        ("github-classroom-names.csv", "calls a student 'ada-l' who is 'aloewe' in the lock file"),  # a name
    ],
)
def test_another_export_does_not_give_students_new_questions(
    whole_bank: Bank, tmp_path: Path, file: str, words: str
) -> None:
    definition = SetDefinition.model_validate({"name": "w1", "title": "Week 1", "problems": ["bytes-per-gpu"]})
    assign(whole_bank, definition, load_roster(ROSTERS / "brightspace.csv"), b"k" * 32, tmp_path)
    with pytest.raises(ShardwiseError, match=words):
        assign(whole_bank, definition, load_roster(ROSTERS / file), b"k" * 32, tmp_path)
    namesake = [Student("bo2", "Bo Berg"), Student("cleo", "Cleo Meer")]
    assert assign(whole_bank, definition, namesake, b"k" * 32, tmp_path).kept == 2
