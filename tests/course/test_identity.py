"""The owner of a notebook, when it was received, and which of several counts."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from checkout import ROOT
from classroom import Classroom
from shardwise.bank.bank import Bank
from shardwise.bank.posing import pose
from shardwise.cli.main import app
from shardwise.course.assigning.assignments import SetDefinition, Student, assign
from shardwise.course.assigning.lockfile import Lock
from shardwise.course.assigning.notebooks import chapter_notebook, file_text
from shardwise.course.assigning.simulated_class import add_cell, blank, fill, mistaken, right

CLASS = ("ada", "bo", "cleo")
FEW = ("bytes-per-gpu", "ring-or-tree")
CHAPTER = "01-ring-all-reduce"

pytestmark = pytest.mark.usefixtures("one_sandbox")


@pytest.fixture
def room(tmp_path: Path, whole_bank: Bank) -> Classroom:
    made = Classroom(tmp_path / "course", whole_bank, CLASS, FEW)
    made.hand_in("ada", right)
    return made


def graded(room: Classroom, *arguments: object, code: int | None = None) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of each student."""
    out = room.out / "results"
    given = [str(one) for one in arguments or (room.handed_in,)]
    done = CliRunner().invoke(app, ["grade", *given, "--yes", "--out", str(out), "--workers", "1", "--bank", str(ROOT)])
    assert done.exit_code in ((0, 1) if code is None else (code,)), f"{done.output}{done.exception}"
    rows: dict[str, list[dict[str, Any]]] = {}
    for line in (out / "results.jsonl").read_text("utf-8").splitlines():
        result = json.loads(line)
        rows.setdefault(result["student"], []).append(result)
    return rows


def only(rows: dict[str, list[dict[str, Any]]], student: str) -> dict[str, Any]:
    [row] = rows[student]
    return row


# Whose it is --------------------------------------------------------------------------------------------------------


