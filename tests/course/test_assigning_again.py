"""Assigning again: work is never overwritten, changes in a set are applied, and interrupted runs are completed."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import nbformat
import pytest

from checkout import ROOT, edited
from command_line import run
from shardwise.bank.bank import Bank
from shardwise.course.assigning.assignments import SetDefinition, Student, assign
from shardwise.course.assigning.keys import KEY_FILE, course_key
from shardwise.course.assigning.lockfile import Lock, writing
from shardwise.errors import ShardwiseError

SET = {"name": "week-1", "title": "Week 1", "problems": ["bytes-per-gpu", "ring-or-tree"], "attempts": 2}
STUDENTS = ("ada", "bo", "cleo")
KEY = bytes(32)


class Course:
    """A set on disk, and the command that assigns it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.out = folder, folder / "course"
        self.definition, self.roster = folder / "week-1.yaml", folder / "roster.csv"
        self.say(**SET)
        self.roster.write_text("student,name\n" + "".join(f"{name},{name.title()}\n" for name in STUDENTS))
        self.lock = self.out / "week-1.lock.jsonl"

    def say(self, **definition: Any) -> None:
        self.definition.write_text(json.dumps({**SET, **definition}))

    def command(self, *more: str) -> list[str]:
        paths = "--roster", str(self.roster), "--out", str(self.out), "--bank", str(ROOT)
        return ["assign", str(self.definition), *paths, *more]

    def assign(self, *more: str, code: int = 0) -> str:
        return run(*self.command(*more), code=code)

    def notebook(self, student: str) -> Path:
        return self.out / "notebooks" / student / "week-1.ipynb"

    def work(self, student: str) -> bytes:
        """Write an answer like a student, and save the notebook like Jupyter."""
        made = nbformat.read(self.notebook(student), 4)
        next(cell for cell in made.cells if cell.metadata["shardwise"]["role"] == "answer").source = "bytes_per_gpu = 7"
        nbformat.write(made, self.notebook(student))
        return self.notebook(student).read_bytes()

    def text(self, student: str) -> str:
        return self.notebook(student).read_text("utf-8")


@pytest.fixture(scope="module")
def assigned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an assigned set. Each test gets a copy, because assigning takes a third of a second."""
    made = Course(tmp_path_factory.mktemp("assigned"))
    made.assign()
    return made.out


@pytest.fixture
def course(assigned: Path, tmp_path: Path) -> Course:
    made = Course(tmp_path)
    shutil.copytree(assigned, made.out)
    return made


def test_a_notebook_with_work_is_kept_and_reported(course: Course) -> None:
    worked, others = course.work("bo"), course.notebook("ada").stat()
    said = course.assign()
    assert course.notebook("bo").read_bytes() == worked
    assert f"Not overwritten, because it contains work: {course.notebook('bo')}." in said
    assert "ada" not in said
    assert course.notebook("ada").stat().st_mtime_ns == others.st_mtime_ns  # and it is not rewritten unnecessarily


def test_force_overwrites_it(course: Course) -> None:
    handed_out = course.text("bo")
    course.work("bo")
    assert "Not overwritten" not in course.assign("--force")
    assert course.text("bo") == handed_out


@pytest.mark.parametrize("harm", ["ran a cell", "no JSON", "no metadata", "added a cell"])
def test_any_change_to_a_notebook_is_work(course: Course, harm: str) -> None:
    made = json.loads(course.text("bo"))
    if harm == "ran a cell":
        made["cells"][-1]["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "1"}]
    elif harm == "added a cell":
        made["cells"].append({"cell_type": "markdown", "metadata": {}, "source": "hello", "id": "x"})
    elif harm == "no metadata":
        made["metadata"] = {}
    text = "{ half a" if harm == "no JSON" else json.dumps(made)
    course.notebook("bo").write_text(text)
    course.assign()
    assert course.text("bo") == text


def test_opening_and_saving_a_notebook_is_not_work(course: Course) -> None:
    nbformat.write(nbformat.read(course.notebook("bo"), 4), course.notebook("bo"))
    course.say(title="Week one")
    course.assign()
    assert "# Week one" in course.text("bo")


@pytest.mark.parametrize(
    ("change", "said", "shown"),
    [
        ({"due": "2030-01-02T00:00:00Z"}, "due: none → 2030-01-02T00:00:00+00:00", "2030"),
        ({"title": "Rings"}, "title: Week 1 → Rings", "# Rings"),
        ({"attempts": 5}, "attempts: 2 → 5", "5 times"),
        ({"intro": "Good luck."}, "intro: none → Good luck.", "Good luck."),
        (
            {"problems": [{"id": "bytes-per-gpu", "points": 9}, "ring-or-tree"]},
            "points of bytes-per-gpu: as in the bank → 9\n",
            "9 points",
        ),
    ],
)
def test_a_change_in_a_set_is_reported_and_written_to_the_lock_and_to_notebooks_without_work(
    course: Course, change: dict[str, Any], said: str, shown: str
) -> None:
    worked, before = course.work("bo"), Lock(course.lock).questions("ada")
    course.say(**change)
    told = course.assign()
    assert f"Changed: {said}" in told
    assert "It does not show the change" in told
    assert shown in course.text("ada")
    assert course.notebook("bo").read_bytes() == worked
    lock = Lock(course.lock)
    assert [question.prompt for question in lock.questions("ada")] == [question.prompt for question in before]
    if "problems" in change:
        assert [question.points for question in lock.questions("bo")] == [9, before[1].points]
        course.say()
        course.assign()
        assert Lock(course.lock).questions("bo")[0].points == before[0].points
    else:
        [name] = change
        assert str(lock.header[name])[:10] == str(change[name])[:10]


def test_another_problem_is_refused_with_a_message(course: Course) -> None:
    before = course.lock.read_bytes()
    course.say(problems=["bytes-per-gpu", "tree-steps"])
    assert "with other problems, and students may have those notebooks. Give the set a new name" in course.assign(
        code=2
    )
    assert course.lock.read_bytes() == before


def test_new_students_and_new_names_are_added_and_nobody_is_lost(course: Course) -> None:
    before = {student: course.text(student) for student in STUDENTS}
    course.roster.write_text("student,name\nada,Ada Lovelace\ndan,Dan\n")
    assert "4 notebooks in" in course.assign()
    assert list(Lock(course.lock).students()) == ["ada", "bo", "cleo", "dan"]
    assert course.text("ada") == before["ada"].replace("**Ada**", "**Ada Lovelace**").replace(
        json.loads(before["ada"])["metadata"]["shardwise"]["contents"],
        json.loads(course.text("ada"))["metadata"]["shardwise"]["contents"],
    )
    assert course.text("cleo") == before["cleo"]


# Interrupted --------------------------------------------------------------------------------------------------------


def everything(course: Course) -> dict[str, bytes]:
    files = [path for path in course.out.rglob("*") if path.is_file() and path.name != ".lock"]
    return {str(path.relative_to(course.out)): path.read_bytes() for path in files}


CUTS: dict[str, Callable[[bytes], bytes]] = {
    "in the header": lambda text: text[:40],
    "after the header": lambda text: text[: text.index(b"\n") + 1],
    "in the last student's line": lambda text: text[: text.rindex(b'{"students"') - 30],
    "at the end of the last student's line": lambda text: text[: text.rindex(b'{"students"') - 1],
    "in the last line": lambda text: text[:-9],
}


@pytest.mark.parametrize("cut", CUTS)
def test_a_truncated_lock_is_repaired_by_assigning_again(course: Course, cut: str) -> None:
    before = everything(course)
    course.lock.write_bytes(CUTS[cut](course.lock.read_bytes()))
    course.assign()
    assert everything(course) == before


def test_a_line_of_another_set_in_a_truncated_lock_is_refused_and_not_signed(course: Course) -> None:
    """With the same key, students and number of questions, the other set's line would be valid in this place."""
    other = course.lock.with_name("other.lock.jsonl")
    lines, key = course.lock.read_bytes().splitlines(keepends=True), course_key(course.lock.with_name(KEY_FILE))[0]
    with writing(other, key) as written:
        written.add({**json.loads(lines[0]), "set": "other"})
        for line in lines[1:-1]:
            written.add(json.loads(line))
    theirs = other.read_bytes().splitlines(keepends=True)
    other.unlink()
    course.lock.write_bytes(b"".join([lines[0], theirs[1]]))
    assert "line 2: this line was changed" in course.assign(code=2)


