"""Terminal output of the commands about grading: results, changes of a regrade, the history, and the sandbox's tiers."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from shardwise.cli.tables import print_columns, table_width

if TYPE_CHECKING:
    from shardwise.course.collecting.receipts import Receipt
    from shardwise.grading.consequences import Consequences
    from shardwise.grading.outcome import Batch
    from shardwise.grading.record.ledger_tables import Decision, Grading
    from shardwise.grading.regrade import Change, Regrade
    from shardwise.grading.results import Result
    from shardwise.sandbox import TierVerdict

_MOST_ROWS = 60  # nobody reads a longer table
_LONGEST_NOTES = 240  # characters in a row; results.jsonl has the full text


def print_grades(batch: Batch) -> dict[str, int]:
    """Print points, page and notes, one row per student, and return the counts by status.

    For a large class, print only the notebooks that could not be graded.
    """
    counts = dict.fromkeys(("graded", "incomplete", "ungraded", "missing", "excused"), 0)
    tiers: set[str] = set()
    first: list[tuple[str, ...]] = []  # rows of the table
    troubled: list[tuple[str, ...]] = []
    for result in batch.results():
        status = "incomplete" if result.status == "graded" and not result.complete else result.status
        counts[status] += 1
        tiers |= {result.tier} - {""}
        trouble = status in ("ungraded", "incomplete")
        if trouble or len(first) < _MOST_ROWS:
            row = _grade_row(result, str(batch.page(result)))
            first += [row] if len(first) < _MOST_ROWS else []
            troubled += [row] if trouble else []
    if rows := troubled[:_MOST_ROWS] if sum(counts.values()) > _MOST_ROWS else first:
        print_columns(("student", "points", "", "report", "notes"), rows, right=(1,), width=table_width())
    if len(troubled) > _MOST_ROWS:
        typer.echo(f"and {len(troubled) - _MOST_ROWS:,} more could not be graded; this table lists all of them:")
    for words in batch.unused:
        typer.echo(words, err=True)
    if batch.tried_again:
        count = f"{batch.tried_again} notebook{'s were' if batch.tried_again > 1 else ' was'}"
        typer.echo(
            f"{count} graded again, because of an error in the grader, a worker that died, or a file that could not be read.",
            err=True,
        )
    used = ", ".join(tier if tier == "none" else f"tier {tier}" for tier in sorted(tiers))
    excused = f", {counts['excused']} excused" if counts["excused"] else ""
    sandbox = f"; sandbox: {used}" if used else ""  # empty if no code had to be run
    typer.echo(
        f"{counts['graded']} graded, {counts['ungraded'] + counts['incomplete']} could not be graded, {counts['missing']} missing"
        f"{excused}"
        f"{sandbox}"
    )
    typer.echo(f"{batch.out / 'grades.csv'}")
    if unread := _unreadable(batch.out / "unreadable.csv"):
        answers = "1 answer" if unread == 1 else f"{unread:,} answers"
        typer.echo(
            f"{answers} could not be read; review them before you publish points: {batch.out / 'unreadable.csv'}"
        )
    return counts


def _unreadable(table: Path) -> int:
    """Return the number of answers in the table of those that could not be read."""
    with suppress(OSError), table.open(encoding="utf-8", newline="") as rows:
        return max(0, sum(1 for _ in csv.reader(rows)) - 1)
    return 0


def _grade_row(result: Result, page: str) -> tuple[str, ...]:
    graded = result.status == "graded"
    points = "" if result.points is None else f"{result.points:g}"
    most = f"of {result.max_points:g}" if graded else result.status
    notes = " ".join([*(["Late."] if result.late else []), *result.notes])
    shown = notes if len(notes) <= _LONGEST_NOTES else f"{notes[:_LONGEST_NOTES]}…"
    return result.student or result.path, points, most, result.reason or (page if graded else ""), shown


def print_changes(regrade: Regrade) -> tuple[int, int]:
    """Print which points would change, one row per cause and then, unless there are too many, one row per answer.

    Also print whose status would change. Returns the number of answers and the number of students.
    """
    causes: dict[str, list[Change]] = {}
    for change in regrade.changes():
        causes.setdefault(change.cause, []).append(change)
    summary, each = [], []
    in_questions: dict[tuple[str, str], float] = {}  # these points are in the row of the notebook as well
    for change in chain(*causes.values()):
        if change.question:
            whose = change.student, change.set
            in_questions[whose] = in_questions.get(whose, 0) + (change.after or 0) - (change.before or 0)
    for cause, changes in causes.items():
        counted = [0 if change.question else in_questions.get((change.student, change.set), 0) for change in changes]
        steps = [
            round((change.after or 0) - (change.before or 0) - points, 4)
            for change, points in zip(changes, counted, strict=True)
        ]
        up, down = sum(step > 0 for step in steps), sum(step < 0 for step in steps)
        summary.append((cause, str(len(changes)), str(up), str(down), f"{sum(steps):+g}"))
        each += [(change.student, change.question, _points(change.before), _points(change.after)) for change in changes]
    if causes:
        print_columns(("cause", "answers", "up", "down", "points"), summary, right=(1, 2, 3, 4), width=table_width())
        if len(each) <= _MOST_ROWS:
            typer.echo()
            print_columns(("student", "question", "before", "after"), each, right=(2, 3), width=table_width())
    for reason, count in regrade.kept.items():
        typer.echo(f"{count} question{'s keep their' if count > 1 else ' keeps its'} assigned version: {reason}")
    others = list(regrade.other_standings())
    for other in others:
        typer.echo(f"{other.student} would be {other.would_be} for {other.set}: {other.why}")
    return sum(map(len, causes.values())), len(others)


def print_consequences(found: Consequences) -> None:
    """Print whose deadline status or grade would change, and which questions would be worth other points."""
    lines = []
    for change in found.late:
        was, would_be = ("on time", "late") if change.is_late else ("late", "on time")
        now, before = _receipt(change.now), _receipt(change.before)
        why = "the due date or the late rule has changed" if now == before else f"received {now}, previously {before}"
        lines.append(f"{change.student} was {was} for {change.set} and would be {would_be}: {why}.")
    for other in found.standings:
        lines.append(f"{other.student} has a grade for {other.set}, but would become {other.would_be}: {other.why}")
    for line in lines[:_MOST_ROWS]:
        typer.echo(line)
    if len(lines) > _MOST_ROWS:
        typer.echo(f"The same applies to {len(lines) - _MOST_ROWS:,} more students.")
    for question in found.points:
        students = f"{question.students} student{'s' if question.students > 1 else ''}"
        typer.echo(
            f"{question.question} in {question.set} would be worth {question.now:g} points instead of {question.before:g}, for {students}."
        )


def _receipt(receipt: Receipt) -> str:
    if receipt.at is None:
        return "at an unknown time"
    return f"at {receipt.at.isoformat(timespec='seconds')} by {_SAYS.get(receipt.source, receipt.source)}"


_SAYS = {
    "file": "the file's own time",
    "archive": "the archive",
    "table": "the table of receipts",
    "git": "git",
    "gradescope": "Gradescope",
}


def _points(points: float | None) -> str:
    return "none" if points is None else f"{points:g}"


def print_history(gradings: Iterable[Grading], cause: Callable[[Grading | None, Grading], str]) -> None:
    """Print every grading in order, with the reason for each repeated one."""
    rows = []
    before: Grading | None = None
    for grading in gradings:
        result = grading.result
        if before and (before.result.student, before.result.set) != (result.student, result.set):
            before = None
        rows.append((
            grading.at.replace("T", " ").removesuffix("+00:00"), result.student, result.set,
            f"{_points(result.points)} of {result.max_points:g}", cause(before, grading),
            grading.engine, result.tier, grading.who,
        ))  # fmt: skip
        before = grading
    head = ("when", "student", "set", "points", "cause", "engine", "sandbox", "by")
    print_columns(head, rows, right=(3,), width=table_width())
    typer.echo("Times are in UTC.")


def print_decisions(decisions: Sequence[Decision]) -> None:
    """Print the overrides that were applied, and which of them were withdrawn."""
    if not decisions:
        return
    rows = []
    for decision in decisions:
        entry = json.loads(decision.entry)
        what = {name: value for name, value in entry.items() if name not in ("set", "why", "by", "at", "note")}
        said = "; ".join(f"{name} {_in_brief(value)}" for name, value in what.items())
        when = decision.at.replace("T", " ").removesuffix("+00:00")
        rows.append((when, "applied" if decision.applies else "withdrawn", entry.get("set", "all sets"), said, entry["why"], decision.who))  # fmt: skip
    typer.echo()
    print_columns(("when", "override", "set", "decision", "why", "by"), rows, width=table_width())


def _in_brief(value: Any) -> str:
    """Return a value of an override in a few words."""
    if isinstance(value, list):
        return f"{', '.join(value[:3])}{f' and {len(value) - 3} more' if len(value) > 3 else ''}"
    if isinstance(value, dict):
        return ", ".join(f"{name.replace('_', ' ')} {_in_brief(its)}" for name, its in value.items())
    return "yes" if value is True else f"{value:g}" if isinstance(value, float) else str(value)


def print_tiers(verdicts: Sequence[TierVerdict]) -> None:
    """Print the tiers of the sandbox, which of them work here, and what this machine is."""
    import platform

    chosen = next((verdict for verdict in verdicts if verdict.passed), None)
    rows = [
        (
            verdict.name,
            "used here" if verdict is chosen else "works" if verdict.passed else "does not work",
            f"{verdict.reason} {verdict.remedy}".strip(),
        )
        for verdict in verdicts
    ]
    print_columns(("tier", "", "details"), rows, width=table_width())
    program = shutil.which("bwrap") or "not installed"
    typer.echo(
        f"\n{platform.system()} {platform.release()} on {platform.machine()}, Python {platform.python_version()}, bubblewrap: {program}"
    )
    typer.echo(
        f"Submissions are graded in tier {chosen.name} here: it stopped every attack."
        if chosen
        else "Submissions cannot be graded here: no tier stopped every attack. Practice needs no sandbox."
    )
