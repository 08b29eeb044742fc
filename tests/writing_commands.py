"""Commands that write, each in a folder of its own: what the tests of interrupts and of full disks run."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from checkout import ROOT
from classroom import Classroom
from shardwise.bank.bank import Bank
from shardwise.bank.scaffold import init_bank
from shardwise.course.assigning.keys import KEY_FILE
from shardwise.course.assigning.simulated_class import right
from shardwise.question import Question
from shardwise.student.progress.events import Event, Variant
from shardwise.student.progress.file import ProgressFile

SET = "name: week-1\ntitle: Week 1\nproblems: [bytes-per-gpu, ring-time, ring-or-tree]\n"
ROSTER = "student\n" + "".join(f"s{number:02d}\n" for number in range(12))
FULL = "example/bytes"  # of the progress file


STUDENTS = ("ada", "bo", "cleo", "dan")
GRADED = ("first-quantity", "first-choice", "first-order")
GRADING = ["--key", "course/course.key", "--lock", "course/week-1.lock.jsonl", "--workers", "2"]


@cache
def kept() -> Path:
    """A folder with somebody's progress. It is written once for all tests: each of its entries waits for the disk."""
    folder = Path(mkdtemp(prefix="kept-", dir=os.environ["XDG_CACHE_HOME"]))  # which ends with the run
    file, at = ProgressFile(folder / "progress.sqlite"), datetime(2026, 12, 1, 12, tzinfo=UTC)
    for seed in range(40):
        file.add(Event(at=at, variant=Variant("shipped", FULL, str(seed)), digest="d", what="answer", place="terminal"))
    return folder


def prepared(folder: Path, name: str) -> None:
    """All that a command begins with."""
    (folder / "out").mkdir(parents=True)
    (folder / "set.yaml").write_text(SET)
    (folder / "roster.csv").write_text(ROSTER)
    init_bank(folder / "bank")
    shutil.copytree(kept(), folder / "kept")
    if name in ("grade", "regrade"):
        _hand_in(folder)
    if name == "regrade":
        assert complaints(begun(folder, "grade")) == []
        template = folder / "bank" / "problems" / "01-first-chapter" / "first-quantity.yaml"
        template.write_text(template.read_text("utf-8").replace("rel_tol: 0.005", "rel_tol: 0.02"), "utf-8")


def _hand_in(folder: Path) -> None:
    """A class that handed in."""
    course = Classroom(folder / "course", Bank.open(folder / "bank"), STUDENTS, GRADED)
    assert (folder / "course" / KEY_FILE).is_file()
    for student in STUDENTS:
        os.utime(course.hand_in(student, _one_per_cent_off), (1.75e9, 1.75e9))  # which is in the results


def _one_per_cent_off(question: Question) -> str | None:
    """Right, but for a quantity, which another tolerance would let pass."""
    source = right(question)
    if question.slug != "first-quantity" or source is None:
        return source
    name, _, value = source.partition(" = ")
    number, unit = value.strip("'").split()
    return f"{name} = '{float(number) * 1.01:.6g} {unit}'"


COMMANDS: Mapping[str, tuple[list[str], str]] = {  # the words, and what is typed
    "assign": (["assign", "set.yaml", "--roster", "roster.csv", "--out", "out", "--bank", str(ROOT)], ""),
    "render": (["render", "--out", "out", "--bank", "bank"], ""),
    "init": (["init", "bank", "out/bank"], ""),
    "new": (["new", "02-more/fresh-one", "--bank", "bank"], ""),
    "lint": (["lint", "--bank", "bank", "--seeds", "5"], ""),
    "export": (["progress", "--export", "out/kept.json"], ""),
    "forget": (["progress", "--forget", "--problem", FULL, "--yes"], ""),
    "practice": (
        ["practice", "--chapter", "01-first-chapter", "--bank", "bank"],
        ("3 s\n" * 20 + "skip\n") * 12 + "quit\n",
    ),
    "grade": (["grade", "course/submitted", "--out", "out", "--junit", "out/junit.xml", *GRADING], ""),
    "regrade": (["regrade", "course/submitted", "--out", "out", "--bank", "bank", "--yes", *GRADING], ""),
    "formulas": (["formulas", "--write", "out/page.html", "--bank", str(ROOT)], ""),
}


def begun(folder: Path, name: str, *, inside: Sequence[str] = (), **more: Any) -> subprocess.Popen[str]:
    """A command as a terminal starts it, in a group of its own; `inside` of another program where that is named."""
    words, typed = COMMANDS[name]
    environment = {
        **os.environ,
        "SHARDWISE_PROGRESS": str(folder / "kept" / "progress.sqlite"),
        "XDG_STATE_HOME": str(folder),
    }
    (folder / "typed").write_text(typed)
    with (folder / "typed").open() as stdin:
        return subprocess.Popen(
            [*inside, sys.executable, "-m", "shardwise", *words], cwd=folder, env=environment,
            stdin=more.pop("stdin", stdin), stdout=more.pop("stdout", subprocess.DEVNULL), stderr=subprocess.PIPE, text=True, start_new_session=True, **more,
        )  # fmt: skip


def complaints(done: subprocess.Popen[str]) -> list[str]:
    """What a command said next to its output, without the line that says which bank it reads."""
    return [line for line in done.communicate()[1].splitlines() if not line.startswith("Bank: ")]


def left(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, but for those of SQLite, which differ each time, and the stage of a regrading."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".sqlite" not in path.name and not {"__pycache__", ".regrade"} & {*path.parts}
    }


def events(folder: Path) -> int:
    with closing(sqlite3.connect(folder / "kept" / "progress.sqlite")) as kept:
        assert kept.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    return len(ProgressFile(folder / "kept" / "progress.sqlite").events())


def is_whole(name: str, before: Mapping[str, bytes], after: Mapping[str, bytes], whole: Mapping[str, bytes]) -> bool:
    """Whether each file is as it was, or as an undisturbed run makes it; of files that belong together all or none."""
    fresh = {path: data for path, data in after.items() if before.get(path) != data}
    if name == "assign":  # every course key is another, and so are its draws
        return all(path in whole and data.endswith(b"\n") for path, data in fresh.items() if not path.endswith(".lock"))
    wanted = {path: data for path, data in whole.items() if before.get(path) != data}
    return (
        fresh == wanted or not fresh if name in ("init", "new") else all(wanted.get(p) == d for p, d in fresh.items())
    )
