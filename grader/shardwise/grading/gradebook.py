"""Gradebook: each student's points in every set of a course, and the weighted total."""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from math import fsum
from pathlib import Path
from statistics import fmean
from typing import Any, Literal

from shardwise.atomic_files import replacing
from shardwise.errors import ShardwiseError
from shardwise.grading.results import Result, read_results
from shardwise.markdown.escaping import spreadsheet_cell

# How a set counts for a student. Only graded and zero sets count. An ungraded one never counts as 0; it leaves the total open.
ScoreStatus = Literal["graded", "zero", "open", "excused", "ungraded", "not assigned"]
_REMARKS = {
    "zero": "missing, counts as 0",
    "open": "nothing handed in yet",
    "excused": "excused",
    "ungraded": "could not be graded, so the total is incomplete",
    "not assigned": "not assigned",
}
_PRIORITY = ("graded", "excused", "ungraded", "missing")  # which of a student's results for a set counts


@dataclass(frozen=True)
class Score:
    """A student's points in a set."""

    status: ScoreStatus
    points: float | None = None
    max_points: float = 0
    is_dropped: bool = False  # as one of the lowest

    @property
    def share(self) -> float | None:
        """The points as a share of the maximum; None if they do not count, or if every question of the set was dropped."""
        return None if self.points is None or not self.max_points else self.points / self.max_points


@dataclass(frozen=True)
class StudentTotal:
    """A student's row of the gradebook."""

    student: str
    name: str
    section: str
    scores: Mapping[str, Score]  # by set
    total: float | None = None  # percent, which bonus points can raise above 100; None while anything is ungraded

    @property
    def remarks(self) -> list[str]:
        """Remarks on the sets that do not count as they were graded, or not yet."""
        found = []
        for name, score in self.scores.items():
            if score.status in _REMARKS:
                found.append(f"{name}: {_REMARKS[score.status]}")
            if score.is_dropped:
                found.append(f"{name}: dropped as one of the lowest")
        return found


@dataclass(frozen=True)
class Gradebook:
    """The sets of a course with their weights, and a row for each student, by section and name."""

    weights: Mapping[str, float]
    drop_lowest: int = 0
    students: Sequence[StudentTotal] = field(default=())

    def section_means(self) -> dict[str, tuple[int, float]]:
        """Return the number of complete totals in each section, and their mean."""
        totals: dict[str, list[float]] = {}
        for each in self.students:
            if each.total is not None:
                totals.setdefault(each.section, []).append(each.total)
        return {section: (len(found), fmean(found)) for section, found in totals.items()}

    def document(self) -> dict[str, Any]:
        """Return the gradebook as plain data."""
        return {
            "sets": [{"name": name, "weight": weight} for name, weight in self.weights.items()],
            "drop_lowest": self.drop_lowest,
            "students": [
                {
                    "student": each.student, "name": each.name, "section": each.section, "total": each.total,
                    "sets": {
                        name: {"points": score.points, "max_points": score.max_points, "status": score.status, "dropped": score.is_dropped}
                        for name, score in each.scores.items()
                    },
                }
                for each in self.students
            ],
        }  # fmt: skip


def results_by_set(folders: Iterable[Path], only: Collection[str] | None = None) -> dict[str, list[Result]]:
    """Read the results in several folders, by default of all sets. Raises ShardwiseError if two folders have the same set."""
    found: dict[str, list[Result]] = {}
    places: dict[str, Path] = {}
    for folder in folders:
        for result in read_results(folder):
            if not (result.set and result.student) or (only is not None and result.set not in only):
                continue  # a practice notebook, or a submission without an owner, which grades.csv reports
            if (other := places.setdefault(result.set, folder)) != folder:
                raise ShardwiseError(f"{other} and {folder} both have results of {result.set}. Name one of them.")
            found.setdefault(result.set, []).append(result)
    return found


def make_gradebook(
    results: Mapping[str, Sequence[Result]], weights: Mapping[str, float], drop_lowest: int, now: datetime
) -> Gradebook:
    """Return the gradebook of some sets. A set's weight is 1 by default; a set of weight 0 is not part of the total."""
    weights = {name: weights.get(name, 1.0) for name in results}
    by_student: dict[str, dict[str, Result]] = {}
    for name, several in results.items():
        for result in several:
            theirs = by_student.setdefault(result.student, {})
            theirs[name] = min(theirs.get(name, result), result, key=lambda each: _PRIORITY.index(each.status))
    rows = [_row(student, theirs, weights, drop_lowest, now) for student, theirs in by_student.items()]
    rows.sort(key=lambda row: (row.section.casefold(), row.name.casefold(), row.student))
    return Gradebook(weights, drop_lowest, rows)


def _row(
    student: str, results: Mapping[str, Result], weights: Mapping[str, float], drop_lowest: int, now: datetime
) -> StudentTotal:
    scores = {name: _score(results.get(name), now) for name in weights}
    counted = {name: share for name, score in scores.items() if weights[name] and (share := score.share) is not None}
    lowest = sorted(counted, key=lambda name: (counted[name], -weights[name]))  # of equal ones the heavier first
    for name in lowest[: min(drop_lowest, len(counted) - 1)]:
        scores[name] = replace(scores[name], is_dropped=True)
        del counted[name]
    is_open = any(weights[name] and score.status == "ungraded" for name, score in scores.items())
    total = None
    if counted and not is_open:
        earned = fsum(weights[name] * share for name, share in counted.items())
        total = round(100 * earned / fsum(weights[name] for name in counted), 2)
    latest = list(results.values())[::-1]
    name = next((result.name for result in latest if result.name), student)
    section = next((result.section for result in latest if result.section), "")
    return StudentTotal(student, name, section, scores, total)


def _score(result: Result | None, now: datetime) -> Score:
    if result is None:
        return Score("not assigned")
    if result.status == "missing":
        is_over = bool(result.due) and datetime.fromisoformat(result.due) < now
        return Score("zero", 0.0, result.max_points) if is_over else Score("open", None, result.max_points)
    if result.status == "graded" and result.points is not None:
        return Score("graded", result.points, result.max_points)
    return Score("excused" if result.status == "excused" else "ungraded", None, result.max_points)


def write_gradebook(gradebook: Gradebook, path: Path) -> None:
    """Write the gradebook as a table; only its owner can read it."""
    sets = [column for name in gradebook.weights for column in (name, f"{name} max")]
    with replacing(path, private=True) as fresh, fresh.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, quoting=csv.QUOTE_ALL)
        rows.writerow(map(spreadsheet_cell, ["student", "name", "section", *sets, "total", "remarks"]))
        for each in gradebook.students:
            points = [
                number
                for score in each.scores.values()
                for number in (points_text(score.points), points_text(score.max_points or None))
            ]
            cells = [each.student, each.name, each.section, *points, points_text(each.total), "; ".join(each.remarks)]
            rows.writerow(map(spreadsheet_cell, cells))


def points_text(points: float | None) -> str:
    """Return points, or a percentage, with at most two decimals; empty for None.

    >>> points_text(7.5), points_text(1234567), points_text(None)
    ('7.5', '1234567', '')
    """
    return "" if points is None else f"{points:.2f}".rstrip("0").rstrip(".")
