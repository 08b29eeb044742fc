"""A worker: grades the notebooks it is given, in a sandbox of its own, with nothing but what each task carries.

It needs no file of the course, so that it can run in this process, in another one, or on another machine.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import shardwise
from shardwise import __version__
from shardwise.bank.discovery import open_banks, shipped
from shardwise.bank.posing import pose
from shardwise.course.lockfile import read_line
from shardwise.course.submissions import Submission
from shardwise.errors import ShardwiseError
from shardwise.grading import sandboxes
from shardwise.grading.feedback_page import page
from shardwise.grading.results import Graded, Marked, Row
from shardwise.grading.submission import grade_one
from shardwise.question import Question

if TYPE_CHECKING:
    from shardwise.sandbox import Limits


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

    graded: Graded  # what is known of the result beforehand: who, which set, whether late
    submission: Submission
    questions: bytes  # a line of a lock file; for a practice notebook the digest of the bank they are drawn from
    practice: bool = False


@dataclass(frozen=True)
class Done:
    """What became of a task."""

    row: Row
    page: str = ""  # HTML


class OtherEngine(ShardwiseError):
    """A worker that runs another program than the one that sent it work: its grades would not be ours."""


@cache
def engine() -> str:
    """Version and digest of everything that decides a grade but the questions: our program, and what it computes with."""
    libraries = " ".join(f"{name} {version(name)}" for name in ("numpy", "sympy"))
    python = ".".join(map(str, sys.version_info[:2]))
    return f"{__version__}+{_digest([Path(shardwise.__file__).parent], f'{python} {libraries}')}"


@cache
def bank_digest() -> str:
    """Digest of the installed bank and its references, from which practice questions are drawn."""
    return _digest([shipped() / "problems", shipped() / "solutions"], "")


def _digest(roots: Sequence[Path], more: str) -> str:
    digest = hashlib.sha256(more.encode())
    for root in roots:
        for file in sorted([*root.rglob("*.py"), *root.rglob("*.yaml")]):
            name = file.relative_to(root).as_posix()
            if not name.startswith(("problems/", "solutions/")):  # which lie in the package once it is installed
                digest.update(f"{root.name}/{name}\0".encode() + file.read_bytes())
    return digest.hexdigest()[:12]


def work(settings: Settings, tasks: Sequence[Task], sent_by: str) -> list[Done]:
    """Grade some notebooks. Raises SandboxUnavailable, and OtherEngine when `sent_by` is not this engine."""
    if sent_by != engine():
        raise OtherEngine(
            f"A worker runs shardwise {engine()}, and this batch was sent by {sent_by}. Install the same."
        )
    return [_done(task, settings) for task in tasks]


def _done(task: Task, settings: Settings) -> Done:
    """Grade one notebook; whatever goes wrong becomes its result."""
    sandbox = sandboxes.mine(settings.limits, unsafe=settings.unsafe, tier=settings.tier)
    graded = replace(task.graded, tier=sandbox.tier)
    try:
        name, questions = _questions(task)
        feedback, notes = grade_one(task.submission, questions, sandbox)
        answers = tuple(Marked.of(*one) for one in zip(questions, feedback, strict=True))
        graded = replace(graded, name=name, answers=answers, notes=tuple(notes))
        return Done(Row.of(graded), page(graded, questions, solutions=settings.solutions))
    except Exception as error:
        sandboxes.close()  # whatever it was, the next task gets a fresh sandbox
        why = str(error) if isinstance(error, ShardwiseError) else f"{type(error).__name__}: {str(error)[:300]}"
        return Done(Row.of(replace(graded, status="ungraded", reason=f"Our fault: {why}")))


def _questions(task: Task) -> tuple[str, Sequence[Question]]:
    """The student's name and questions, from the lock or, for practice, drawn anew; never from the student's file."""
    if not task.practice:
        return read_line(task.questions)
    if task.questions.decode() != bank_digest():
        raise OtherEngine(
            "A worker has another bank than the machine that sent it a practice notebook. Install the same."
        )
    problems = open_banks().of_chapter(task.graded.set)
    return task.graded.student, [pose(problem, task.submission.seed) for problem in problems]
