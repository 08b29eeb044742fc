"""Rosters: the students of a course, as a table from a spreadsheet or a learning platform."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from shardwise.course.tables import load_table
from shardwise.errors import Fault, Faulty
from shardwise.file_names import fault_of_name
from shardwise.markdown.escaping import printable

_IDENTITIES = (
    "student",
    "id",
)  # columns of a roster, ignoring case; the email identifies a student only if there is neither
_ALIASES = ("email", "login", "username", "github", "github_username", "canvas_id", "sid", "alias", "aliases")


@dataclass(frozen=True)
class Student:
    """One line of a roster."""

    id: str
    name: str
    also: tuple[str, ...] = ()  # the student's aliases in course systems
    section: str = ""  # or group


def load_roster(path: Path) -> list[Student]:
    """Read a roster: CSV with a column `student`, `id` or `email`, and optionally a `name` and aliases in course systems.

    Raises Faulty with all its faults.
    """
    table = load_table(path)
    head = {name.strip().lower(): name for name in table.columns if name}
    named = [name.strip() for name in table.columns if name.strip().lower() in _IDENTITIES]
    named = named or [name.strip() for name in table.columns if name.strip().lower() == "email"]
    if not named:
        begins = "A roster must begin with the line: student,name  (or id, or email)"
        raise Faulty([Fault(f"{path}:1:1", f"the first line is {table.seen}", begins)])
    if len(named) > 1:
        which = f"the columns {' and '.join(named)} both identify students"
        raise Faulty([Fault(f"{path}:1:1", which, "Keep one of them and rename the others.")])
    identity = head[named[0].lower()]
    faults: list[Fault] = []
    students: dict[str, Student] = {}
    places: dict[str, str] = {}
    for line, row in table.rows:
        place, student = f"{path}:{line}:1", row[identity].strip()
        if not student:
            what = f"the column {named[0]} is empty in this line"
            faults.append(Fault(place, what, "Write the student there, or remove the line."))
        elif fault := fault_of_name(student):
            what, remedy = fault
            faults.append(Fault(place, f"student {student!r} {what}", remedy))
        elif student.lower() in students:
            remedy = "Keep one of the lines. Upper and lower case make no difference."
            faults.append(Fault(place, f"student {student!r} is listed twice", remedy))
        name, section = (" ".join(printable(row.get(head.get(of, ""), "")).split()) for of in ("name", "section"))
        students[student.lower()] = Student(student, name or student, _aliases(row, head, student), section)
        places[student.lower()] = place
    faults += _shared(students, places)
    if faults:
        raise Faulty(faults)
    if not students:
        raise Faulty(
            [Fault(f"{path}:2:1", "there are no students below the first line", "Add a line for each student.")]
        )
    return list(students.values())


def _shared(students: Mapping[str, Student], places: Mapping[str, str]) -> Iterator[Fault]:
    """Yield a fault for each alias that is another student's id or alias: a submission with that name would be ambiguous."""
    owners = {key: student.id for key, student in students.items()}
    for key, student in students.items():
        for alias in student.also:
            other = owners.setdefault(alias.lower(), student.id)
            if other != student.id:
                remedy = "Remove it from both lines, or give each student a different one."
                yield Fault(places[key], f"{student.id} and {other} are both called {alias!r}", remedy)


def _aliases(row: Mapping[str, str], head: Mapping[str, str], student: str) -> tuple[str, ...]:
    """Return the aliases of a student in a roster row; a cell may contain several, separated by semicolons."""
    cells = (row.get(head[column]) or "" for column in head if column.replace(" ", "_") in _ALIASES)
    found = (" ".join(printable(alias).split()) for cell in cells for alias in cell.split(";"))
    return tuple(dict.fromkeys(alias for alias in found if alias != student and re.fullmatch(r"[^\[\]]+", alias)))
