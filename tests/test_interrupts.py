"""Ctrl-C and SIGTERM at drawn moments in every command that writes: one sentence, exit code 130, and nothing half written."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from checkout import ROOT
from shardwise.bank.scaffold import init_bank
from shardwise.student.progress.events import Event, Variant
from shardwise.student.progress.file import ProgressFile

TIMES = 20
SET = "name: week-1\ntitle: Week 1\nproblems: [bytes-per-gpu, ring-time, ring-or-tree]\n"
ROSTER = "student\n" + "".join(f"s{number:02d}\n" for number in range(12))
FULL = "example/bytes"  # of the progress file


def prepared(folder: Path) -> None:
    """All that the commands begin with."""
    folder.mkdir()
    (folder / "set.yaml").write_text(SET)
    (folder / "roster.csv").write_text(ROSTER)
    init_bank(folder / "bank")
    kept, at = ProgressFile(folder / "progress.sqlite"), datetime(2026, 12, 1, 12, tzinfo=UTC)
    for seed in range(40):
        kept.add(Event(at=at, variant=Variant("shipped", FULL, str(seed)), digest="d", what="answer", place="terminal"))


COMMANDS: Mapping[str, tuple[list[str], str]] = {  # the words, and what is typed
    "assign": (["assign", "set.yaml", "--roster", "roster.csv", "--out", "out", "--bank", str(ROOT)], ""),
    "render": (["render", "--out", "out", "--bank", "bank"], ""),
    "init": (["init", "bank", "out"], ""),
    "new": (["new", "02-more/fresh-one", "--bank", "bank"], ""),
    "lint": (["lint", "--bank", "bank", "--seeds", "5"], ""),
    "export": (["progress", "--export", "out.json"], ""),
    "forget": (["progress", "--forget", "--problem", FULL, "--yes"], ""),
    "practice": (["practice", "--chapter", "01-first-chapter", "--bank", "bank"], "3\n" * 200 + "quit\n"),
    "formulas": (["formulas", "--write", "out.html", "--bank", str(ROOT)], ""),
}


def begun(folder: Path, name: str) -> subprocess.Popen[str]:
    """A command as a terminal starts it: a group of its own, which listens to Ctrl-C."""
    words, typed = COMMANDS[name]
    environment = {**os.environ, "SHARDWISE_PROGRESS": str(folder / "progress.sqlite"), "XDG_STATE_HOME": str(folder)}
    (folder / "typed").write_text(typed)
    with (folder / "typed").open() as stdin:
        return subprocess.Popen(
            [sys.executable, "-m", "shardwise", *words], cwd=folder, env=environment, stdin=stdin,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True,
        )  # fmt: skip


def complaints(done: subprocess.Popen[str]) -> list[str]:
    """What a command said beside its output, without the line that says which bank it reads."""
    return [line for line in done.communicate()[1].splitlines() if not line.startswith("Bank: ")]


def listens(pid: int) -> bool:
    """Whether a process has its handlers, or is at its end."""
    try:
        status = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    except OSError:
        return True
    return status["State"].strip().startswith("Z") or bool(int(status["SigCgt"], 16) >> (signal.SIGALRM - 1) & 1)


def left(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, but for those of SQLite and a course key, which differ each time."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "progress.sqlite" not in path.name and "__pycache__" not in path.parts
    }


def events(folder: Path) -> int:
    with closing(sqlite3.connect(folder / "progress.sqlite")) as kept:
        assert kept.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    return len(ProgressFile(folder / "progress.sqlite").events())


def is_whole(name: str, before: Mapping[str, bytes], after: Mapping[str, bytes], whole: Mapping[str, bytes]) -> bool:
    """Whether each file is as it was, or as an undisturbed run makes it; of files that belong together all or none."""
    fresh = {path: data for path, data in after.items() if before.get(path) != data}
    if name == "assign":  # every course key is another, and so are its draws
        return all(path in whole and data.endswith(b"\n") for path, data in fresh.items() if not path.endswith(".lock"))
    wanted = {path: data for path, data in whole.items() if before.get(path) != data}
    return (
        fresh == wanted or not fresh if name in ("init", "new") else all(wanted.get(p) == d for p, d in fresh.items())
    )


@pytest.mark.slow
@pytest.mark.parametrize("which", [signal.SIGINT, signal.SIGTERM], ids=lambda which: which.name)
@pytest.mark.parametrize("name", COMMANDS)
def test_an_interrupt_at_any_moment_leaves_nothing_half(name: str, which: signal.Signals, tmp_path: Path) -> None:
    dice = random.Random(f"{name} {which.name}")
    codes, took, whole = [], 0.0, dict[str, bytes]()
    prepared(tmp_path / "begin")
    before, kept = left(tmp_path / "begin"), events(tmp_path / "begin")
    for attempt in range(TIMES + 1):
        folder = tmp_path / f"{attempt}"
        shutil.copytree(tmp_path / "begin", folder)
        ran = begun(folder, name)
        until(lambda: listens(ran.pid))  # noqa: B023
        began = time.monotonic()
        if attempt:
            time.sleep(dice.uniform(0, took))
            if ran.poll() is None:
                os.killpg(ran.pid, which) if which == signal.SIGINT else ran.send_signal(which)
        said = complaints(ran)
        took = took or time.monotonic() - began
        after = left(folder)
        del after["typed"]
        if not attempt:
            assert ran.returncode == 0, said
            whole = after
            continue
        codes.append(ran.returncode)
        assert ran.returncode in (0, 130), said
        assert len(said) == (ran.returncode == 130) and all(line.startswith("Stopped.") for line in said), said
        assert not [path for path in after if path.endswith(".new")]
        assert is_whole(name, before, after, whole), sorted(after)
        assert events(folder) in ((0, kept) if name == "forget" else range(kept, kept + 300))
    assert codes.count(130) >= TIMES / 4, codes
    if name in ("assign", "render"):  # which are completed by the same command
        assert complaints(again := begun(folder, name)) == [] and again.returncode == 0
        assert left(folder).keys() == {*whole, "typed"}


def until(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.001)
