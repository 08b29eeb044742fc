"""Grades for learning platforms: points are filled into the table that Canvas, Moodle or Blackboard exports and imports."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from shardwise.atomic_files import write_file
from shardwise.course.assigning.roster import Student
from shardwise.course.collecting.names import folded
from shardwise.errors import ShardwiseError
from shardwise.exchange.grade_tables import GradeColumns, GradeTable, columns_of, points_in
from shardwise.grading.gradebook import Gradebook, Score, StudentTotal, points_text
from shardwise.markdown.escaping import printable

_NO_STUDENT = re.compile(r"Student, Test|.*_previewuser", re.IGNORECASE)  # preview accounts of Canvas and Blackboard


class Directory:
    """The students of a course, found by id, alias or name."""

    def __init__(self, students: Iterable[Student]) -> None:
        self._ids: dict[str, set[str]] = {}
        self._names: dict[frozenset[str], set[str]] = {}
        for student in students:
            for called in (student.id, *student.also):
                self._ids.setdefault(folded(called), set()).add(student.id)
            self._names.setdefault(_words(student.name), set()).add(student.id)

    def meant_by(self, cells: Sequence[str]) -> str | None:
        """Return the student whom some cells name, by id or alias, or else by name; None if they match nobody or several."""
        ids = [self._ids.get(folded(cell).removeprefix("#"), ()) for cell in cells]
        found = {student for students in ids for student in students}
        if not found:
            names = [*cells, " ".join(cells[:2])]
            found = {student for name in names for student in self._names.get(_words(name), ()) if _words(name)}
        return found.pop() if len(found) == 1 else None


def _words(name: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", folded(name)))


@dataclass(frozen=True)
class Filled:
    """What was filled into a table, and what a person should know about it."""

    columns: GradeColumns
    cells: int  # points that were written
    headers: Mapping[str, str]  # the column of each set
    added: Sequence[str]  # sets for which a column was added
    strangers: Sequence[str]  # people in the table who are not in the gradebook
    absent: Sequence[str]  # students in the gradebook who are not in the table
    notes: Sequence[str] = ()


def fill_grades(
    table: GradeTable,
    book: Gradebook,
    students: Iterable[Student],
    *,
    titles: Mapping[str, str] | None = None,
    chosen: Mapping[str, str] | None = None,
    scale: bool = False,
) -> Filled:
    """Fill the points of a gradebook into a table, and change nothing else in it.

    A set's column is the one that `chosen` names, or whose header is the set's name or title; otherwise, a column is added.
    Cells of students without a grade are left unchanged. With `scale`, points are converted to the maximum of the column.
    Raises ShardwiseError if several columns match a set.
    """
    columns = columns_of(table)
    places: dict[str, int] = {}
    added: list[str] = []
    for name in book.weights:
        title = (titles or {}).get(name, "")
        place = _place_of(name, title, (chosen or {}).get(name), table, columns, book)
        if place is None:
            added.append(name)
            place = _add_column(table, title or name, _usual_maximum(book, name), columns)
        places[name] = place
    known = {row.student: row for row in book.students}
    directory = Directory([*students, *(Student(row.student, row.name) for row in book.students)])
    rows = dict(_rows_of_students(table, columns, directory))
    doubled = {student for student, count in Counter(rows.values()).items() if student and count > 1}
    notes: list[str] = []
    cells = 0
    for number, student in rows.items():
        if student in known and student not in doubled:
            cells += _fill_row(table.rows[number], known[student], places, columns, notes, scale=scale)
    notes += [f"{student} is in several rows, which were left unchanged." for student in sorted(doubled)]
    notes += _other_maximum(book, places, columns, scale=scale)
    strangers = [_called(table.rows[number], columns) for number, student in rows.items() if student not in known]
    absent = [student for student in known if student not in rows.values()]
    headers = {name: table.rows[0][place] for name, place in places.items()}
    return Filled(columns, cells, headers, added, strangers, absent, notes)


def _place_of(
    name: str, title: str, chosen: str | None, table: GradeTable, columns: GradeColumns, book: Gradebook
) -> int | None:
    """Return the column of a set; None if no column matches."""
    headers = table.rows[0]
    if chosen:
        found = [place for place, text in columns.titles.items() if chosen in (headers[place].strip(), text)]
        if len(found) != 1:
            known = ", ".join(repr(headers[place]) for place in columns.titles) or "none"
            raise ShardwiseError(f"Cannot find the column {chosen!r}. Columns of points in the table: {known}.")
        return found[0]
    if columns.is_worksheet:
        if len(book.weights) > 1:
            raise ShardwiseError(
                "This worksheet is for one assignment. Name its set:  shardwise gradebook SET --into FILE"
            )
        return next(iter(columns.titles))
    wanted = {_plain(name), _plain(title)} - {""}
    found = [place for place, text in columns.titles.items() if _plain(text) in wanted]
    if len(found) > 1:
        several = ", ".join(headers[place] for place in found)
        raise ShardwiseError(f"Several columns match {name}: {several}. Choose one:  --column '{name}=HEADER'")
    return found[0] if found else None


def _plain(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.casefold())


def _usual_maximum(book: Gradebook, name: str) -> float:
    """Return the maximum points of a set; if students have different maxima, the most frequent one."""
    found = Counter(row.scores[name].max_points for row in book.students if row.scores[name].max_points)
    return found.most_common(1)[0][0] if found else 0.0


def _add_column(table: GradeTable, title: str, maximum: float, columns: GradeColumns) -> int:
    """Add a column for a set; Canvas reads its maximum from the row Points Possible."""
    place = max(map(len, table.rows))
    for number, row in enumerate(table.rows):
        is_worth = columns.platform == "Canvas" and bool(row) and row[0].strip() == "Points Possible"
        if row:
            row += [""] * (place - len(row)) + [title if number == 0 else points_text(maximum) if is_worth else ""]
    return place


def _rows_of_students(
    table: GradeTable, columns: GradeColumns, directory: Directory
) -> Iterator[tuple[int, str | None]]:
    """Yield the number of each row with a person, and the student; None if the person is not in the course."""
    for number, row in enumerate(table.rows[1:], start=1):
        cells = [row[place].strip() for place in columns.who if place < len(row)]
        is_person = any(cells) and cells[0] != "Points Possible" and not any(map(_NO_STUDENT.fullmatch, cells))
        if is_person:
            yield number, directory.meant_by(cells)


def _called(row: Sequence[str], columns: GradeColumns) -> str:
    """Return the name or ids of the person in a row, from its first three columns."""
    return printable(" ".join(filter(None, (row[place].strip() for place in columns.who[:3] if place < len(row)))))


def _fill_row(
    row: list[str],
    whose: StudentTotal,
    places: Mapping[str, int],
    columns: GradeColumns,
    notes: list[str],
    *,
    scale: bool,
) -> int:
    """Write a student's points into a row, add notes about what needs attention, and return how many cells were written."""
    count = 0
    for name, place in places.items():
        score = whose.scores[name]
        if (text := _cell_of(score, columns, place, scale=scale)) is None:
            if score.status == "excused":
                notes.append(f"{whose.student} is excused from {name}: excuse them in {columns.platform} too.")
            continue
        row += [""] * (place + 1 - len(row))
        row[place] = text
        count += 1
        if columns.is_worksheet and (points_in(text) or 0) > columns.maximum.get(place, float("inf")):
            notes.append(f"{whose.student} has {text} points for {name}, and Moodle ignores points above its maximum.")
    return count


