"""Rosters: who takes part in a course, as a table that a spreadsheet or a learning platform writes."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass
from pathlib import Path

from shardwise.errors import Fault, Faulty
from shardwise.markdown.html import printable

_IDENTITIES = ("student", "id", "email")  # columns of a roster, in any case; the first that is there counts
SAFE_NAME = r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}"  # what a file name may be on every system


@dataclass(frozen=True)
class Student:
    """One line of a roster."""

    id: str
    name: str


def load_roster(path: Path) -> list[Student]:
    """A roster: CSV with a column `student`, `id` or `email`, and perhaps a `name`. Raises Faulty with all its faults."""
    try:
        text = path.read_text("utf-8-sig")
    except OSError as error:
        raise Faulty([Fault(str(path), f"cannot be read: {error.strerror}")]) from None
    except UnicodeDecodeError:
        raise Faulty([Fault(str(path), "is not UTF-8 text", "Save the table as CSV in UTF-8.")]) from None
    try:
        list(csv.reader(io.StringIO(text, newline="")))
    except csv.Error as error:  # a field that is far too long
        raise Faulty([Fault(str(path), f"is no table: {error}", "See that every quote in it is closed.")]) from None
    lines = io.StringIO(text, newline="")  # str.splitlines() would also split at what may stand in a name
    rows = csv.DictReader(lines, delimiter=_separator(text))
    head = {name.strip().lower(): name for name in rows.fieldnames or () if name}
    identity = next((head[name] for name in _IDENTITIES if name in head), None)
    if identity is None:
        seen = ", ".join(rows.fieldnames or ()) or "nothing"
        raise Faulty(
            [Fault(f"{path}:1:1", f"I saw {seen}", "A roster begins with the line: student,name  (or id, or email)")]
        )
    faults, students = [], {}
    for row in rows:
        place, student = f"{path}:{rows.line_num}:1", (row[identity] or "").strip()
        if not re.fullmatch(SAFE_NAME, student):
            faults.append(Fault(place, f"student {student!r} is no name for a file",
                                "Use letters, digits, . _ @ and -, at most 64, beginning with a letter or digit."))  # fmt: skip
        elif student.lower() in students:
            faults.append(Fault(place, f"student {student!r} comes twice"))
        name = " ".join(printable(row.get(head.get("name", "")) or "").split())
        students[student.lower()] = Student(student, name or student)
    if faults:
        raise Faulty(faults)
    if not students:
        raise Faulty([Fault(f"{path}:2:1", "there is no student below the first line", "Add a line for each.")])
    return list(students.values())


def _separator(text: str) -> str:
    """What stands between the columns: a comma, or what spreadsheets of some countries write."""
    first = text.partition("\n")[0]
    return next((mark for mark in (",", ";", "\t") if mark in first), ",")