WAYS: dict[str, Callable[[Path], list[Path]]] = {
    "the folder": lambda handed_in: [handed_in],
    "folders one by one": lambda handed_in: sorted(handed_in.iterdir()),
    "files one by one": lambda handed_in: sorted(handed_in.rglob("*.ipynb")),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("folder", ["eve", "bo", "BO"])
def test_a_copied_notebook_makes_no_row_for_its_owner(room: Classroom, way: str, folder: str) -> None:
    room.put("cleo", room.notebook("cleo"), folder if folder != "eve" else "bo")
    rows = graded(room, *WAYS[way](room.handed_in))
    assert only(rows, "cleo")["status"] == "ungraded"
    assert "Somebody else submitted" in only(rows, "cleo")["reason"]
    assert only(rows, "bo")["status"] == "ungraded"
    assert (
        only(rows, "bo")["reason"]
        == "This is cleo's notebook, but it is in bo's folder. Name its owner with --student."
    )
    assert only(rows, "ada")["points"] == 4


@pytest.mark.parametrize("way", WAYS)
def test_a_copy_in_anothers_folder_does_not_affect_an_honest_notebook(room: Classroom, way: str) -> None:
    room.put("ada", room.notebook("ada"), "bo")
    rows = graded(room, *WAYS[way](room.handed_in))
    assert only(rows, "ada")["points"] == 4
    assert only(rows, "bo")["status"] == "ungraded"


@pytest.mark.parametrize("way", WAYS)
def test_a_link_to_anothers_notebook_concerns_only_its_creator(room: Classroom, way: str) -> None:
    (room.handed_in / "bo").mkdir()
    (room.handed_in / "bo" / "week-1.ipynb").symlink_to(room.handed_in / "ada" / "week-1.ipynb")
    rows = graded(room, *WAYS[way](room.handed_in))
    assert only(rows, "ada")["points"] == 4
    assert "This is a link" in only(rows, "bo")["reason"]


def test_a_notebook_without_a_name_belongs_to_its_folder(room: Classroom) -> None:
    notebook = json.loads(room.hand_in("ada", right).read_text())
    del notebook["metadata"]["shardwise"]["student"]
    room.put("ada", notebook)
    room.put("x", notebook, "elsewhere")
    rows = graded(room)
    assert only(rows, "ada")["points"] == 4
    assert "name no student. Name its owner with --student" in only(rows, "")["reason"]


def test_a_person_can_decide_who_owns_a_notebook(room: Classroom) -> None:
    path = room.put("ada", json.loads(room.hand_in("ada", right).read_text()), "bo")
    rows = graded(room, path, "--student", "bo")
    assert only(rows, "bo")["status"] == "graded"
    assert only(rows, "bo")["points"] < 4  # ada's answers to bo's questions
    assert only(rows, "bo")["notes"] == ["The notebook's metadata name ada, but --student names bo."]
    assert only(rows, "ada")["status"] == "missing"


def test_a_person_decides_about_one_notebook_and_about_somebody_in_the_roster(room: Classroom) -> None:
    room.hand_in("bo", right)
    done = CliRunner().invoke(app, room.command("grade", "--student", "bo", "--unsafe-no-sandbox"))
    assert "--student names the owner of a single notebook, but there are 2" in str(done.exception)
    rows = graded(room, room.handed_in / "ada", "--student", "zed", code=1)
    assert only(rows, "ada")["reason"] == "--student names 'zed', who is not in week-1.lock.jsonl."


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_members_with_the_same_name_are_reported(room: Classroom) -> None:
    path = room.handed_in / "ada" / "week-1.ipynb"
    with zipfile.ZipFile(path.with_suffix(".zip"), "w") as archive:
        archive.write(path, "week-1.ipynb")
        archive.writestr("week-1.ipynb", json.dumps(room.notebook("ada")))
    path.unlink()
    assert (
        only(graded(room), "ada")["reason"]
        == "This archive contains 2 members with this name. Keep only the one that counts."
    )


# Practice -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def practised(whole_bank: Bank) -> str:
    questions = [pose(problem, "0") for problem in whole_bank.of_chapter(CHAPTER)]
    notebook = json.loads(file_text(chapter_notebook(whole_bank, CHAPTER, typed=True)))
    return json.dumps(fill(notebook, questions[:1], right))


def put(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


@pytest.mark.parametrize(
    ("place", "student"),
    [
        ("class/dan/01-ring-all-reduce.ipynb", "dan"),
        ("class/dan/01-ring-all-reduce/01-ring-all-reduce.ipynb", "dan"),
        ("class/dan/submitted/eve/01-ring-all-reduce.ipynb", "dan"),
        ("class/submitted/dan/submitted/eve/01-ring-all-reduce.ipynb", "dan"),
        ("class/mine.ipynb", "mine"),
        ("class/01-ring-all-reduce.ipynb", "class"),
    ],
)
def test_practice_belongs_to_its_folder_or_to_its_files_name(
    room: Classroom, tmp_path: Path, practised: str, place: str, student: str
) -> None:
    put(tmp_path / place, practised)
    assert list(graded(room, tmp_path / "class")) == [student]


def test_practice_in_a_students_name_makes_no_row_in_their_set(room: Classroom, practised: str) -> None:
    forged = json.loads(practised)
    forged["metadata"]["shardwise"]["student"] = "bo"
    put(room.handed_in / "cleo" / "practice.ipynb", json.dumps(forged))
    rows = graded(room)
    assert only(rows, "ada")["points"] == 4
    assert only(rows, "bo")["status"] == "missing"
    assert [(row["set"], row["status"]) for row in rows["cleo"]] == [(CHAPTER, "graded"), ("week-1", "missing")]


def test_practice_named_like_a_set_is_refused_and_affects_nobody(
    tmp_path: Path, whole_bank: Bank, practised: str
) -> None:
    room = Classroom(tmp_path / "course", whole_bank, CLASS, FEW)
    definition = SetDefinition.model_validate({"name": CHAPTER, "title": "Rings", "problems": FEW})
    room.lock.path.unlink()
    room.lock = type(room.lock)(assign(whole_bank, definition, [Student("ada", "Ada")], room.lock.key, room.out).lock)
    shutil.rmtree(room.handed_in, ignore_errors=True)
    room.hand_in("ada", right)
    put(room.handed_in / "ada" / "practice.ipynb", practised)
    rows = graded(room)
    assert only(rows, "ada")["points"] == 4
    assert "which is also the name of a set" in only(rows, "")["reason"]


def test_practice_of_an_unknown_chapter_affects_nobody(room: Classroom, practised: str) -> None:
    put(room.handed_in / "bo" / "practice.ipynb", practised.replace(CHAPTER, "99-nowhere"))
    rows = graded(room)
    assert only(rows, "bo")["status"] == "missing"
    assert "which the bank does not have" in only(rows, "")["reason"]


# When it was received -----------------------------------------------------------------------------------------------


@pytest.fixture
def due(tmp_path: Path, whole_bank: Bank) -> Classroom:
    """A class that submitted its set after the due date, 1 June."""
    made = Classroom(tmp_path / "course", whole_bank, CLASS, FEW)
    definition = SetDefinition.model_validate(
        {"name": "week-1", "title": "Week 1", "problems": FEW, "due": "2026-06-01T12:00:00Z"}
    )
    roster = [Student(name, name.title()) for name in CLASS]
    made.lock = type(made.lock)(assign(whole_bank, definition, roster, made.lock.key, made.out).lock)
    for student in CLASS:
        stamp(made.hand_in(student, right), "2026-06-02T12:00:00+00:00")
    return made


def stamp(path: Path, when: str) -> None:
    os.utime(path, (datetime.fromisoformat(when).timestamp(),) * 2)


def test_without_another_source_the_files_give_the_times(due: Classroom) -> None:
    assert only(graded(due), "ada")["late"]


def test_a_table_gives_the_times_of_receipt(due: Classroom, tmp_path: Path) -> None:
    table = tmp_path / "received.csv"
    table.write_text("student,time\nada,2026-06-01T13:59:00+02:00\nbo,2026-06-01T14:01:00+02:00\n")
    rows = graded(due, due.handed_in, "--received", table)
    assert [only(rows, student)["late"] for student in CLASS] == [False, True, True]
    assert [(only(rows, student)["received"], only(rows, student)["received_by"]) for student in CLASS] == [
        ("2026-06-01T13:59:00+02:00", "table"), ("2026-06-01T14:01:00+02:00", "table"), ("2026-06-02T12:00:00+00:00", "file"),
    ]  # fmt: skip


def test_nobody_becomes_late_without_confirmation(due: Classroom, tmp_path: Path) -> None:
    command = due.command("grade", "--bank", ROOT)
    for student in CLASS:
        stamp(due.handed_in / student / "week-1.ipynb", "2026-06-01T11:00:00Z")
    stamp(due.handed_in / "cleo" / "week-1.ipynb", "2026-06-03T11:00:00Z")
    assert not only(graded(due), "ada")["late"]
    before = (due.out / "results" / "grades.csv").read_bytes()
    copied = due.out / "copied"
    shutil.copytree(due.handed_in, copied, copy_function=shutil.copyfile)  # copying changes the time of every file
    for folder in (due.handed_in, copied):
        for student in CLASS:
            stamp(folder / student / "week-1.ipynb", "2026-07-01T11:00:00Z")
        command[1] = str(folder)
        done = CliRunner().invoke(app, command)
        assert done.exit_code == 1
        assert (
            "ada was on time for week-1 and would be late: received at 2026-07-01T11:00:00+00:00 by the file's own time, previously at 2026-06-01"
            in done.output
        )
        assert "bo was on time" in done.output and "cleo" not in done.output  # she was late before
        assert "Use --yes to proceed without being asked" in done.output
        assert (due.out / "results" / "grades.csv").read_bytes() == before
    times = put(tmp_path / "times.csv", "student,time\nbo,2026-06-01T10:00:00Z\n")
    done = CliRunner().invoke(app, [*command, "--received", str(times)])
    assert "ada was on time" in done.output and "bo was on time" not in done.output
    rows = graded(due, copied)
    assert [only(rows, student)["late"] for student in CLASS] == [True, True, True]
    assert CliRunner().invoke(app, command).exit_code == 0  # agreed to


def test_no_grade_is_lost_and_nobody_becomes_on_time_without_confirmation(due: Classroom) -> None:
    ada, bo, cleo = (due.handed_in / student / "week-1.ipynb" for student in CLASS)
    graded(due)
    table = due.out / "results" / "grades.csv"
    before = table.read_bytes()
    stamp(ada, "2026-06-01T10:00:00Z")
    bo.rename(due.out / "bo.ipynb")
    cleo.write_text("{")
    command = due.command("grade", "--bank", ROOT)
    done = CliRunner().invoke(app, command)
    assert (done.exit_code, table.read_bytes()) == (1, before)
    for words in (
        "ada was late for week-1 and would be on time: received at 2026-06-01T10:00:00+00:00 by the file's own time, previously at",
        f"bo has a grade for week-1, but would become missing: {bo} no longer exists",
        "cleo has a grade for week-1, but would become ungraded: ",
    ):
        assert words in done.output
    assert [only(graded(due), student)["status"] for student in CLASS] == ["graded", "missing", "ungraded"]
    assert "has a grade" not in CliRunner().invoke(app, command).output  # agreed to


def test_a_persons_decision_is_not_undone_without_confirmation(room: Classroom) -> None:
    cleos = room.put("bo", room.hand_in("cleo", right).read_text("utf-8"))
    shutil.rmtree(room.handed_in / "cleo")
    graded(room)
    graded(room, cleos, "--student", "bo")
    done = CliRunner().invoke(app, room.command("grade", "--bank", ROOT))
    assert done.exit_code == 1
    assert (
        "bo has a grade for week-1, but would become ungraded: This is cleo's notebook, but it is in bo's folder. Name its owner with "
        "--student. --student applies only to the run that it is given to." in done.output
    )
    assert "Nothing was graded" in done.output


def test_a_second_notebook_removes_no_grade_without_confirmation(room: Classroom) -> None:
    graded(room)
    first = room.handed_in / "ada" / "week-1.ipynb"
    second = room.put("ada", first.read_text("utf-8").rstrip() + "\n\n").rename(first.with_name("again.ipynb"))
    room.hand_in("ada", blank)
    done = CliRunner().invoke(app, room.command("grade", "--bank", ROOT))
    assert done.exit_code == 1
    assert (
        f"ada has a grade for week-1, but would become ungraded: they have 2 different notebooks: {second}, "
        in done.output
    )
    assert "would be ungraded" not in CliRunner().invoke(app, room.command("grade", "--bank", ROOT, "--latest")).output


def test_points_of_a_set_are_shown_before_they_count(room: Classroom, whole_bank: Bank) -> None:
    assigned(room, whole_bank, attempts=3)
    assert only(graded(room), "ada")["points"] == 4
    assigned(room, whole_bank, attempts=3, points=9)
    done = CliRunner().invoke(app, room.command("grade", "--bank", ROOT))
    assert done.exit_code == 1
    assert f"{FEW[0]} in week-1 would be worth 9 points instead of 2, for 1 student." in done.output
    assert only(graded(room), "ada")["points"] == 11


def test_every_fault_of_a_table_of_receipts_is_named_at_its_line(due: Classroom, tmp_path: Path) -> None:
    table = tmp_path / "received.csv"
    table.write_text(
        "student,time\nada,2026-06-01T13:59:00\nbo,yesterday\ncleo,2026-06-01T13:59:00Z\ncleo,2026-06-01T13:59:00Z\n"
    )
    arguments = due.command("grade", "--unsafe-no-sandbox", "--received")
    said = str(CliRunner().invoke(app, [*arguments, str(table)]).exception)
    for words in (
        ":2:1: cannot read the time '2026-06-01T13:59:00'",
        ":3:1: cannot read the time 'yesterday'",
        ":5:1: student 'cleo' is listed twice",
    ):
        assert words in said
    table.write_text("who,when\n")
    assert "must begin with the line: student,time" in str(CliRunner().invoke(app, [*arguments, str(table)]).exception)
    assert "--received takes git or a CSV file" in str(CliRunner().invoke(app, [*arguments, "hg"]).exception)
    table.write_text(f'student,time\nada,"{"x" * 200_000}')
    assert "Check that every quotation mark is closed" in str(
        CliRunner().invoke(app, [*arguments, str(table)]).exception
    )


def test_a_table_of_receipts_allows_the_separators_of_a_roster(due: Classroom, tmp_path: Path) -> None:
    table = tmp_path / "received.csv"
    table.write_text("student;time\nbo;2026-06-01T14:01:00+02:00\n")
    assert only(graded(due, due.handed_in, "--received", table), "bo")["late"] is True


def test_rows_of_a_table_of_receipts_use_names_of_the_roster_and_others_are_reported(
    due: Classroom, whole_bank: Bank, tmp_path: Path
) -> None:
    definition = {"name": "week-1", "title": "Week 1", "problems": FEW, "due": "2026-06-01T12:00:00Z"}
    roster = [Student(name, name.title(), (f"{name}@uni.example",)) for name in CLASS]
    due.out.joinpath("week-1.lock.jsonl").unlink()
    due.lock = Lock(
        assign(whole_bank, SetDefinition.model_validate(definition), roster, due.lock.key, due.out, force=True).lock
    )
    for student in CLASS:
        stamp(due.hand_in(student, right), "2026-06-02T12:00:00Z")
    rows = ["Ada@uni.example,2026-06-01T10:00:00Z", "bo,2026-06-01T10:00:00Z"]
    rows += [f"gone-{number},2026-06-01T10:00:00Z" for number in range(22)]
    table = put(tmp_path / "received.csv", "\n".join(["student,time", *rows]))
    done = CliRunner().invoke(app, [*due.command("grade", "--bank", ROOT), "--received", str(table)])
    [said] = [line for line in done.stderr.splitlines() if "gone-" in line]
    assert "ignored 22 rows" in said and "'gone-0', 'gone-1', " in said and said.count("gone-") == 20
    found = graded(due, due.handed_in, "--received", table)
    assert [only(found, student)["received_by"] for student in CLASS] == ["table", "table", "file"]
    put(tmp_path / "received.csv", "student,time\nada,2026-06-01T10:00:00Z\nada@uni.example,2026-06-01T10:00:00Z")
    done = CliRunner().invoke(app, [*due.command("grade", "--bank", ROOT), "--received", str(table)])
    assert "student 'ada' is listed twice" in str(done.exception)


def git(folder: Path, *arguments: str, when: str = "2026-06-01T00:00:00Z") -> None:
    names = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}
    env = {**os.environ, **names, "GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
    subprocess.run(["git", "-C", str(folder), *arguments], check=True, env=env, capture_output=True)


def commit(folder: Path, when: str) -> None:
    git(folder, "add", ".", when=when)
    git(folder, "commit", "-q", "-m", "hand in", when=when)


def test_git_commits_give_the_times_of_receipt(due: Classroom) -> None:
    for student, when in zip(
        CLASS, ("2026-06-01T11:00:00Z", "2026-06-01T13:00:00Z", "2026-06-01T11:00:00Z"), strict=True
    ):
        git(due.handed_in / student, "init", "-q")
        commit(due.handed_in / student, when)
    for student in ("ada", "bo"):  # bo's commit is named only in packed-refs, ada's next one also in a separate file
        git(due.handed_in / student, "pack-refs", "--all")
    put(due.handed_in / "ada" / "later.txt", "not the notebook")
    commit(due.handed_in / "ada", "2026-06-03T00:00:00Z")
    due.hand_in("cleo", mistaken)  # and not committed
    rows = graded(due, due.handed_in, "--received", "git")
    assert [only(rows, student)["late"] for student in CLASS] == [False, True, False]
    assert "It is unknown when this was received" in only(rows, "cleo")["notes"][0]


HARM: dict[str, Callable[[Path], object]] = {
    "HEAD is a pipe": lambda folder: os.mkfifo(folder / "HEAD"),
    "HEAD is 100 GB": lambda folder: ((folder / "HEAD").touch(), os.truncate(folder / "HEAD", 10**11)),
    "alternates are a pipe": lambda folder: (
        (folder / "HEAD").write_text("a" * 40),
        (folder / "objects" / "info").mkdir(parents=True),
        os.mkfifo(folder / "objects" / "info" / "alternates"),
    ),
}


@pytest.mark.parametrize("harm", HARM)
def test_an_unreadable_repository_of_a_student_is_ignored_and_does_not_block(due: Classroom, harm: str) -> None:
    folder = due.handed_in / "ada" / ".git"
    folder.mkdir()
    HARM[harm](folder)
    row = only(graded(due, due.handed_in, "--received", "git"), "ada")
    assert (row["status"], row["late"]) == ("graded", False)
    assert "It is unknown when this was received" in row["notes"][0]


@pytest.mark.parametrize(
    "option", ["core.fsmonitor", "gpg.program", "core.pager", "core.sshCommand", "log.showSignature"]
)
def test_the_configuration_of_a_students_repository_runs_nothing(due: Classroom, tmp_path: Path, option: str) -> None:
    folder = due.handed_in / "ada"
    git(folder, "init", "-q")
    commit(folder, "2026-06-01T11:00:00Z")
    program = put(tmp_path / "evil", f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    program.chmod(0o755)
    git(folder, "config", option, str(program) if option != "log.showSignature" else "true")
    git(folder, "config", "gpg.program", str(program))
    assert not only(graded(due, due.handed_in, "--received", "git"), "ada")["late"]
    assert not (tmp_path / "ran").exists()


# Several notebooks of one student -----------------------------------------------------------------------------------


def several(room: Classroom) -> tuple[Path, Path]:
    """A right answer on 1 June, and a blank one on 2 June under a name that sorts first."""
    first = room.hand_in("ada", right)
    second = first.with_name("a-later.ipynb")
    second.write_text(json.dumps(room.notebook("ada")))
    stamp(first, "2026-06-01T00:00:00Z")
    stamp(second, "2026-06-02T00:00:00Z")
    return first, second


def test_two_different_notebooks_do_not_count_until_somebody_decides(room: Classroom) -> None:
    several(room)
    assert [row["status"] for row in graded(room)["ada"]] == ["ungraded", "ungraded"]


def test_with_latest_the_latest_counts_and_has_the_page(room: Classroom) -> None:
    first, second = several(room)
    row = only(graded(room, room.handed_in, "--latest", code=0), "ada")
    assert (row["points"], row["path"]) == (0, str(second))
    assert row["notes"] == ["ada submitted 2 different notebooks; the latest counts."]
    page = room.out / "results" / "feedback" / "week-1" / "ada.html"
    blank_page = page.read_text("utf-8")
    stamp(first, "2026-06-03T00:00:00Z")
    row = only(graded(room, room.handed_in, "--latest", code=0), "ada")
    assert (row["points"], row["path"]) == (4, str(first))
    assert page.read_text("utf-8") != blank_page
    assert "Correct" in page.read_text("utf-8")


def test_with_a_table_of_receipts_only_its_times_decide_which_is_latest(room: Classroom, tmp_path: Path) -> None:
    first, _ = several(room)
    git(room.handed_in, "init", "-q")
    git(room.handed_in, "add", "ada/a-later.ipynb")
    git(room.handed_in, "commit", "-q", "-m", "early", when="2026-06-01T00:00:00Z")
    commit(room.handed_in, "2026-06-05T00:00:00Z")
    assert only(graded(room, room.handed_in, "--latest", "--received", "git", code=0), "ada")["path"] == str(first)


def test_a_notebook_without_a_time_is_reported_and_treated_as_the_earliest(room: Classroom) -> None:
    several(room)  # in no repository
    row = only(graded(room, room.handed_in, "--latest", "--received", "git", code=0), "ada")
    assert "It is unknown when" in row["notes"][-1] and "treated as the earliest" in row["notes"][-1]


def test_the_latest_is_never_a_notebook_that_may_be_somebody_elses(room: Classroom) -> None:
    late = room.put("ada", room.notebook("ada"), "one-of-nobody")  # blank
    stamp(late, "2030-01-01T00:00:00Z")
    rows = graded(room, room.handed_in, "--latest", code=1)
    assert only(rows, "ada")["points"] == 4
    assert "nothing shows that ada submitted it. Name its owner with --student" in only(rows, "")["reason"]
    shutil.rmtree(room.handed_in / "ada")
    room.put("ada", json.dumps(add_cell(room.notebook("ada"), "y = 1")), "another-of-nobody")
    rows = graded(room, room.handed_in, "--latest", code=1)
    assert [row["status"] for row in rows["ada"]] == ["ungraded", "ungraded"]


def test_a_file_that_is_not_a_notebook_is_only_a_row_of_its_owner(room: Classroom) -> None:
    put(room.handed_in / "bo_12_34_report.pdf", "")
    put(room.handed_in / "ada_12_34_report.pdf", "")  # next to a notebook
    put(room.handed_in / "times.csv", "")
    rows = graded(room, code=1)
    assert only(rows, "ada")["points"] == 4
    assert "bo_12_34_report.pdf is neither a notebook" in only(rows, "bo")["reason"]
    assert only(rows, "bo")["received"] and only(rows, "bo")["received_by"] == "file"
    assert sorted(rows) == ["ada", "bo", "cleo"]


def test_a_notebook_that_lost_its_metadata_is_graded_by_the_set_that_is_named(room: Classroom) -> None:
    path = room.handed_in / "ada" / "week-1.ipynb"
    notebook = json.loads(path.read_text())
    for cell in (notebook, *notebook["cells"]):
        cell["metadata"] = {}
    path.write_text(json.dumps(notebook))
    assert "with --student and the --lock of its set" in only(graded(room, code=1), "ada")["reason"]
    row = only(graded(room, path, "--student", "ada", "--lock", room.lock.path, code=0), "ada")
    assert row["points"] == 4


def test_a_broken_notebook_of_one_of_two_sets_still_belongs_to_its_student(room: Classroom, whole_bank: Bank) -> None:
    other = SetDefinition.model_validate({"name": "week-2", "title": "Two", "problems": list(FEW)})
    assign(whole_bank, other, [Student(name, name) for name in CLASS], room.lock.key, room.out)
    put(room.handed_in / "bo" / "week-2.ipynb", '{"cells": [')
    rows = graded(room)
    assert [(row["set"], row["status"]) for row in rows["bo"]] == [("week-1", "missing"), ("week-2", "ungraded")]


def test_identical_copies_count_as_one(room: Classroom) -> None:
    original = room.handed_in / "ada" / "week-1.ipynb"
    for place in ("copy.ipynb", "ada/copy.ipynb", "ada/copies/week-1.ipynb"):
        (room.handed_in / place).parent.mkdir(exist_ok=True)
        shutil.copy(original, room.handed_in / place)
    with zipfile.ZipFile(room.handed_in / "ada" / "ada.zip", "w") as archive:
        archive.write(original, "week-1.ipynb")
    row = only(graded(room, code=0), "ada")
    assert row["points"] == 4
    assert row["notes"] == []


def test_the_earliest_of_two_copies_decides_whether_it_was_late(due: Classroom) -> None:
    path = due.handed_in / "ada" / "week-1.ipynb"
    shutil.copy(path, path.with_name("copy.ipynb"))
    stamp(path.with_name("copy.ipynb"), "2026-05-30T00:00:00Z")
    assert not only(graded(due), "ada")["late"]


def test_a_path_that_is_named_twice_counts_once(room: Classroom) -> None:
    rows = graded(room, room.handed_in, room.handed_in / "ada", room.handed_in / ".." / "submitted", code=0)
    assert only(rows, "ada")["points"] == 4


# Attempts -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def twice(tmp_path: Path, whole_bank: Bank) -> Classroom:
    """A class with two attempts."""
    made = Classroom(tmp_path / "course", whole_bank, CLASS, FEW)
    assigned(made, whole_bank, attempts=2)
    return made


def assigned(room: Classroom, bank: Bank, *, attempts: int, points: int = 2) -> None:
    """Assign the set again with this number of attempts, and points for its first question."""
    problems = [{"id": FEW[0], "points": points}, *FEW[1:]]
    about = {"name": "week-1", "title": "Week 1", "problems": problems, "attempts": attempts}
    roster = [Student(name, name.title()) for name in CLASS]
    made = assign(bank, SetDefinition.model_validate(about), roster, room.lock.key, room.out)
    room.lock = type(room.lock)(made.lock)


def another(room: Classroom, number: int) -> str:
    """Return a notebook of ada's without answers, each with a different extra cell."""
    return json.dumps(add_cell(room.notebook("ada"), f"y = {number}"))


def test_after_too_many_attempts_the_last_permitted_one_counts_with_a_note(twice: Classroom) -> None:
    twice.hand_in("ada", blank)
    twice.hand_in("bo", right)
    assert only(graded(twice), "ada")["points"] == 0
    assert only(graded(twice), "ada")["points"] == 0  # the same notebook graded again is not another attempt
    twice.hand_in("ada", mistaken)
    mistakes = only(graded(twice), "ada")["points"]
    twice.hand_in("ada", right)
    row = only(graded(twice, code=None), "ada")
    assert row["points"] == mistakes < 4
    assert row["notes"] == [
        "Only 2 different notebooks may be handed in, and this came later; the last one within the limit counts."
    ]
    twice.hand_in("ada", mistaken)
    row = only(graded(twice), "ada")  # the second one, submitted again
    assert (row["points"], row["notes"]) == (mistakes, [])
    assert only(graded(twice), "bo")["points"] == 4


@pytest.mark.parametrize("attempts", [1, 3])
def test_notebooks_that_did_not_count_use_up_no_attempt(room: Classroom, whole_bank: Bank, attempts: int) -> None:
    """A classmate puts them next to ada's, whose page and points return when they are gone."""
    assigned(room, whole_bank, attempts=attempts)
    strange = [put(room.handed_in / f"{number}/w.ipynb", another(room, number)) for number in range(attempts)]
    assert {row["status"] for row in graded(room)["ada"]} == {"ungraded"}
    for path in strange:
        path.unlink()
    row = only(graded(room, code=0), "ada")
    assert (row["points"], row["notes"]) == (4, [])
    assert "Correct" in (room.out / "results" / "feedback" / "week-1" / "ada.html").read_text("utf-8")


@pytest.mark.parametrize("options", [[], ["--latest"]])
def test_a_notebook_after_the_last_attempt_changes_nothing_and_is_named(
    room: Classroom, whole_bank: Bank, options: list[str]
) -> None:
    assigned(room, whole_bank, attempts=1)
    room.hand_in("ada", right)
    graded(room)
    first, second = several(room)
    row = only(graded(room, room.handed_in, *options, code=0), "ada")
    assert (row["points"], row["path"]) == (4, str(first))
    assert row["notes"] == [f"Only one notebook may be handed in, and {second} came later; the first one counts."]
    first.unlink()
    row = only(graded(room, room.handed_in, *options, code=0), "ada")
    assert (row["points"], row["path"]) == (4, str(second))


def test_a_late_extra_notebook_has_the_current_grade_and_page(room: Classroom, whole_bank: Bank) -> None:
    page = room.out / "results" / "feedback" / "week-1" / "ada.html"
    for points in (2, 9, 2):
        assigned(room, whole_bank, attempts=1, points=points)
        assert only(graded(room, code=0), "ada")["points"] == points + 2
    room.hand_in("ada", mistaken)
    row = only(graded(room, code=0), "ada")
    assert (row["points"], row["max_points"]) == (4, 4)
    for points in (9, 2, 9):
        assigned(room, whole_bank, attempts=1, points=points)
        assert only(graded(room, code=0), "ada")["points"] == points + 2
        assert f"<strong>{points + 2}</strong> of {points + 2} points" in page.read_text("utf-8")
    assigned(room, whole_bank, attempts=1, points=5)  # the one that counts has not been graded with these questions
    row = only(graded(room, code=0), "ada")
    assert row["points"] == 11
    assert "was graded with older questions: put it back to grade it again." in row["notes"][0]
