"""Locks and keys: draws are signed, changes are noticed, and nobody else's lock counts."""

from __future__ import annotations

import json
import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from checkout import ROOT
from classroom import Classroom
from shardwise.bank.bank import Bank
from shardwise.cli.main import app
from shardwise.course.assigning.assignments import SetDefinition, Student, assign
from shardwise.course.assigning.keys import KEY_FILE, VARIABLE, course_key
from shardwise.course.assigning.lockfile import Lock
from shardwise.course.assigning.notebooks import chapter_notebook, file_text
from shardwise.course.assigning.simulated_class import hand_in, right
from shardwise.errors import ShardwiseError

CLASS = ("ada", "bo", "cleo")
FEW = ("bytes-per-gpu", "ring-or-tree")

pytestmark = pytest.mark.usefixtures("one_sandbox")


@pytest.fixture
def room(tmp_path: Path, whole_bank: Bank) -> Classroom:
    return Classroom(tmp_path / "course", whole_bank, CLASS, FEW)


def grade(*arguments: object) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["grade", *map(str, arguments), "--workers", "1"])
    return done.exit_code, f"{done.output}{done.exception or ''}"


def points(out: Path) -> dict[str, float | None]:
    lines = (out / "results.jsonl").read_text("utf-8").splitlines()
    return {result["student"]: result["points"] for result in map(json.loads, lines)}


# Signatures ---------------------------------------------------------------------------------------------------------


CHANGES: dict[str, tuple[Callable[[list[bytes]], list[bytes]], str]] = {
    "more points": (lambda lines: [lines[0], lines[1].replace(b'"points": ', b'"points": 9', 1), *lines[2:]], "line 2: this line was changed"),
    "another due date": (lambda lines: [lines[0].replace(b'"due": null', b'"due": "2030-01-01T00:00:00Z"'), *lines[1:]], "line 1: this line was changed"),
    "no signature": (lambda lines: [lines[0], b'{"questions": [], "student": "ada"}\n', *lines[2:]], "line 2: this line was changed"),
    "a line gone": (lambda lines: [*lines[:2], *lines[3:]], "or lines before it were dropped, added or moved"),
    "lines moved": (lambda lines: [lines[0], lines[2], lines[1], *lines[3:]], "or lines before it were dropped, added or moved"),
    "a line twice": (lambda lines: [*lines[:2], *lines[1:]], "or lines before it were dropped, added or moved"),
    "a line after the last": (lambda lines: [*lines, lines[1]], "line 6: this line was added after the last one"),
    "cut off": (lambda lines: lines[:-1], "was cut off"),
    "cut in a line": (lambda lines: [*lines[:3], lines[3][:99]], "was cut off"),
}  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_a_lock_that_was_changed_is_refused_with_its_line(room: Classroom, change: str) -> None:
    room.hand_in("ada", right)
    alter, words = CHANGES[change]
    path = room.lock.path
    path.write_bytes(b"".join(alter(path.read_bytes().splitlines(keepends=True))))
    code, said = grade(room.handed_in, "--out", room.out / "results")
    assert code != 0
    assert str(path) in said
    assert words in said
    assert not (room.out / "results" / "grades.csv").exists()


def test_a_lock_that_changes_while_it_is_read_is_noticed(room: Classroom) -> None:
    path = room.lock.path
    path.write_bytes(path.read_bytes().replace(b'"points": ', b'"points": 9'))
    with pytest.raises(ShardwiseError, match="was changed while it was in use"):
        room.lock.line("ada")


def test_only_their_owner_can_read_lock_and_key(room: Classroom) -> None:
    for path in (room.lock.path, room.out / KEY_FILE):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


# The key ------------------------------------------------------------------------------------------------------------


def test_the_course_key_is_private_and_permanent(tmp_path: Path) -> None:
    key, made = course_key(tmp_path / "course.key")
    assert made
    assert len(key) == 32
    assert stat.S_IMODE((tmp_path / "course.key").stat().st_mode) == 0o600
    assert course_key(tmp_path / "course.key") == (key, False)
    (tmp_path / "bad.key").write_text("hunter2")
    with pytest.raises(ShardwiseError, match="64 hexadecimal digits"):
        course_key(tmp_path / "bad.key")


