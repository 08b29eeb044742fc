"""Tables of grades that Canvas, Moodle and Blackboard export: reading, recognising and writing them in the same format.

The formats follow the importers. Canvas (lib/gradebook_importer.rb): the columns up to Section identify the student, the others
are assignments called TITLE (ID), and the row Points Possible has the maximum. Moodle: a worksheet of one assignment
(mod/assign/feedback/offline), or the table of the grader report. Blackboard: TITLE [Total Pts: 10 Score] |ID, tabs, UTF-16.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from shardwise.errors import ShardwiseError
from shardwise.text_files import read_bounded

_MOST = 50_000_000  # bytes; a row of a large course's gradebook has a few hundred
_WORKSHEET = {"Grade": "Last modified (grade)", "Bewertung": "Zuletzt geändert (Bewertung)"}  # two of its columns
_MAXIMUM = ("Maximum grade", "Maximum Grade", "Bestwertung")
_STATUS = "Status"  # in a worksheet, the columns before it identify the student
_ADDRESS = re.compile("E-?mail.*", re.IGNORECASE)
_FOR_BLACKBOARD = re.compile(r"(?P<title>.*?) ?\[Total Pts: (?P<points>\d[\d.,]*)[^\]]*\].*")
# Columns that Canvas computes and does not import.
_BY_CANVAS = re.compile(r"(?:Current|Final) (?:Score|Points|Grade)|Override (?:Score|Grade|Status)")


@dataclass(frozen=True)
class GradeTable:
    """A table that a platform exported, with its encoding and CSV dialect, which are kept when it is written."""

    rows: list[list[str]]
    encoding: str
    mark: bytes  # the byte order mark
    separator: str
    line_end: str
    is_quoted: bool  # every cell

    def encoded(self) -> bytes:
        """Return the contents of the table's file, in its original encoding and dialect."""
        out = io.StringIO()
        quoting: Literal[0, 1] = csv.QUOTE_ALL if self.is_quoted else csv.QUOTE_MINIMAL
        csv.writer(out, delimiter=self.separator, lineterminator=self.line_end, quoting=quoting).writerows(self.rows)
        return self.mark + out.getvalue().encode(self.encoding)


_MARKS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}


def read_grade_table(path: Path) -> GradeTable:
    """Read a table that a platform exported. Raises ShardwiseError if it cannot be read."""
    try:
        raw = read_bounded(path, _MOST)
    except OSError as error:
        raise ShardwiseError(f"{path} cannot be read: {error.strerror}.") from None
    mark = next((mark for mark in _MARKS if raw.startswith(mark)), b"")
    body = raw.removeprefix(mark)
    for encoding in [_MARKS[mark]] if mark else ["utf-8", "cp1252"]:
        try:
            text = body.decode(encoding)
        except UnicodeDecodeError:
            continue
        first = re.sub(r'"[^"]*"', "", text.partition("\n")[0])
        separator = max(",;\t", key=first.count)
        try:
            rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=separator))
        except csv.Error as error:
            raise ShardwiseError(f"{path} is not a table: {error}.") from None
        is_quoted = not re.sub(f"[{separator}\\s]", "", first)
        return GradeTable(rows, encoding, mark, separator, "\r\n" if "\r\n" in text else "\n", is_quoted)
    raise ShardwiseError(f"{path} cannot be read as text. Export the grades again, as CSV.")


@dataclass(frozen=True)
class GradeColumns:
    """The columns of an exported table by their purpose."""

    platform: str
    who: Sequence[int]  # columns that identify the student
    titles: Mapping[int, str]  # columns of points, with the titles of their assignments
    maximum: Mapping[int, float] = field(default_factory=dict)  # the largest number of points, if it is known
    is_worksheet: bool = False  # for one assignment only
    excused: str = ""  # the text that excuses a student; empty if the platform has none


def columns_of(table: GradeTable) -> GradeColumns:
    """Recognise a platform's table by its first line. Raises ShardwiseError if no platform matches."""
    head = [name.strip() for name in table.rows[0]] if table.rows else []
    for recognise in (_canvas, _worksheet, _blackboard, _grader_report):
        if columns := recognise(head, table.rows[1:]):
            return columns
    raise ShardwiseError(
        f"This is not a table of grades from Canvas, Moodle or Blackboard: its first line is {', '.join(head)[:200] or 'empty'}."
    )


def _canvas(head: Sequence[str], rows: Sequence[Sequence[str]]) -> GradeColumns | None:
    if not (head and head[0] in ("Student", "LastName") and "Section" in head):
        return None
    section = head.index("Section")
    named = {place: name for place, name in enumerate(head) if place > section and name and not _BY_CANVAS.search(name)}
    worth = next((row for row in rows if row and row[0].strip() == "Points Possible"), [])
    numbers = {place: points_in(worth[place]) for place in named if place < len(worth)}
    return GradeColumns(
        "Canvas",
        range(section),
        {place: re.sub(r" *\(\d+\)$", "", name) for place, name in named.items()},
        {place: number for place, number in numbers.items() if number is not None},
        excused="EX",
    )


def _worksheet(head: Sequence[str], rows: Sequence[Sequence[str]]) -> GradeColumns | None:
    grade = next((name for name, modified in _WORKSHEET.items() if name in head and modified in head), None)
    if grade is None:
        return None
    place = head.index(grade)
    top = next((head.index(name) for name in _MAXIMUM if name in head), len(head))
    most = next((points_in(row[top]) for row in rows if len(row) > top), None)
    who = range(head.index(_STATUS) if _STATUS in head else place)
    return GradeColumns("Moodle", who, {place: grade}, {place: most} if most else {}, is_worksheet=True)


def _blackboard(head: Sequence[str], rows: Sequence[Sequence[str]]) -> GradeColumns | None:
    if "Username" not in head or not ("Availability" in head or any("[Total Pts:" in name for name in head)):
        return None
    found = {place: match for place, name in enumerate(head) if (match := _FOR_BLACKBOARD.fullmatch(name))}
    return GradeColumns(
        "Blackboard",
        [place for place, name in enumerate(head) if "[" not in name and name not in ("Last Access", "Availability")],
        {place: match["title"] for place, match in found.items()},
        {place: points_in(match["points"]) or 0.0 for place, match in found.items()},
    )


def _grader_report(head: Sequence[str], rows: Sequence[Sequence[str]]) -> GradeColumns | None:
    """Recognise the table of Moodle's grader report: an e-mail address, followed by a column per activity."""
    address = max((place for place, name in enumerate(head) if _ADDRESS.fullmatch(name)), default=None)
    if address is None or "End-of-Line Indicator" in head:  # a column of Brightspace's
        return None
    titles = {place: re.sub(r"^[^:]*: | \([^()]*\)$", "", name) for place, name in enumerate(head) if place > address}
    return GradeColumns("Moodle", range(address + 1), titles)


def points_in(text: str) -> float | None:
    """Return a number with a decimal point or comma; None for anything else."""
    return float(text.strip().replace(",", ".")) if re.fullmatch(r"\s*\d+(?:[.,]\d+)?\s*", text) else None
