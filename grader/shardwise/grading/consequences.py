"""Consequences: unintended changes that another run would make for students who are already graded.

A student who was on time would be late, or vice versa, because a folder was copied or the run takes times from another
source. A graded notebook may be gone, or its owner no longer clear. Questions of a set may be worth other points. `grade`
asks before it writes such changes, as `regrade` does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from shardwise.course.assigning.lockfile import read_line
from shardwise.course.collecting.identity import means_a_student
from shardwise.course.collecting.receipts import Receipt
from shardwise.course.collecting.submitted_files import BadSubmission, find
from shardwise.grading.intake import Decisions, Intake, Locks, PracticeRefused, Prepared
from shardwise.grading.record.ledger import LEDGER, Ledger, lies
from shardwise.grading.record.ledger_tables import Grading
from shardwise.grading.worker import Settings


@dataclass(frozen=True)
class Lateness:
    """A student who was on time and would be late, or vice versa."""

    student: str
    set: str
    is_late: bool  # according to this run
    before: Receipt
    now: Receipt


@dataclass(frozen=True)
class OtherStanding:
    """A student whose status a run would change, graded or not, late or on time, and the reason."""

    student: str
    set: str
    would_be: str  # ungraded, missing, late, on time or graded again
    why: str


@dataclass(frozen=True)
class OtherPoints:
    """A question of a set that would be worth other points, and the number of students affected."""

    set: str
    question: str
    before: float
    now: float
    students: int


@dataclass(frozen=True)
class Consequences:
    """All unintended changes of a run."""

    late: Sequence[Lateness] = ()
    standings: Sequence[OtherStanding] = ()
    points: Sequence[OtherPoints] = ()

    def __bool__(self) -> bool:
        return bool(self.late or self.standings or self.points)


@dataclass
class _HandedIn:
    """The notebooks that a run would accept, and those that it would refuse."""

    prepared: dict[tuple[str, str], list[Prepared]] = field(default_factory=dict)  # by set and student
    owners: dict[str, tuple[str, str]] = field(default_factory=dict)  # set and student by path; both empty for practice
    refused: dict[str, str] = field(default_factory=dict)  # why, by path
    refused_of: dict[tuple[str, str], str] = field(default_factory=dict)  # why, by set and student


def consequences(paths: Sequence[Path], out: Path, near: Locks, decisions: Decisions) -> Consequences:
    """Return what a run over these notebooks would change in a folder of results. Writes nothing."""
    if not (out / LEDGER).is_file():
        return Consequences()
    late: list[Lateness] = []
    points: Counter[tuple[str, str, float, float]] = Counter()
    with Ledger(out / LEDGER, [lock.key for lock in near.known.values()]) as ledger:
        if not ledger.has_counted():
            return Consequences()
        handed_in = _taken_in(paths, near, decisions)
        standings = list(_other_standings(ledger, handed_in, near, decisions))
        for (name_of_set, student), prepared in handed_in.prepared.items():
            counts = ledger.counts(name_of_set, student)
            if counts is None:
                continue
            latest = _latest_counts(prepared, decisions)
            chosen = _chosen(prepared, ledger, near, latest=latest)
            if chosen is None:
                continue
            is_decided = chosen.task.rulings.due or chosen.task.rulings.late  # by an override, so on purpose
            if chosen.task.late != counts.result.late and not is_decided:
                before = ledger.received(name_of_set, student)
                late.append(Lateness(student, name_of_set, chosen.task.late, before, chosen.received))
            points.update((name_of_set, *change) for change in _other_points(counts, chosen))
    others = [OtherPoints(*change, students=count) for change, count in sorted(points.items())]
    return Consequences(sorted(late, key=lambda each: (each.set, each.student)), standings, others)


def _taken_in(paths: Sequence[Path], near: Locks, decisions: Decisions) -> _HandedIn:
    """Return the notebooks of each student of a set that can be graded, and why others cannot."""
    intake = Intake(paths, near, Settings(), None, decisions)
    handed_in = _HandedIn()
    for notebook in find(paths, lambda folder: any(means_a_student(folder, lock) for lock in near.known.values())):
        try:
            prepared = intake.prepare(notebook)
        except PracticeRefused:  # this check opens no bank
            handed_in.owners[str(notebook)] = ("", "")
        except BadSubmission as error:
            refused = intake.refused(notebook, error)
            handed_in.refused[refused.path] = refused.reason
            handed_in.refused_of.setdefault((refused.set, refused.student), refused.reason)
        except Exception:  # the run itself will report this notebook
            continue
        else:
            whose = prepared.task.set, prepared.task.student
            handed_in.owners[prepared.path] = whose
            handed_in.prepared.setdefault(whose, []).append(prepared)
    return handed_in


def _other_standings(
    ledger: Ledger, handed_in: _HandedIn, near: Locks, decisions: Decisions
) -> Iterator[OtherStanding]:
    """Yield the students who would lose their grade."""
    for before in ledger.results():
        whose = before.set, before.student
        if before.status != "graded":
            continue
        is_there = lies(Path(before.path))  # whether in this run or in one over another part of the class
        if of_theirs := handed_in.prepared.get(whose):
            several = of_theirs if len(of_theirs) > 1 and not _latest_counts(of_theirs, decisions) else []
            different = {each.notebook: each.path for each in several if not _came_after(each, ledger, near)}
            if len(different) > 1:
                why = f"they have {len(different)} different notebooks: {', '.join(sorted(different.values()))}. Keep the one that counts, or use --latest."
                yield OtherStanding(before.student, before.set, "ungraded", why)
        elif reason := handed_in.refused.get(before.path) or ("" if is_there else handed_in.refused_of.get(whose)):
            undone = " --student applies only to the run that it is given to." if "--student" in reason else ""
            yield OtherStanding(before.student, before.set, "ungraded", f"{reason}{undone}")
        elif (owner := handed_in.owners.get(before.path)) is None and not is_there:
            yield OtherStanding(before.student, before.set, "missing", f"{before.path} no longer exists")
        elif owner is not None and (any(owner) or before.set in near.known):
            why = f"{before.path} is now {f'{owner[1]}’s notebook for {owner[0]}' if any(owner) else 'a practice notebook'}"
            yield OtherStanding(before.student, before.set, "missing", why)


def _latest_counts(handed_in: Sequence[Prepared], decisions: Decisions) -> bool:
    """Return whether the latest of a student's notebooks counts."""
    return decisions.latest or bool(handed_in[0].task.rulings.attempts)


def _chosen(handed_in: Sequence[Prepared], ledger: Ledger, near: Locks, *, latest: bool) -> Prepared | None:
    """Return the new notebook of a student that would count after this run; None if an earlier one still counts."""
    by_time = sorted(handed_in, key=lambda each: each.received.at.timestamp() if each.received.at else 0.0)
    chosen = by_time[-1 if latest else 0]
    return None if _came_after(chosen, ledger, near) else chosen


def _came_after(each: Prepared, ledger: Ledger, near: Locks) -> bool:
    """Return whether a notebook was submitted after the student's last permitted attempt."""
    allowed = near.known[each.task.set].header.get("attempts")
    counted = ledger.notebooks(each.task.set, each.task.student)
    return allowed is not None and len(counted) >= allowed and each.notebook not in counted


def _other_points(before: Grading, now: Prepared) -> Iterator[tuple[str, float, float]]:
    """Yield the questions that would be worth other points."""
    if before.questions == now.questions:
        return
    worth = {
        answer.feedback.question: answer.feedback.max_points for answer in before.result.answers if not answer.decided
    }
    for question in read_line(now.task.questions)[1]:
        was = worth.get(question.id, question.points)
        if was != question.points:
            yield question.slug, was, question.points
