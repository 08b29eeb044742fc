"""A course folder: commands need only the name of a set, nothing secret gets into git, and no student can forge a course."""

from __future__ import annotations

import re
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from command_line import run
from shardwise.course.assigning.lockfile import Lock
from shardwise.course.assigning.simulated_class import hand_in, right
from shardwise.course.course_file import course_around, load_course


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    run("init", "course", tmp_path / "llm-systems")
    monkeypatch.chdir(tmp_path / "llm-systems")
    return tmp_path / "llm-systems"


def work(folder: Path, student: str = "ada") -> Path:
    lock = Lock(
        folder / "assigned" / "week-1" / "week-1.lock.jsonl", bytes.fromhex((folder / "course.key").read_text())
    )
    return hand_in(lock, lock.path.parent / "notebooks", folder / "submitted" / "week-1", student, right)


def files_in_git() -> list[str]:
    """Return the files of the current folder that git does not ignore."""
    subprocess.run(["git", "init", "-q"], check=True)
    subprocess.run(["git", "add", "-A"], check=True)
    return subprocess.run(["git", "ls-files"], check=True, capture_output=True, text=True).stdout.split()


def test_a_new_course_is_assigned_graded_and_regraded_by_the_name_of_a_set(course: Path) -> None:
    assert "Llm systems" in (course / "for-students" / "README.md").read_text() + (course / "course.yaml").read_text()
    assert "2 notebooks in assigned/week-1/notebooks" in run("assign", "week-1")
    assert "does not exist. Put the submissions" in run("grade", "week-1", code=2)
    work(course), work(course, "alan")
    assert "2 graded" in run("grade", "sets/week-1.yaml", "--workers", "1")
    assert (course / "results" / "week-1" / "grades.csv").is_file()
    assert "No points change" in run("regrade", "week-1", "--workers", "1")
    with (course / "roster.csv").open("a") as roster:
        roster.write("grace,Grace Hopper,grace@example.org,\n")
    assert "3 notebooks in assigned/week-1/notebooks (2 assigned before" in run("assign", "week-1")
    assert "first-quantity" in run("list", "--kind", "quantity")
    added = files_in_git()
    assert not [
        path for path in added if path.endswith(".key") or path.startswith(("assigned", "submitted", "results"))
    ]
    expected = {
        "course.yaml",
        "roster.csv",
        "for-students/README.md",
        "overrides.yaml",
        "bank/.gitignore",
        ".gitignore",
    }
    assert expected <= set(added)


def test_the_download_of_a_whole_class_is_graded_unpacked_or_not(course: Path) -> None:
    students = [f"s{number:02}" for number in range(25)]
    (course / "roster.csv").write_text("student\n" + "\n".join(students))
    run("assign", "week-1")
    folder = course / "submitted" / "week-1"
    for student in students:
        work(course, student)
    with zipfile.ZipFile(course / "Week 1.zip", "w") as download:
        for path in sorted(folder.rglob("*.ipynb")):
            download.write(path, path.relative_to(folder))
    shutil.rmtree(folder)
    folder.mkdir()
    shutil.move(course / "Week 1.zip", folder / "s03.zip")
    assert "the limit per student is 20 notebooks" in " ".join(run("grade", "week-1", code=2).split())
    (folder / "s03.zip").rename(folder / "Week 1.zip")
    assert "25 graded, 0 could not be graded, 0 missing" in run("grade", "week-1")


