"""Answers on paper: a table that an instructor fills in, and notebooks made from it, which `grade` marks like any others.

The table has a line per student and a column per question: "q3", or "q3.fix" for a part of question 3. If the papers are not
for named students, the column "variant" says which one each student had.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shardwise.atomic_files import make_folder, write_file
from shardwise.course.assigning.lockfile import LOCK_SUFFIX, Lock, writing
from shardwise.course.assigning.simulated_class import fill
from shardwise.course.collecting.students_notebook import student_notebook
from shardwise.course.tables import Table, load_table
from shardwise.errors import Fault, Faulty
from shardwise.file_names import fault_of_name
from shardwise.kinds import kind_of, variable_of
from shardwise.markdown.escaping import printable, spreadsheet_cell
from shardwise.question import Question

TABLE = "answers.csv"
_QUESTION = re.compile(r"q\d+(?:\.\w+)?")
_ABOUT = ("student", "name", "variant")


def blank_table(lock: Lock, *, is_for_anybody: bool) -> bytes:
    """Return a table to type answers into, with a line per student, or only column names if the papers are for anybody."""
    columns = dict.fromkeys(column for student in lock.students() for column in _columns(lock.questions(student)))
    text = io.StringIO(newline="")
    rows = csv.writer(text)
    rows.writerow([*(_ABOUT if is_for_anybody else _ABOUT[:2]), *columns])
    for student in () if is_for_anybody else lock.students():
        rows.writerow([spreadsheet_cell(student), spreadsheet_cell(lock.about(student)[0]), *("" for _ in columns)])
    return text.getvalue().encode("utf-8-sig")  # spreadsheets need the mark to read UTF-8


def _columns(questions: Sequence[Question]) -> Iterator[str]:
    for number, question in enumerate(questions, start=1):
        yield from answer_columns(number, question)


def answer_columns(number: int, question: Question) -> Mapping[str, str]:
    """Return the columns of a question, each with the part of the answer that it contains; "" for the whole answer."""
    fields = kind_of(question).view(question.form)["fields"]
    if fields[0]["type"] == "parts":
        return {f"q{number}.{place}": part["name"] for place, part in enumerate(fields[0]["parts"], start=1)}
    if "name" in fields[0]:
        return {f"q{number}.{field['name']}": field["name"] for field in fields}
    return {f"q{number}": ""}


@dataclass(frozen=True)
class Transcript:
    """The files that `transcribe` wrote, and its counts."""

    lock: Path
    submitted: Path
    students: int  # with at least one answer
    blank: tuple[str, ...]  # without any


def transcribe(lock: Lock, path: Path, out: Path) -> Transcript:
    """Write a notebook with the answers of each student in a table, and a lock file with the students' questions.

    Raises Faulty with all faults of the table.
    """
    table = load_table(path, "Name the table that `shardwise export --to pdf` wrote, with the answers typed in.")
    lines = _checked(lock, table, path)
    header = {**lock.header, "due": None, "sections": {}}  # answers are typed in when the exam is over
    place = out / f"{lock.set_name}{LOCK_SUFFIX}"
    submitted, name = out / "submitted", f"{lock.set_name}.ipynb"
    make_folder(submitted, mode=0o700)
    for earlier in submitted.glob(f"*/{name}"):
        earlier.unlink()
    with writing(place, lock.key) as locked:
        locked.add(header)
        for line in lines:
            locked.add({**json.loads(lock.line(line.variant)), "name": line.name, "student": line.student})
    for line in lines:
        if line.answers:
            write_file(submitted / line.student / name, _notebook(lock, header, line).encode(), private=True)
    blank = tuple(line.student for line in lines if not line.answers)
    return Transcript(place, submitted, len(lines) - len(blank), blank)


def _notebook(lock: Lock, header: Mapping[str, Any], line: _Line) -> str:
    """Return a student's notebook with the answers of a line."""
    questions = lock.questions(line.variant)
    written = {question.cell: _source(number, question, line) for number, question in enumerate(questions, start=1)}
    notebook = json.loads(student_notebook(header, line.student, line.name, questions))
    return json.dumps(fill(notebook, questions, lambda question: written[question.cell]))


def _source(number: int, question: Question, line: _Line) -> str | None:
    """Return the source of an answer cell; None if there is no answer."""
    given: Any = {
        part: line.answers[column]
        for column, part in answer_columns(number, question).items()
        if column in line.answers
    }
    given = given.get("", given)
    if not given or kind_of(question).is_program:
        return given or None
    return f"{variable_of(question)} = {given!r}"


@dataclass(frozen=True)
class _Line:
    """A student's line of the table, with the answers that are not blank."""

    student: str
    name: str
    variant: str
    answers: Mapping[str, str]


def _checked(lock: Lock, table: Table, path: Path) -> list[_Line]:
    """Return the lines of a table, and a line without answers for each student who is not in it. Raises Faulty."""
    names = {name.lower(): name for name in table.columns if name}
    columns = {column: name for column, name in names.items() if column not in _ABOUT}
    faults = [
        Fault(
            f"{path}:1:1",
            f"the column {name!r} is not a question",
            "A question's column is its number, such as q3 or q3.fix.",
        )
        for column, name in columns.items()
        if not _QUESTION.fullmatch(column)
    ]
    if "student" not in names:
        raise Faulty([Fault(f"{path}:1:1", f"the first line is {table.seen}", "It needs a column: student"), *faults])
    is_for_anybody = "variant" in names
    lines: dict[str, _Line] = {}
    for number, row in table.rows:
        place = f"{path}:{number}:1"
        student, name, variant = (
            _without_apostrophe(printable(row.get(names.get(column, "")) or "")) for column in _ABOUT
        )
        answers = {
            column: text for column, cell in columns.items() if (text := _without_apostrophe(row.get(cell) or ""))
        }
        if not any((student, answers)):
            continue
        known = "" if is_for_anybody or student not in lock.places else lock.about(student)[0]
        line = _Line(student, name or known or student, variant if is_for_anybody else student, answers)
        found = list(_faults(line, lock, place, is_for_anybody=is_for_anybody))
        if student.lower() in lines:
            found.append(Fault(place, f"student {student!r} has two lines", "Keep one of them."))
        faults += found
        if not found:
            lines[student.lower()] = line
    if faults:
        raise Faulty(faults)
    absent = () if is_for_anybody else (student for student in lock.students() if student.lower() not in lines)
    return [*lines.values(), *(_Line(student, lock.about(student)[0], student, {}) for student in absent)]


def _faults(line: _Line, lock: Lock, place: str, *, is_for_anybody: bool) -> Iterator[Fault]:
    if fault := fault_of_name(line.student):
        yield Fault(place, f"student {line.student!r} {fault[0]}", fault[1])
    if line.variant not in lock.places:
        known = f"{', '.join(list(lock.students())[:10])}{' …' if len(lock.places) > 10 else ''}"
        what = f"unknown {'variant' if is_for_anybody else 'student'} {line.variant!r}"
        yield Fault(place, what, f"Write one of those in {lock.path.name}: {known}.")
        return
    asked = set(_columns(lock.questions(line.variant)))
    for column in line.answers:
        if column not in asked and _QUESTION.fullmatch(column):
            what = f"{line.student} has an answer to {column}, which is not on that paper"
            yield Fault(place, what, "Move it to the column of its question, or delete it.")


def _without_apostrophe(cell: str) -> str:
    """Return a cell without the apostrophe that keeps spreadsheets from reading it as a formula."""
    return re.sub(r"^'(?=[=+\-@])", "", cell.strip())