@pytest.mark.parametrize("name", ["week-1", "week-2"])
def test_no_new_key_is_created_next_to_files_that_a_lost_one_signed(room: Classroom, tmp_path: Path, name: str) -> None:
    (room.out / KEY_FILE).unlink()
    (tmp_path / "set.yaml").write_text(f"name: {name}\ntitle: Week\nproblems: [ring-time]\n")
    (tmp_path / "roster.csv").write_text("student\nada\n")
    arguments = ["assign", tmp_path / "set.yaml", "--roster", tmp_path / "roster.csv", "--out", room.out]
    done = CliRunner().invoke(app, [*map(str, arguments), "--bank", str(ROOT)])
    assert "Restore the key" in str(done.exception)
    assert not (room.out / KEY_FILE).exists()


@pytest.fixture
def elsewhere(room: Classroom, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Another computer with the lock file and the submissions, but without the key."""
    room.hand_in("ada", right)
    copy = tmp_path / "copy"
    shutil.copytree(room.out, copy)
    (copy / KEY_FILE).unlink()
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return copy


def test_without_the_key_a_lock_is_refused_with_ways_to_provide_it(elsewhere: Path) -> None:
    code, said = grade(
        elsewhere / "submitted", "--out", elsewhere / "results", "--lock", elsewhere / "week-1.lock.jsonl"
    )
    assert code != 0
    assert "--key" in said
    assert VARIABLE in said
    assert f"{elsewhere / KEY_FILE} does not exist" in said


@pytest.mark.parametrize("way", ["--key", VARIABLE])
def test_the_key_can_be_given(elsewhere: Path, room: Classroom, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    given = ["--key", room.out / KEY_FILE] if way == "--key" else []
    if way == VARIABLE:
        monkeypatch.setenv(VARIABLE, "6b" * 32)
    code, said = grade(elsewhere / "submitted", "--out", elsewhere / "results", *given)
    assert code == 0, said
    assert points(elsewhere / "results")["ada"] == 4


def test_another_key_is_refused(elsewhere: Path, tmp_path: Path) -> None:
    (tmp_path / "other.key").write_text("00" * 32)
    code, said = grade(elsewhere / "submitted", "--out", elsewhere / "results", "--key", tmp_path / "other.key")
    assert code != 0
    assert "signed with a different course key than the one you gave" in said


def test_a_key_in_another_folder_is_found_where_it_was_used(tmp_path: Path, whole_bank: Bank) -> None:
    key, _ = course_key(tmp_path / "keys" / "secret.key")
    made = SetDefinition.model_validate({"name": "week-1", "title": "Week 1", "problems": FEW})
    path = assign(whole_bank, made, [Student("ada", "Ada")], key, tmp_path / "course").lock
    assert Lock(path).key == key


# Whose lock ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def forged(tmp_path: Path, whole_bank: Bank, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A student's repository with a lock, a key and a matching notebook."""
    with monkeypatch.context() as at_home:
        at_home.setenv("XDG_DATA_HOME", str(tmp_path / "data of the student"))
        made = Classroom(tmp_path / "repos" / "eve", whole_bank, ("eve",), FEW, key="77")
        hand_in(made.lock, made.out / "notebooks", made.out / "nb", "eve", right)
    return made.out


def test_a_lock_in_a_students_folder_does_not_count(forged: Path, room: Classroom, tmp_path: Path) -> None:
    code, said = grade(forged / "nb", "--out", tmp_path / "results")
    assert code == 1
    lock = forged / "week-1.lock.jsonl"
    assert f"{lock} was not assigned on this computer. If it is yours, name it with --lock.\n" in said
    assert points(tmp_path / "results") == {"": None}


@pytest.mark.parametrize("lock", [b"junk", b"", b"[" * 9999, b'{"key": {}, "set": "week-1"}\n'])
def test_a_junk_lock_in_a_students_folder_does_not_end_a_batch(
    room: Classroom, tmp_path: Path, whole_bank: Bank, lock: bytes
) -> None:
    chapter = "01-ring-all-reduce"
    practised = json.loads(file_text(chapter_notebook(whole_bank, chapter, typed=True)))
    for student in ("ada", "eve"):
        place = tmp_path / "repos" / student / "nb" / f"{chapter}.ipynb"
        place.parent.mkdir(parents=True)
        place.write_text(json.dumps({**practised, "cells": []}))
    (tmp_path / "repos" / "eve" / "week-1.lock.jsonl").write_bytes(lock)
    notebooks = sorted((tmp_path / "repos").rglob("*.ipynb"))
    code, said = grade(*notebooks, "--out", tmp_path / "results", "--bank", ROOT)
    assert code == 0, said
    assert points(tmp_path / "results") == {"ada": 0, "eve": 0}


UNREADABLE: dict[str, Callable[[Path], object]] = {
    "empty": lambda path: path.write_bytes(b""),
    "zeros": lambda path: path.write_bytes(bytes(100)),
    "junk": lambda path: path.write_bytes(b"[" * 99_999),
    "no header": lambda path: path.write_bytes(b'["week-1"]\n'),
    "cut off in its header": lambda path: path.write_bytes(path.read_bytes()[:100]),
    "a folder": lambda path: (path.unlink(), path.mkdir()),
}


@pytest.mark.parametrize(("command", "harm"), [*(("grade", harm) for harm in UNREADABLE), ("regrade", "empty")])
def test_with_an_unreadable_lock_nothing_is_graded_and_no_grade_is_lost(
    room: Classroom, command: str, harm: str
) -> None:
    results = room.out / "results"
    room.hand_in("ada", right)
    spare = Path(shutil.copy(room.lock.path, results.parent / "spare.old"))
    assert grade(room.handed_in, "--out", results)[0] == 0
    before = (results / "grades.csv").read_bytes()
    UNREADABLE[harm](room.lock.path)
    more = ["--bank", str(ROOT)] if command == "regrade" else []
    done = CliRunner().invoke(app, [command, str(room.handed_in), "--out", str(results), "--workers", "1", *more])
    assert isinstance(done.exception, ShardwiseError)  # this ends the command with exit code 2
    assert f"{room.lock.path} cannot be read as a lock file: " in str(done.exception)
    assert "Restore it from a copy." in str(done.exception)
    assert (results / "grades.csv").read_bytes() == before
    code, said = grade(room.handed_in, "--out", results, "--lock", spare, "--key", room.out / KEY_FILE)
    assert code == 0, said
    assert (results / "grades.csv").read_bytes() == before


def test_the_location_of_a_key_is_remembered_but_never_the_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    for _ in range(2):
        key, _ = course_key(tmp_path / "course.key")
    text = (tmp_path / "data" / "shardwise" / "course-keys.json").read_text("utf-8")
    assert list(json.loads(text).values()) == [[str(tmp_path / "course.key")]]
    assert key.hex() not in text


@pytest.mark.parametrize("what", [os.mkfifo, lambda path: path.symlink_to("/dev/zero")], ids=["a pipe", "no end"])
def test_a_lock_that_is_not_a_regular_file_does_not_block(room: Classroom, what: Callable[[Path], None]) -> None:
    """A student may have put it into a folder that everybody can write to."""
    room.hand_in("ada", right)
    what(room.handed_in / "x.lock.jsonl")
    code, said = grade(room.handed_in / "ada", "--out", room.out / "results", "--lock", room.lock.path)
    assert (code, points(room.out / "results")["ada"]) == (0, 4), said
    code, said = grade(room.handed_in / "ada", "--out", room.out / "results", "--lock", room.handed_in / "x.lock.jsonl")
    assert code != 0 and "it is not a regular file" in said
