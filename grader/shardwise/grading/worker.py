"""A worker: grades the notebooks it is given, in a sandbox of its own, with nothing but what each task carries.

It needs no file of the course, so that it can run in this process, in another one, or on another machine.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import shardwise
from shardwise import __version__
from shardwise.bank.bank import revive_line
from shardwise.course.submissions import Submission
from shardwise.errors import ShardwiseError
from shardwise.grading import sandboxes
from shardwise.grading.feedback_page import page
from shardwise.grading.results import Result, marked
from shardwise.grading.submission import grade_one

if TYPE_CHECKING:
    from shardwise.sandbox import Limits

_COMPUTES = ("numpy", "pint", "sympy")  # what our program computes grades with
_NOT_OURS = ("problems", "solutions")  # the bank lies in an installed package; what was drawn from it is in the task


@dataclass(frozen=True)
class Settings:
    """How a batch is graded: the same for every task of it."""

    unsafe: bool = False
    tier: str | None = None
    limits: Limits | None = None
    solutions: bool = False  # on the feedback pages


@dataclass(frozen=True)
class Task:
    """One notebook to be graded, complete: code, questions and keys."""

    submission: Submission
    questions: bytes  # a line as in a lock file
    late: bool = False

    @property
    def student(self) -> str:
        """Whose notebook it is."""
        return self.submission.student

    @property
    def set(self) -> str:
        """The set that it belongs to, or the chapter that it practises."""
        return self.submission.set or self.submission.practice or ""


class OtherEngine(ShardwiseError):
    """A worker that runs another program than the one that sent it work: its grades would not be ours."""


@cache
def engine() -> str:
    """Version and digest of everything that decides a grade but the questions: our program, and what it computes with."""
    python = ".".join(map(str, sys.version_info[:2]))
    libraries = " ".join(f"{name} {version(name)}" for name in _COMPUTES)
    return f"{__version__}+{digest_of(Path(shardwise.__file__).parent, f'{python} {libraries}')}"


def digest_of(package: Path, more: str) -> str:
    """Digest of every file of a package, whatever it is, and of `more`.

    A table or a grammar decides grades as code does. Left out are byte code, hidden files and the bank.
    """
    digest = hashlib.sha256(more.encode())
    for name in _files(package):
        with open(f"{package}/{name}", "rb") as file:
            contents = file.read()
        digest.update(f"{name}\0{len(contents)}\0".encode() + contents)
    return digest.hexdigest()[:12]


def _files(package: Path, folder: str = "") -> Iterator[str]:
    """The names of its files below it, in order. Every worker reads them when it begins, so this is quick: 6 ms."""
    with os.scandir(f"{package}/{folder}") as entries:
        found = sorted(entries, key=lambda entry: entry.name)
    for entry in found:
        name = folder + entry.name
        if entry.name.startswith((".", "__pycache__")) or entry.name.endswith(".pyc") or name in _NOT_OURS:
            continue
        if entry.is_dir():
            yield from _files(package, f"{name}/")
        else:
            yield name


def work(settings: Settings, tasks: Sequence[Task], sent_by: str) -> list[tuple[Result, str]]:
    """Grade some notebooks: a result each, and its feedback page.

    Raises SandboxUnavailable, and OtherEngine when `sent_by` is not this engine.
    """
    if sent_by != engine():
        raise OtherEngine(
            f"A worker runs shardwise {engine()}, and this batch was sent by {sent_by}. Install the same."
        )
    return [_result_of(task, settings) for task in tasks]


def _result_of(task: Task, settings: Settings) -> tuple[Result, str]:
    """Grade one notebook; whatever goes wrong becomes its result."""
    sandbox = sandboxes.mine(settings.limits, unsafe=settings.unsafe, tier=settings.tier)
    result = Result(task.student, task.set, late=task.late, tier=sandbox.tier)
    try:
        name, questions = revive_line(task.questions)
        feedback, notes = grade_one(task.submission, questions, sandbox)
        result = marked(replace(result, name=name or task.student, notes=tuple(notes)), questions, feedback)
        return result, page(result, questions, feedback, solutions=settings.solutions)
    except Exception as error:
        sandboxes.close()  # whatever it was, the next task gets a fresh sandbox
        return ungraded(task, our_fault(error)), ""


def ungraded(task: Task, reason: str) -> Result:
    """The result of a task that could not be graded."""
    return Result(task.student, task.set, status="ungraded", reason=reason)


def our_fault(error: Exception) -> str:
    """Why there is no grade when our side failed."""
    why = str(error) if isinstance(error, ShardwiseError) else f"{type(error).__name__}: {str(error)[:300]}"
    return f"Our fault: {why}"
