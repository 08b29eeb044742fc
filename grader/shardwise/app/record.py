"""The student's record as the app shows it: ticks, what comes next, today's five, and the days in a row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from shardwise.app.steps import Walk
from shardwise.student.progress.chapters import ChapterProgress, ProblemRow, Progress

Data = dict[str, Any]


@dataclass(frozen=True)
class Marks:
    """What the app keeps besides the answers: the sections that were read, and settings."""

    read: Mapping[str, str]  # by section, as chapter/step: when, as text that sorts
    settings: Mapping[str, Any]
    place: str = ""  # the chapter that was open last, other than for today's five


def record_as_data(walks: Sequence[Walk], found: Progress, marks: Marks, days: int) -> Data:
    """Return the record of a student in plain data: `found` is their progress in all chapters, `days` the days in a row."""
    day = found.chapters[0].today
    rows = {row.problem.id: row for chapter in found.chapters for row in chapter.rows}
    return {
        "problems": {name: _state(row, day) for name, row in rows.items() if row.record.is_begun},
        "read": [f"{walk.name}/{step}" for walk in walks for step in sections_read(walk, rows, marks.read)],
        "next": next_step(walks, rows, marks),
        "today": _today(found),
        "streak": {"days": days, "today": any(row.is_done_today for row in rows.values())},
        "settings": {"goal": True, **marks.settings},
    }


def _state(row: ProblemRow, day: date) -> Data:
    """Return whether a problem is solved, mastered and due, and how many variants were answered right without a hint."""
    record = row.record
    return {
        "solved": record.is_solved,
        "mastered": record.is_mastered,
        "right": len(record.unaided),
        "isDue": record.is_due(day),
    }


def _today(found: Progress) -> Data:
    """Return today's five, each with its seed and whether it is done and right, and how many due problems wait."""
    five = [
        {
            "problem": row.problem.id,
            "seed": row.morning.seed,
            "title": row.problem.title,
            "done": row.is_done_today,
            "right": bool(row.record.right - row.morning.right),
        }
        for row in found.five
    ]
    return {"problems": five, "waiting": found.waiting}


def next_step(walks: Sequence[Walk], rows: Mapping[str, ProblemRow], marks: Marks) -> Data | None:
    """Return the one step that *Continue* opens, or None when every section is read and every problem solved.

    It is the first open step of the chapter that was open last, else of the first chapter after it with an open step.
    """
    last = _last(walks, rows, marks)
    for walk in (*walks[last:], *walks[:last]):
        if (step := open_step(walk, rows, marks.read)) is not None:
            is_new = not any(_times(walk, rows, marks.read) for walk in walks)
            title = walk.bank.chapters[walk.name].title
            why = "Start here" if is_new else "Where you left off" if walk is walks[last] else "The next chapter"
            return {"chapter": walk.name, "step": step, "title": _title(walk, step), "about": title, "why": why}
    return None


def open_step(walk: Walk, rows: Mapping[str, ProblemRow], read: Mapping[str, str]) -> str | None:
    """Return the first step of a chapter that is a section not read, or a problem not solved."""
    done = set(sections_read(walk, rows, read))
    for step in walk.steps:
        is_done = rows[step.problem.id].record.is_solved if step.problem else step.id in done
        if not is_done:
            return step.id
    return None


def sections_read(walk: Walk, rows: Mapping[str, ProblemRow], read: Mapping[str, str]) -> list[str]:
    """Return the sections of a chapter that count as read: those read in the app, and those whose problems are all solved.

    Students also read in notebooks, hence the second rule. A section without problems counts if the next one does.
    """
    found: list[str] = []
    is_later_read, solved = False, list[bool]()
    for step in reversed(walk.steps):
        if step.problem is not None:
            solved.append(rows[step.problem.id].record.is_solved)
        else:
            is_read = f"{walk.name}/{step.id}" in read or (all(solved) if solved else is_later_read)
            found += [step.id] * is_read
            is_later_read, solved = is_read, []
    return found[::-1]


def towards_mastery(chapter: ChapterProgress, after: str) -> Data | None:
    """Return the problem of a chapter to practise next, with new numbers, until all are mastered; then None.

    It is the one with the fewest variants answered right, and another than the one `after` which it comes, if there is one.
    """
    left = [row for row in chapter.rows if not row.record.is_mastered]
    order = sorted(left, key=lambda row: (row.problem.id == after, len(row.record.unaided)))
    if not order:
        return None
    row = order[0]
    return {"problem": row.problem.id, "seed": row.seed, "title": row.problem.title, "left": len(left)}


def _title(walk: Walk, step: str) -> str:
    found = next(known for known in walk.steps if known.id == step)
    is_beginning = found.section is not None and not found.section.heading
    return walk.bank.chapters[walk.name].title if is_beginning else found.title


def _last(walks: Sequence[Walk], rows: Mapping[str, ProblemRow], marks: Marks) -> int:
    """Return the place of the chapter that was open last, or where something was done last."""
    for place, walk in enumerate(walks):
        if walk.name == marks.place:
            return place
    latest = [max(_times(walk, rows, marks.read), default="") for walk in walks]
    return max(range(len(walks)), key=lambda place: (latest[place], -place), default=0)


def _times(walk: Walk, rows: Mapping[str, ProblemRow], read: Mapping[str, str]) -> list[str]:
    """Return when something was done in a chapter, as text that sorts: all in UTC."""
    ids = [step.problem.id for step in walk.steps if step.problem]
    reviews = [at.isoformat() for name in ids for at, _ in rows[name].record.reviews]
    return [*reviews, *(at for name, at in read.items() if name.partition("/")[0] == walk.name)]
