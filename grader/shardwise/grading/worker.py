"""A worker: grades notebooks in its own sandbox, using only the data in each task.

It needs no files of the course, so it can run in this process, in another process or on another machine.
"""

from __future__ import annotations

import hashlib
import sys
import time
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from importlib.metadata import version

from shardwise import __version__
from shardwise.bank.digests import digest_of, package_digest
from shardwise.course.assigning.lockfile import read_line
from shardwise.course.collecting.submissions import Submission
from shardwise.errors import ShardwiseError, said_by
from shardwise.grading.feedback_page import HandIn, page
from shardwise.grading.overrides.rulings import NO_RULINGS, StudentRulings
from shardwise.grading.results import Result, marked
from shardwise.grading.running import sandboxes
from shardwise.grading.submission import grade_one
from shardwise.plugins import folders_of_kinds, kinds_and_packages
from shardwise.sandbox import Limits

_COMPUTES = ("numpy", "sympy")  # libraries that can affect a grade


@dataclass(frozen=True)
class Settings:
    """The settings of a batch, the same for all of its tasks."""

    unsafe: bool = False
    tier: str | None = None
    limits: Limits | None = None
    solutions: bool = False  # whether to show them on the feedback pages


@dataclass(frozen=True)
class Task:
    """A notebook to grade, with code, questions and keys."""

    submission: Submission
    questions: bytes  # a line of a lock file
    late: bool = False
    days_late: int = 0  # days that have begun since the due date
    rulings: StudentRulings = NO_RULINGS
    title: str = ""  # the set's title
    due: datetime | None = None

    @property
    def student(self) -> str:
        """The student who owns the notebook."""
        return self.submission.student

    @property
    def set(self) -> str:
        """The notebook's set, or the chapter of a practice notebook."""
        return self.submission.set or self.submission.practice or ""


class OtherEngine(ShardwiseError):
    """A worker runs another version than the sender of its task, so its grades could differ."""


@cache
def engine() -> str:
    """Return the version and digest of everything except the questions that decides a grade: our code and its libraries."""
    python = ".".join(map(str, sys.version_info[:2]))
    libraries = " ".join([*(f"{name} {version(name)}" for name in _COMPUTES), *kinds_and_packages()])
    digest = hashlib.sha256(f"{package_digest()} {digest_of(*folders_of_kinds())} {python} {libraries}".encode())
    return f"{__version__}+{digest.hexdigest()[:12]}"


def work(settings: Settings, task: Task, sent_by: str) -> tuple[Result, str]:
    """Grade a notebook, and return its result and feedback page.

    Raises SandboxUnavailable, and OtherEngine if `sent_by` is not this engine.
    """
    if sent_by != engine():
        raise OtherEngine(
            f"A worker runs shardwise {engine()}, but this batch comes from {sent_by}. Install the same version."
        )
    return _result_of(task, settings)


def _result_of(task: Task, settings: Settings) -> tuple[Result, str]:
    """Grade one notebook; any error becomes its result."""
    sandbox = sandboxes.mine(settings.limits, unsafe=settings.unsafe, tier=settings.tier)
    result, began = Result(task.student, task.set, late=task.late, tier=sandbox.tier), time.monotonic()
    try:
        name, questions = read_line(task.questions)
        feedback, notes = grade_one(task.submission, questions, sandbox, task.rulings)
        feedback = [task.rulings.on(question).applied(said) for question, said in zip(questions, feedback, strict=True)]
        result = marked(
            replace(result, name=name or task.student, notes=tuple(notes)), questions, feedback, task.rulings.decided
        )
        result = _totalled(result, task)
        if failed_at := [slug for slug, points in result.scores.items() if points is None]:
            result = replace(result, reason=f"The grader failed on {', '.join(failed_at)}: see the page.")
        handed_in = HandIn(task.title, task.due, _sources(task.submission))
        result = replace(result, seconds=time.monotonic() - began)
        return result, page(result, questions, feedback, handed_in=handed_in, solutions=settings.solutions)
    except Exception as error:
        sandboxes.close()  # after any error, the next task gets a new sandbox
        return replace(ungraded(task, our_fault(error)), seconds=time.monotonic() - began), ""


def _totalled(result: Result, task: Task) -> Result:
    """Return a result with what lateness costs, or with the points that the instructor gave the notebook."""
    notes, points = [*task.rulings.notes, *result.notes], result.points
    if task.rulings.points is not None:
        points = task.rulings.points
        notes.insert(0, task.rulings.given(result.max_points))
    elif points is not None:
        deducted, note = task.rulings.deduction(task.days_late, result.max_points, points)
        points = max(0.0, round(points - deducted, 4))
        notes = [note, *notes] if note else notes
    return replace(result, points=points, notes=tuple(notes))


def _sources(submission: Submission) -> dict[str, str]:
    """Return the student's source in the answer cells of each question."""
    sources: dict[str, str] = {}
    for cell in submission.cells:
        if cell.question:
            before = f"{sources[cell.question]}\n\n" if cell.question in sources else ""
            sources[cell.question] = before + cell.source
    return sources


def ungraded(task: Task, reason: str) -> Result:
    """Return the result of a task that could not be graded."""
    return Result(task.student, task.set, status="ungraded", reason=reason)


def our_fault(error: Exception) -> str:
    """Return why there is no grade, for an error in the grader."""
    why = str(error) if isinstance(error, ShardwiseError) else said_by(error)[:300]
    return f"Error in the grader, not in the notebook: {why}"
