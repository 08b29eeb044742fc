"""Rosters: the students of a course, as a table from a spreadsheet or a learning platform."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from shardwise.course.assigning.roster_columns import RosterColumns, alias_of
from shardwise.course.tables import load_table
from shardwise.errors import Fault, Faulty
from shardwise.file_names import fault_of_name

_REMEDY = (
    "Use the CSV file that Canvas, Moodle, Blackboard, Brightspace, Gradescope or GitHub Classroom exports, or a table that begins "
    "with the line: student,name"
)
# Roles of people who are not students. People with an unknown role are kept: an extra notebook does no harm.
_STAFF = re.compile(
    r"\b(h?ta|instructor|reader|teacher|trainer|dozent|manager|assistant|observer|staff|tutor)\b(?!.*\bstudent\b)",
    re.IGNORECASE,
)
_MOST_NAMED = 10  # skipped rows in a message

Row = tuple[int, Mapping[str, str]]  # the number of its last line, and its cells by column


@dataclass(frozen=True)
class Student:
    """One line of a roster."""

    id: str
    name: str
    also: tuple[str, ...] = ()  # the student's aliases in course systems
    section: str = ""  # or group


def load_roster(path: Path, say: Callable[[str], object] = lambda _: None) -> list[Student]:
    """Read a roster as course systems export it, or a table with a column `student` or `id`.

    Without such a column, the ids are in the first of these that has a valid and different one for everybody: login, number,
    email, GitHub username. The others are aliases. Unless the ids are in a column `student`, `say` gets a sentence about the
    columns that are used and the rows that are skipped. Raises Faulty with all its faults.
    """
    table = load_table(path)
    columns = RosterColumns(table)
    if not columns.identities:
        raise Faulty(
            [
                Fault(
                    f"{path}:1:1",
                    f"the first line is {table.seen}, and no column with students' ids was found",
                    _REMEDY,
                )
            ]
        )
    skipped = {line: why for line, row in table.rows if (why := _why_skipped(columns, row))}
    rows = [(line, row) for line, row in table.rows if line not in skipped]
    if not rows:
        raise Faulty([Fault(f"{path}:2:1", "no students found below the first line", "Add a line for each student.")])
    identity, faults, unused = _identity(columns, rows, path)
    students = [
        Student(
            alias_of(row[identity]),
            columns.name(row) or alias_of(row[identity]),
            columns.also(row, identity),
            columns.section(row),
        )
        for _, row in rows
    ]
    faults += _shared(students, [f"{path}:{line}:1" for line, _ in rows])
    if faults:
        raise Faulty(faults)
    if skipped or unused or not columns.is_written_for_us(identity):
        count = f"{len(students)} student{'s' * (len(students) > 1)}"
        say(f"{path}: {count}. {_understood(columns, identity, unused, skipped)}")
    return students


def _why_skipped(columns: RosterColumns, row: Mapping[str, str]) -> str:
    """Return why a row is skipped, such as maximum points, a test student or a member of the staff; "" for a student's row."""
    name, role = columns.name(row), columns.role(row)
    if _STAFF.search(role):
        return f"{name or 'somebody'}, {role}"
    if name == "Points Possible" or (columns.is_canvas and name == "Test Student"):
        return name
    if any(alias.casefold().endswith("_previewuser") for alias in columns.also(row)):  # Blackboard's test student
        return name or "a preview user"
    return "" if name or columns.also(row) else "no name and no id"


def _identity(columns: RosterColumns, rows: Sequence[Row], path: Path) -> tuple[str, list[Fault], list[str]]:
    """Return the column with the students' ids, its faults, and why preferred columns are not used.

    A column `student` or `id` is used even with faults, so that a slip in it does not change everybody's id. Raises Faulty if
    two columns of the same sort, such as two addresses, have ids.
    """
    tried: list[tuple[str, list[Fault]]] = []
    for group in columns.identities:
        if len(group) > 1:
            which = f"the columns {' and '.join(group)} both identify students"
            raise Faulty([Fault(f"{path}:1:1", which, "Keep one of them and rename the others.")])
        column = group[0]
        faults = list(_faults(column, rows, path))
        if not faults or columns.is_written_for_us(column):
            return column, faults, [f"{other} (line {_line(its[0])}: {its[0].message})" for other, its in tried]
        tried.append((column, faults))
    column, faults = min(tried, key=lambda each: len(each[1]))
    return column, faults, []


def _line(fault: Fault) -> str:
    return fault.place.split(":")[-2]


def _faults(column: str, rows: Iterable[Row], path: Path) -> Iterator[Fault]:
    """Yield the faults of a column's ids."""
    seen: set[str] = set()
    for line, row in rows:
        place, student = f"{path}:{line}:1", alias_of(row[column])
        if not student:
            what = f"the column {column} is empty"
            yield Fault(place, what, "Write the student's id there, or remove the line.")
        elif fault := fault_of_name(student):
            what, remedy = fault
            yield Fault(place, f"student {student!r} {what}", f"{remedy} Or add a column `student` with other ids.")
        elif student.lower() in seen:
            remedy = "Keep one of the lines. Upper and lower case make no difference."
            yield Fault(place, f"student {student!r} is listed twice", remedy)
        seen.add(student.lower())


def _shared(students: Sequence[Student], places: Sequence[str]) -> Iterator[Fault]:
    """Yield a fault for each alias that is another student's id or alias: a submission with that name would be ambiguous."""
    owners = {student.id.lower(): student.id for student in students}
    for student, place in zip(students, places, strict=True):
        for alias in student.also:
            other = owners.setdefault(alias.lower(), student.id)
            if other.lower() != student.id.lower():
                remedy = "Remove it from both lines, or give each student a different one."
                yield Fault(place, f"{student.id} and {other} are both called {alias!r}", remedy)


def _understood(columns: RosterColumns, identity: str, unused: Sequence[str], skipped: Mapping[int, str]) -> str:
    """Return which columns are used for what, and which rows are not students."""
    named = [f"{why} (line {line})" for line, why in skipped.items()][:_MOST_NAMED]
    more = f" and {len(skipped) - _MOST_NAMED} more" if len(skipped) > _MOST_NAMED else ""
    aliases = [column for column in columns.aliases if column != identity]
    said = [
        f"Their ids are in the column {identity}",
        f", not in {', '.join(unused)}" if unused else "",
        f"; aliases: {', '.join(aliases)}" if aliases else "",
        f"; section: {columns.sections[0]}" if columns.sections else "",
        f". Skipped: {', '.join(named)}{more}" if skipped else "",
    ]
    return f"{''.join(said)}."