def test_a_changed_line_is_refused_and_not_repaired(course: Course) -> None:
    course.lock.write_bytes(course.lock.read_bytes().replace(b"Week 1", b"Week 2"))
    assert "line 1: this line was changed" in course.assign(code=2)


def test_an_assignment_that_was_killed_is_completed_by_the_next(course: Course, tmp_path: Path) -> None:
    before = everything(course)
    killed = Course(tmp_path / "again") if (tmp_path / "again").mkdir() is None else course
    killed.out.mkdir()
    (killed.out / "course.key").write_bytes(before["course.key"])
    for moment in (0.0, 0.05):
        running = subprocess.Popen([sys.executable, "-m", "shardwise", *killed.command()], stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while running.poll() is None and len(everything(killed)) < 2 and time.monotonic() < deadline:
            time.sleep(0.002)
        time.sleep(moment)
        os.kill(running.pid, signal.SIGKILL) if running.poll() is None else None
        running.wait()
    killed.assign()
    assert everything(killed) == before
    assert not [name for name in os.listdir(killed.out) if name.endswith(".new")]


def test_a_lost_lock_is_not_drawn_again_from_a_template_that_asks_something_else(
    whole_bank: Bank, tmp_path: Path
) -> None:
    definition = SetDefinition.model_validate(SET)
    path = assign(whole_bank, definition, [Student("ada", "Ada")], KEY, tmp_path).lock
    notebook = (tmp_path / "notebooks" / "ada" / "week-1.ipynb").read_bytes()
    path.unlink()
    problem = whole_bank.problems["01-ring-all-reduce/bytes-per-gpu"]
    changed = edited(problem, prompt="Edited: {{ gpus }} and {{ message_bytes }}")
    other = replace(whole_bank, problems={**whole_bank.problems, problem.id: changed})
    with pytest.raises(ShardwiseError, match="the questions drawn now are different"):
        assign(other, definition, [Student("ada", "Ada")], KEY, tmp_path)
    assert not path.exists()
    assert (tmp_path / "notebooks" / "ada" / "week-1.ipynb").read_bytes() == notebook
    assign(other, definition, [Student("ada", "Ada")], KEY, tmp_path, force=True)
    assert "Edited: " in (tmp_path / "notebooks" / "ada" / "week-1.ipynb").read_text("utf-8")
