"""nbgrader's gradebook: sets as assignments, students, and the scores and comments of results."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from nbformat import NotebookNode
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.preprocessors import SaveCells
from sqlalchemy.exc import SQLAlchemyError

from shardwise.course.assigning.lockfile import Lock
from shardwise.errors import ShardwiseError
from shardwise.exchange.nbgrader_notebooks import grade_id
from shardwise.grading.results import Answer, Result
from shardwise.markdown.feedback import as_markdown
from shardwise.question import Outcome


@contextmanager
def opened_gradebook(url: str) -> Iterator[Any]:
    """Open nbgrader's gradebook. Raises ShardwiseError if the database cannot be used."""
    path = os.environ.get("PATH", "")
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{path}"  # nbgrader calls `alembic` by its name
    try:
        with Gradebook(url) as gradebook:
            os.environ["PATH"] = path
            yield gradebook
    except SQLAlchemyError as error:
        raise ShardwiseError(
            f"nbgrader's gradebook {url} cannot be used: {str(getattr(error, 'orig', None) or error)[:200]}. If an older nbgrader "
            "wrote it, run `nbgrader db upgrade` in the course. If another program is writing to it, try again."
        ) from None
    finally:
        os.environ["PATH"] = path


def has_assignment(gradebook: Any, name: str) -> bool:
    """Return whether the gradebook has this assignment, with a notebook of the same name."""
    try:
        gradebook.find_notebook(name, name)
    except MissingEntry:
        return False
    return True


def save_assignment(gradebook: Any, url: str, lock: Lock, source: NotebookNode) -> None:
    """Create or update the assignment of a set, with its due date and cells.

    Raises ShardwiseError if the gradebook has another assignment with this name.
    """
    name = lock.set_name
    due = _utc(lock.due)
    assignment = gradebook.update_or_create_assignment(name, duedate=due)
    if others := [notebook.name for notebook in assignment.notebooks if notebook.name != name]:
        raise ShardwiseError(
            f"nbgrader's gradebook already has an assignment {name!r} with the notebook {others[0]!r}. Give the set another name."
        )
    try:
        SaveCells().preprocess(source, {"nbgrader": {"notebook": name, "assignment": name, "db_url": url}})
    except RuntimeError as error:  # submissions exist, and the cells are others
        raise ShardwiseError(f"nbgrader refuses this set: {error}. Give the set another name.") from None


def save_students(gradebook: Any, lock: Lock) -> None:
    """Add the students of a set. Names and addresses that the gradebook already has are kept."""
    for student in lock.students():
        name, also = lock.called(student)
        last, comma, first = name.partition(", ")
        if not comma:
            first, _, last = name.rpartition(" ")
        # nbgrader's CSV quotes nothing, so names must not contain commas.
        first, last = (" ".join(part.replace(",", " ").split()) for part in (first, last))
        email = next((each for each in (student, *also) if "@" in each), None)
        known = {"first_name": first or None, "last_name": last if name != student else None, "email": email}
        try:
            entry = gradebook.find_student(student)
        except MissingEntry:
            gradebook.add_student(student, **known)
        else:
            missing = {field: text for field, text in known.items() if text and not getattr(entry, field)}
            gradebook.update_or_create_student(student, **missing)


def save_max_points(gradebook: Any, name: str, max_points: Sequence[float]) -> None:
    """Set the maximum of each question, which the instructor's decisions may change after `assign`."""
    by_cell = {grade_id(place): points for place, points in enumerate(max_points)}
    for cell in gradebook.find_notebook(name, name).grade_cells:
        cell.max_score = by_cell.get(cell.name, cell.max_score)
    gradebook.db.commit()


def save_result(gradebook: Any, result: Result, cells: Mapping[str, int], at: datetime | None) -> tuple[bool, bool]:
    """Write a student's scores, comments and own due date, and keep what a person set in formgrader.

    `cells` has the place of each question, by its id. A question without points is marked as needing a manual grade. Returns
    whether formgrader asks for a manual grade, and whether a person has set a score or comment.
    """
    name = result.set
    with gradebook.db.no_autoflush:
        submission = gradebook.update_or_create_submission(name, result.student, timestamp=_utc(at))
    own, due = _utc(datetime.fromisoformat(result.due) if result.due else None), submission.assignment.duedate
    submission.extension = own - due if own and due and own != due else None
    [notebook] = [each for each in submission.notebooks if each.name == name]
    grades = {grade.name: grade for grade in notebook.grades}
    comments = {comment.name: comment for comment in notebook.comments}
    given = {
        grade_id(cells[answer.feedback.question]): answer for answer in result.answers if result.status == "graded"
    }
    total = sum(answer.points or 0 for answer in given.values())
    extra = 0.0 if result.points is None else round(result.points - total, 4)
    last = max(given or grades, key=lambda cell: int(cell[1:].partition("-")[0]))
    for cell, grade in grades.items():
        answer, comment = given.get(cell), comments[cell]
        added = extra if cell == last and extra > 0 else 0.0
        points = answer.points if answer else None if result.points is None else 0.0
        score = None if points is None else round(points + added, 4)
        words = _comment(answer, added)
        if (grade.auto_score, comment.auto_comment) != (score, words):
            unread = answer is not None and bool(
                answer.feedback.outcome == Outcome.UNREADABLE or answer.feedback.unread
            )
            grade.needs_manual_grade = score is None or unread or grade.manual_score is not None
            grade.auto_score, comment.auto_comment = score, words
    notebook.late_submission_penalty = -extra if extra < 0 else None
    gradebook.db.commit()
    by_hand = any(grade.manual_score is not None or grade.extra_credit for grade in grades.values())
    return (
        any(grade.needs_manual_grade for grade in grades.values()),
        by_hand or any(comment.manual_comment for comment in comments.values()),
    )


def _comment(answer: Answer | None, added: float) -> str | None:
    """Return the feedback on an answer as a comment, with points that were added to the whole notebook."""
    words = [as_markdown(answer.feedback, final=True)] if answer else []
    words += [f"Includes {added:g} points that your instructor added to the notebook."] if added else []
    return "\n\n".join(words) or None


def _utc(at: datetime | None) -> datetime | None:
    """Return a time as nbgrader stores it: in UTC, without a time zone."""
    return at.astimezone(UTC).replace(tzinfo=None) if at else None


def has_submission(gradebook: Any, name: str, student: str) -> bool:
    """Return whether the gradebook has a student's submission."""
    try:
        gradebook.find_submission(name, student)
    except MissingEntry:
        return False
    return True