def test_git_ignores_what_the_other_commands_write_into_a_course(course: Path) -> None:
    dates = "sections: {A: {due: 2036-12-08T23:59:00+01:00}}"
    (course / "sets" / "quiz.yaml").write_text(f"name: quiz\ntitle: Quiz\nproblems: [first-quantity]\n{dates}\n")
    run("assign", "week-1")
    for name in ("gradebook.db", "grades.csv", "release/ada/w.ipynb", "autograded/ada/w.ipynb", "feedback/ada/w.html"):
        (course / "nb" / name).parent.mkdir(parents=True, exist_ok=True)
        (course / "nb" / name).write_text("as nbgrader writes it")
    run("autograder", "week-1", "--out", "autograder.zip")
    run("export", "sets/quiz.yaml", "--to", "moodle-xml", "--out", "quiz.xml")
    run("export", "sets/quiz.yaml", "--to", "pdf", "--out", "exam")
    added = files_in_git()
    ours = ("bank/", "sets/", "for-students/", ".git")
    assert {path for path in added if not path.startswith(ours)} == {"course.yaml", "overrides.yaml", "roster.csv"}


def test_a_course_is_built_around_existing_files_but_not_around_a_course(course: Path, tmp_path: Path) -> None:
    assert "course.yaml already exists" in run("init", "course", course, code=2)
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "roster.csv").write_text("student\nzoe\n")
    (mine / ".gitignore").write_text("*.tmp\nresults/")
    said = run("init", "course", mine)
    assert f"Kept {mine / 'roster.csv'}" in said and (mine / "roster.csv").read_text() == "student\nzoe\n"
    ignored = (mine / ".gitignore").read_text().splitlines()
    assert ignored[:2] == ["*.tmp", "results/"] and "*.key" in ignored and ignored.count("results/") == 1


def test_without_a_course_a_set_needs_its_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for verb in ("assign", "grade", "regrade"):
        assert "shardwise init course DIR" in run(verb, "week-1", code=2)