def _cell_of(score: Score, columns: GradeColumns, place: int, *, scale: bool) -> str | None:
    """Return the text of a cell; None to leave it unchanged."""
    if score.status == "excused" and columns.excused:
        return columns.excused
    if score.points is None:
        return None
    there = columns.maximum.get(place)
    return points_text(score.points * (there / score.max_points if scale and there and score.max_points else 1.0))


def _other_maximum(book: Gradebook, places: Mapping[str, int], columns: GradeColumns, *, scale: bool) -> Iterator[str]:
    """Yield a note for each set whose maximum differs from its column's."""
    for name, place in places.items():
        there, here = columns.maximum.get(place), _usual_maximum(book, name)
        if scale and not there and place in columns.titles:
            yield f"The points of {name} are not converted, because the table does not give its column's maximum."
        if there and here and there != here and not scale:
            yield f"{name} has {here:g} points, and its column {there:g}. The points are not converted; --scale converts them."


def write_filled(table: GradeTable, source: Path) -> Path:
    """Write a filled table next to its source, readable only by its owner, and return its path."""
    path = source.with_name(f"{source.stem}-filled{source.suffix}")
    write_file(path, table.encoded(), private=True)
    return path


def without_rows(filled: Filled, most: int = 10) -> Collection[str]:
    """Return a line with the people who are only in the table, and a line with those only in the gradebook."""
    lines = []
    for people, what in (
        (filled.strangers, "in the table, but not in the gradebook"),
        (filled.absent, "in the gradebook, but not in the table"),
    ):
        if people:
            more = f" and {len(people) - most} more" if len(people) > most else ""
            lines.append(f"{len(people)} {what}: {'; '.join(people[:most])}{more}.")
    return lines
