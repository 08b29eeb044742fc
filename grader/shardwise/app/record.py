"""The student's record as the app shows it: ticks, what comes next, today's five, and the days in a row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from shardwise.app.steps import Walk
from shardwise.student.progress.chapters import ProblemRow, Progress

Data = dict[str, Any]
Place = tuple[str, str]  # a chapter and one of its steps


@dataclass(frozen=True)
class Marks:
    """What the app keeps beside the answers: the sections that were read, and settings."""

    read: Mapping[Place, str]  # when, as text that sorts
    settings: Mapping[str, Any]


def record_as_data(walks: Sequence[Walk], found: Progress, marks: Marks) -> Data:
    """Return the record of a student in plain data. `found` is their progress in all chapters of the walks."""
    rows = {row.problem.id: row for chapter in found.chapters for row in chapter.rows}
    return {
        "problems": {name: _state(row, found) for name, row in rows.items() if row.record.is_begun},
        "read": [f"{chapter}/{step}" for chapter, step in marks.read],
        "next": next_step(walks, rows, marks.read),
        "today": today(found),
        "streak": {"days": found.streak, "today": found.done_today > 0},
        "settings": {"goal": True, **marks.settings},
    }


def state_of(row: ProblemRow) -> Data:
    """Return whether a problem is solved and mastered, and how many variants were answered right without a hint."""
    record = row.record
    return {"solved": record.is_solved, "mastered": record.is_mastered, "right": len(record.unaided)}


def _state(row: ProblemRow, found: Progress) -> Data:
    due = row.record.due
    day = due.astimezone().date() if due else None
    return {**state_of(row), "due": day.isoformat() if day else None, "isDue": bool(day and day <= found.day)}


def today(found: Progress) -> Data:
    """Return today's five with what is done of them, and how many due problems wait for later days."""
    return {
        "problems": [
            {"problem": row.problem.id, "seed": row.record.next_seed(), "title": row.problem.title, "done": False}
            for row in found.daily()
        ],
        "waiting": 0,
    }


def next_step(walks: Sequence[Walk], rows: Mapping[str, ProblemRow], read: Mapping[Place, str]) -> Data | None:
    """Return the one step that *Continue* opens, or None when every section is read and every problem solved.

    It is the first open step of the chapter that was worked in last, else of the first chapter after it with an open step.
    """
    last = _last_worked_in(walks, rows, read)
    order = [*walks[last:], *walks[:last]]
    for walk in order:
        if (step := open_step(walk, rows, {step for chapter, step in read if chapter == walk.name})) is not None:
            is_new = not any(_times(walk, rows, read) for walk in walks)
            title = walk.bank.chapters[walk.name].title
            why = "Start here" if is_new else "Where you left off" if walk is order[0] else "The next chapter"
            return {"chapter": walk.name, "step": step, "title": _title(walk, step), "about": title, "why": why}
    return None


def open_step(walk: Walk, rows: Mapping[str, ProblemRow], read: Set[str]) -> str | None:
    """Return the first step of a chapter that is a section not read, or a problem not solved.

    A section counts as read when a problem after it was started, since students also read in notebooks.
    """
    begun = [
        place for place, step in enumerate(walk.steps) if step.problem and rows[step.problem.id].record.is_begun
    ]
    reached = max(begun, default=-1)
    for place, step in enumerate(walk.steps):
        if step.problem is not None:
            if not rows[step.problem.id].record.is_solved:
                return step.id
        elif step.id not in read and place > reached:
            return step.id
    return None


def _title(walk: Walk, step: str) -> str:
    return next(known.title for known in walk.steps if known.id == step)


def _last_worked_in(walks: Sequence[Walk], rows: Mapping[str, ProblemRow], read: Mapping[Place, str]) -> int:
    latest = [max(_times(walk, rows, read), default="") for walk in walks]
    return max(range(len(walks)), key=lambda place: (latest[place], -place), default=0)


def _times(walk: Walk, rows: Mapping[str, ProblemRow], read: Mapping[Place, str]) -> list[str]:
    """Return when something was done in a chapter, as text that sorts: all in UTC."""
    ids = [step.problem.id for step in walk.steps if step.problem]
    reviews = [at.isoformat() for name in ids for at, _ in rows[name].record.reviews]
    return [*reviews, *(at for (chapter, _), at in read.items() if chapter == walk.name)]
