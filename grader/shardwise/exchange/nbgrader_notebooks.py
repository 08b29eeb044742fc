"""Notebooks of an nbgrader course: the source version, each student's release, and graded submissions."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nbformat import NotebookNode, from_dict
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from nbgrader.preprocessors import ComputeChecksums, LockCells

from shardwise.course.assigning.lockfile import Lock
from shardwise.course.collecting.students_notebook import student_notebook
from shardwise.markdown.escaping import printable
from shardwise.question import in_points

_PLACEHOLDER = "# Students answer in notebooks of their own."
_NOT_THIS_ONE = (
    "Every student has a notebook with numbers of their own. This is not one of them: it only tells nbgrader how many points "
    "each question has.\n\n**Students:** replace this file with the `{name}.ipynb` that you received, and answer there."
)


@dataclass(frozen=True)
class GradeCell:
    """The answer cell of the questions at one place of a set."""

    title: str  # empty if students have different questions there
    max_points: float


def grade_id(place: int) -> str:
    """Return the name of the answer cell at a place, counted from 0, as in assigned notebooks."""
    return f"q{place + 1}-answer"


def grade_cells(lock: Lock) -> list[GradeCell]:
    """Return the answer cells of a set. If students have different questions at a place, the largest number of points counts."""
    cells: list[GradeCell] = []
    for student in lock.students():
        for place, question in enumerate(lock.questions(student)):
            if place == len(cells):
                cells.append(GradeCell(question.title, question.points))
            title = question.title if cells[place].title == question.title else ""
            cells[place] = GradeCell(title, max(question.points, cells[place].max_points))
    return cells


def source_notebook(lock: Lock, cells: Sequence[GradeCell]) -> NotebookNode:
    """Return the source version of a set: its questions' titles, points and answer cells, without anybody's numbers."""
    head = f"# {lock.header['title']}\n\n{_NOT_THIS_ONE.format(name=lock.set_name)}"
    made = [new_markdown_cell(head, id="about", metadata={"nbgrader": _metadata("about", locked=True)})]
    for place, cell in enumerate(cells):
        identity, points = grade_id(place), in_points(cell.max_points)
        heading = f"### {place + 1}. {cell.title or 'Differs from student to student'}\n\n*{points}*"
        title = _metadata(f"q{place + 1}-title", locked=True)
        answer = _metadata(identity, grade=True, solution=True) | {"points": cell.max_points}
        made += [
            new_markdown_cell(heading, id=f"q{place + 1}-title", metadata={"nbgrader": title}),
            new_code_cell(_PLACEHOLDER, id=identity, metadata={"nbgrader": answer}),
        ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return _completed(new_notebook(cells=made, metadata={"kernelspec": kernel}))


def _metadata(identity: str, *, grade: bool = False, solution: bool = False, locked: bool = False) -> dict[str, Any]:
    """Return a cell's metadata in nbgrader's schema, version 3."""
    about = {"schema_version": 3, "grade": grade, "solution": solution, "locked": locked, "task": False}
    return {**about, "grade_id": identity}


def _completed(notebook: Mapping[str, Any]) -> NotebookNode:
    """Return a notebook whose cells are locked and have checksums, as after `nbgrader generate_assignment`."""
    made: NotebookNode = from_dict(notebook)
    for step in (LockCells(), ComputeChecksums()):
        made, _ = step.preprocess(made, {})
    return made


def released_notebook(lock: Lock, student: str) -> NotebookNode:
    """Return a student's notebook, as nbgrader releases it."""
    name, _ = lock.about(student)
    questions, section = lock.questions(student), lock.section_of(student)
    return _completed(json.loads(student_notebook(lock.header, student, name or student, questions, section)))


def graded_notebook(
    lock: Lock, student: str, contents: bytes | None, remarks: Sequence[str], max_points: Sequence[float]
) -> NotebookNode:
    """Return a submission for formgrader: the student's questions from the lock file, and the student's code and text.

    Outputs are omitted, and text that the student added appears as it was typed, because formgrader and feedback pages run
    scripts that a notebook contains. The introduction is omitted because it names the student, which formgrader hides.
    `contents` is None for a submission that could not be graded.
    """
    made = released_notebook(lock, student)
    ours = {cell.id: cell for cell in made.cells if _role(cell) in ("question", "answer")}
    for place, points in enumerate(max_points):
        if grade_id(place) in ours:
            ours[grade_id(place)].metadata.nbgrader["points"] = points
    head = new_markdown_cell("\n\n".join((f"# {lock.header['title']}", *remarks)), id="head")
    made.cells = [head, *_in_order(ours, json.loads(contents.decode("utf-8-sig")) if contents else {})]
    return made


def _in_order(ours: dict[str, NotebookNode], submitted: Mapping[str, Any]) -> Iterator[NotebookNode]:
    """Yield our cells with the student's answers, in the student's order, between the cells that the student added."""
    theirs = [cell for cell in submitted.get("cells", ()) if isinstance(cell, dict)]
    last = {_identity(cell): number for number, cell in enumerate(theirs)}
    left = dict(ours)
    for number, cell in enumerate(theirs):
        identity, source = _identity(cell), _source(cell)
        known = ours.get(identity)
        if known is not None and last[identity] == number:  # the last copy of an answer cell counts
            if _role(known) == "answer":
                known.source = source
            yield left.pop(identity)
        elif source.strip() and (known is not None or _is_added(cell)):
            yield _added(cell.get("cell_type") == "code", source, number)
    yield from left.values()


def _identity(cell: Mapping[str, Any]) -> str:
    """Return a cell's question and role; "" for a cell that the student added."""
    ours = _ours(cell)
    return f"{ours.get('question')}-{ours.get('role')}" if ours.get("question") else ""


def _is_added(cell: Mapping[str, Any]) -> bool:
    """Return whether a student wrote a cell, or typed into one of our check cells."""
    role = _ours(cell).get("role")
    return role is None or (role == "check" and not _CHECK.fullmatch(_source(cell)))


_CHECK = re.compile(r"from shardwise import check(?:_all)?\ncheck(?:_all)?\([^()\n]*\)\s*")


def _ours(cell: Mapping[str, Any]) -> Mapping[str, Any]:
    metadata = cell.get("metadata")
    ours = metadata.get("shardwise") if isinstance(metadata, dict) else None
    return ours if isinstance(ours, dict) else {}


def _role(cell: Mapping[str, Any]) -> str:
    return str(_ours(cell).get("role", ""))


def _source(cell: Mapping[str, Any]) -> str:
    source = cell.get("source", "")
    lines = source if isinstance(source, list) else [source]
    return printable("".join(line for line in lines if isinstance(line, str)).expandtabs(4))


def _added(is_code: bool, source: str, number: int) -> NotebookNode:
    """Return a cell that a student added; text as a block of code, in which nothing is markup."""
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", source)), default=0))
    text, identity = f"{fence}text\n{source}\n{fence}", f"added-{number}"
    cell: NotebookNode = new_code_cell(source, id=identity) if is_code else new_markdown_cell(text, id=identity)
    return cell