def test_unknown_sets_lost_keys_and_other_folders_are_explained(course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run("assign", "week-1")
    shutil.copy("sets/week-1.yaml", "sets/week-2.yaml")
    assert "Unknown set 'sets/week-2.yaml'; known: week-1. Add it to the sets in course.yaml" in run("assign", "sets/week-2.yaml", code=2)  # fmt: skip
    assert "Add sets/week-2.yaml to the sets in course.yaml" in run("assign", "week-2", code=2)
    assert "Unknown set 'week-9'" in run("grade", "week-9", code=2)
    assert "Put submissions into the folder submitted/SET" in run("grade", "sets", code=2)
    (course / "course.key").rename(course / "key.old")
    assert "Restore the key" in run("assign", "week-1", code=2)
    assert not (course / "course.key").exists()
    (course / "key.old").rename(course / "course.key")
    monkeypatch.chdir(course / "sets")
    assert f"cd {course}" in run("grade", "week-1", code=2)
    assert "2 notebooks" in run("assign", "week-1")


def forged(course: Path, to: Path) -> Path:
    """A course as a student may hand it in: with a key, a lock file, and a bank of their own."""
    shutil.copytree(course, to, ignore=shutil.ignore_patterns("submitted", "notebooks"))
    (to / "bank" / "solutions" / "example.py").write_text("raise SystemExit('the bank was run')\n")
    return to


def test_a_course_that_a_student_handed_in_is_not_used(
    course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("assign", "week-1")
    work(course)
    theirs = forged(course, course / "submitted" / "week-1" / "ada" / "course")
    for folder in (theirs, theirs / "assigned" / "week-1"):
        found = course_around(folder)
        assert found and found.folder == course
    assert "1 graded" in run("grade", "week-1", "--workers", "1")
    with monkeypatch.context() as another_computer:  # the key is known nowhere, as in a student's checkout
        another_computer.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
        alone = forged(course, tmp_path / "checkout")
        monkeypatch.chdir(alone)
        (alone / "submitted" / "week-1").mkdir(parents=True)
        for verb in ("grade", "regrade"):
            said = run(verb, "week-1", code=2)
            assert "was not assigned on this computer, so the course may not be yours" in said
        shutil.copytree(course / "submitted" / "week-1" / "ada", alone / "submitted" / "week-1" / "ada", ignore=shutil.ignore_patterns("course"))  # fmt: skip
        for _ in range(2):  # a person who names the key says that the course is theirs
            assert "1 graded" in run("grade", "week-1", "--key", "course.key", "--workers", "1")
        (alone / "course.yaml").write_text("no: course\n")
        run("grade", course / "submitted", "--out", tmp_path / "out", "--lock", course / "assigned" / "week-1" / "week-1.lock.jsonl", "--key", course / "course.key", "--workers", "1")  # fmt: skip


def test_the_bank_of_a_course_runs_only_with_consent(
    course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("assign", "week-1")
    work(course)
    run("grade", "week-1", "--workers", "1")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))  # where consent is recorded
    monkeypatch.delenv("SHARDWISE_TRUST", raising=False)
    for words in (["regrade", "week-1"], ["assign", "week-1"], ["list"]):
        said = run(*words, code=2)
        assert f"course.yaml names the bank {course / 'bank'}, whose code this command would run" in said
    run("trust", "bank")
    run("regrade", "week-1", "--workers", "1")


def test_sets_are_called_by_name_file_or_stem(course: Path) -> None:
    text = (course / "course.yaml").read_text()
    (course / "course.yaml").write_text(text.replace("  - sets/week-1.yaml", "  - {file: sets/first.yaml, weight: 2}"))
    (course / "sets" / "week-1.yaml").rename(course / "sets" / "first.yaml")
    known = load_course(course / "course.yaml")
    assert {known.set_called(words) for words in ("week-1", "first", "sets/first.yaml", "submitted/week-1")} == {
        "week-1"
    }
    assert known.set_called("second") is None
    (course / "sets" / "first.yaml").write_text("name: ../../elsewhere\n")
    assert list(load_course(course / "course.yaml").sets) == ["first"]


def test_a_command_that_comes_too_early_names_the_one_to_run_first(course: Path) -> None:
    for words in (
        ("autograder", "week-1", "--out", "a.zip"),
        ("override", "week-1", "--excuse", "--student", "ada", "--why", "Ill"),
    ):
        assert "Assign the set first:  shardwise assign week-1" in run(*words, code=2)
    for verb in ("report", "feedback-zip", "gradebook"):
        assert "Grade it first:  shardwise grade week-1" in run(verb, "week-1", code=2)
    assert "submissions" not in run("assign", "roster.csv", code=2)
    assert "Add it" not in run("assign", "week-1.yaml", code=2)


def set_due(due: str) -> None:
    definition = Path("sets/week-1.yaml")
    definition.write_text(re.sub(r"^due: \S+", f"due: {due}", definition.read_text(), flags=re.MULTILINE))


def test_an_extension_that_ends_before_the_due_date_is_pointed_out(course: Path) -> None:
    set_due("2036-12-01T23:59:00Z")
    run("assign", "week-1")
    early, later = (
        run("override", "week-1", "--student", "ada", "--due", f"{year}-12-08T23:59:00Z", "--why", "Ill")
        for year in (2026, 2036)
    )
    assert "Check the date: the set is due Monday, 1 December 2036" in early and "Check" not in later
    said = run("override", "week-1", "--due", "2036-12-08T23:59:00Z", "--why", "Snow", code=2)
    assert "To change it for everybody, edit the set" in said


def test_a_new_due_date_is_named_as_the_reason_for_being_on_time(course: Path) -> None:
    set_due("2020-12-01T23:59:00Z")
    run("assign", "week-1")
    work(course)
    run("grade", "week-1", "--workers", "1")
    set_due("2036-12-01T23:59:00Z")
    run("assign", "week-1")
    said = run("grade", "week-1", "--workers", "1", code=2)
    assert "ada was late for week-1 and would be on time: the due date or the late rule has changed." in said


def test_a_course_can_be_created_where_trust_cannot_be_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "file"))
    said = run("init", "course", tmp_path / "mine")
    assert f"export SHARDWISE_TRUST={tmp_path / 'mine' / 'bank'}" in said and "Keep" in said
    assert "cannot be written: Not a directory" in run("trust", tmp_path / "mine" / "bank", code=2)
