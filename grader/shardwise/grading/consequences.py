"""Consequences: what grading again would change for students who were graded before, and nobody asked for.

Who was in time would be late where a folder was copied, or where a run takes times from elsewhere; and a set may give other points
than it did. `grade` asks before it writes such a thing, as `regrade` does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from shardwise.course.found import find
from shardwise.course.identity import means_a_student
from shardwise.course.lockfile import read_line
from shardwise.course.receipts import Receipt
from shardwise.grading.intake import Decisions, Intake, Locks, Prepared
from shardwise.grading.ledger import LEDGER, Ledger
from shardwise.grading.ledger_tables import Grading
from shardwise.grading.worker import Settings


@dataclass(frozen=True)
class Lateness:
    """A student who was in time and would be late."""

    student: str
    set: str
    before: Receipt
    now: Receipt


@dataclass(frozen=True)
class OtherPoints:
    """A question of a set that would be worth other points, and for how many students."""

    set: str
    question: str
    before: float
    now: float
    students: int


@dataclass(frozen=True)
class Consequences:
    """All of them."""

    late: Sequence[Lateness] = ()
    points: Sequence[OtherPoints] = ()

    def __bool__(self) -> bool:
        return bool(self.late or self.points)


def consequences(paths: Sequence[Path], out: Path, near: Locks, decisions: Decisions) -> Consequences:
    """Return what a run over these notebooks would change in a folder of results. Writes nothing."""
    if not (out / LEDGER).is_file():
        return Consequences()
    late: list[Lateness] = []
    points: Counter[tuple[str, str, float, float]] = Counter()
    with Ledger(out / LEDGER) as ledger:
        if not ledger.has_counted():
            return Consequences()
        for (name_of_set, student), handed_in in _by_student(paths, near, decisions).items():
            counts = ledger.counts(name_of_set, student)
            if counts is None:
                continue
            chosen = _chosen(handed_in, ledger, near, latest=decisions.latest)
            if chosen is None:
                continue
            if chosen.task.late and not counts.result.late:
                before = ledger.received(name_of_set, student)
                late.append(Lateness(student, name_of_set, before, chosen.received))
            points.update((name_of_set, *change) for change in _other_points(counts, chosen))
    others = [OtherPoints(*change, students=count) for change, count in sorted(points.items())]
    return Consequences(sorted(late, key=lambda one: (one.set, one.student)), others)


def _by_student(paths: Sequence[Path], near: Locks, decisions: Decisions) -> dict[tuple[str, str], list[Prepared]]:
    """The notebooks of each student of a set that can be graded."""
    intake = Intake(paths, near, Settings(), None, decisions)
    found: dict[tuple[str, str], list[Prepared]] = {}
    for notebook in find(paths, lambda folder: any(means_a_student(folder, lock) for lock in near.known.values())):
        try:
            prepared = intake.prepare(notebook)
        except Exception:  # the run says why, of this one alone
            continue
        found.setdefault((prepared.task.set, prepared.task.student), []).append(prepared)
    return found


def _chosen(handed_in: Sequence[Prepared], ledger: Ledger, near: Locks, *, latest: bool) -> Prepared | None:
    """The notebook of a student that the run would let count, as far as that is a new one; None where an earlier one goes on counting."""
    by_time = sorted(handed_in, key=lambda one: one.received.at.timestamp() if one.received.at else 0.0)
    chosen = by_time[-1 if latest else 0]
    lock = near.known[chosen.task.set]
    allowed = lock.header.get("attempts")
    counted = ledger.notebooks(chosen.task.set, chosen.task.student)
    came_after = allowed is not None and len(counted) >= allowed and chosen.notebook not in counted
    return None if came_after else chosen


def _other_points(before: Grading, now: Prepared) -> Iterator[tuple[str, float, float]]:
    """The questions that would be worth other points."""
    if before.questions == now.questions:
        return
    worth = {answer.feedback.question: answer.feedback.max_points for answer in before.result.answers}
    for question in read_line(now.task.questions)[1]:
        was = worth.get(question.id, question.points)
        if was != question.points:
            yield question.slug, was, question.points
