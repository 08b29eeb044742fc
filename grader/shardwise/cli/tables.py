"""Terminal output of the commands: tables, questions and progress bars."""

from __future__ import annotations

import csv
import json
import math
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from shardwise.bank.pages.formulas import Formula
from shardwise.kinds import kind_of, text_of, variable_of
from shardwise.markdown.terminal import cells, columns, in_columns, to_terminal

_MOST_ROWS = 60  # nobody reads a longer table
_LONGEST_NOTES = 240  # characters in a row; results.jsonl has the full text

if TYPE_CHECKING:
    from rich.console import Console

    from shardwise.bank.lint.fairness import Spread
    from shardwise.bank.lint.problem import Report
    from shardwise.course.collecting.receipts import Receipt
    from shardwise.grading.consequences import Consequences
    from shardwise.grading.outcome import Batch
    from shardwise.grading.record.ledger_tables import Decision, Grading
    from shardwise.grading.regrade import Change, Regrade
    from shardwise.grading.results import Result
    from shardwise.question import Question

NARROWEST = 60  # columns, enough for the numbers of every table


def console(*, piped: int = 140) -> Console:
    """Return a rich console for tables that `print_columns` cannot print, with a fixed width when piped."""
    from rich.console import Console

    return Console(highlight=False, width=_width(piped))


def _width(piped: int = 140) -> int:
    """Return how many columns a table may use. In a narrower terminal the lines wrap, and no number is cut off."""
    return max(NARROWEST, shutil.get_terminal_size().columns) if sys.stdout.isatty() else piped


def print_columns(
    head: Sequence[str], rows: Sequence[Sequence[str]], *, right: Sequence[int] = (), width: float = math.inf
) -> None:
    """Print a table whose cells wrap to fit this width; the columns in `right` are right-aligned.

    It does not use rich, because loading rich takes longer than listing a bank.
    """
    from shardwise.markdown.escaping import printable

    shown = [[printable(text) for text in row] for row in (head, *rows)]
    first, *others = in_columns(shown, width, [place in right for place in range(len(head))])
    typer.secho(first, bold=True)
    for text in others:
        typer.echo(text)


def print_question(question: Question) -> None:
    """Print a question with its key, hints, mistakes and solution. Answers look as they would in a notebook's cell."""
    from shardwise.question import in_points

    kind, answers = kind_of(question), _answers(question)

    def headed(title: str) -> None:
        typer.secho(f"── {title} ".ljust(min(columns(), 80), "─"), dim=True)

    def section(title: str, markdown: str) -> None:
        headed(title)
        typer.echo(f"{to_terminal(markdown)}\n")

    points = in_points(question.points)
    which = f"{question.id}  seed {question.seed}  {points}"
    apart = "  " if cells(f"{question.title}  {which}") <= columns() else "\n"
    typer.echo(f"{typer.style(question.title, bold=True)}{apart}{which}\n")
    section("question", text_of(question))
    if not kind.is_program:  # a program's question already shows what to write
        headed("answer with")
        typer.echo(f"{_wanted(question)}\n")
    for number, hint in enumerate(question.hints, start=1):
        section(f"hint {number}", hint)
    headed("key")
    typer.echo(f"{answers.get(None, '')}\n")
    for number, said in enumerate(kind.mistakes(question)):
        section(f"mistake {number + 1}", said)
        if number in answers:
            typer.echo(f"{answers[number]}\n")
    section("solution", question.solution)


def _wanted(question: Question) -> str:
    """Return what an answer looks like: a notebook's answer cell without its variable, or the comment in that cell."""

    variable = variable_of(question)
    cell = kind_of(question).cells(question.form, variable).strip()
    return cell.removeprefix(f"{variable} = ").removeprefix("...  # ")


def _answers(question: Question) -> dict[int | None, str]:
    """Return the right answer, under None, and the answer of each mistake; for a program, what it has to return."""
    from shardwise.kinds.answers import known_answers, wanted_results

    kind, variable = kind_of(question), variable_of(question)
    if kind.is_program:
        return {None: wanted_results(question)}
    return {which: kind.sample_source(question, variable, raw) for which, raw in known_answers(kind, question).items()}


def print_formula(formula: Formula) -> None:
    """Print a formula with its arguments, units and source."""
    typer.secho(formula.about, bold=True)
    for line in formula.equation.splitlines():
        typer.echo(f"    {line}".rstrip())
    told = (("arguments", ", ".join(formula.arguments)), ("units", formula.units), ("source", formula.source))
    for what, words in (
        *told,
        ("reference", f"{formula.name}  {formula.line}"),
        ("asked in", ", ".join(formula.problems)),
    ):
        if words:
            typer.echo(f"{typer.style(f'{what:10}', dim=True)} {words}")
    typer.echo()


def print_reports(reports: Sequence[Report]) -> None:
    """Print the results of the lint, one row per problem."""
    rows = [
        (
            report.problem,
            report.kind,
            f"{report.accepted:.0%}",
            f"{report.distinct}",
            "" if report.margin == math.inf else f"{report.margin:.2f} ×",
            "agrees" if report.confirmed else "none",
        )
        for report in reports
        if report.kind
    ]
    print_columns(("problem", "kind", "accepted", "distinct", "worst margin", "oracle"), rows, width=_width())
    typer.secho("worst margin: gap between the two closest answers ÷ sum of their tolerances; safe above 1", dim=True)


def print_spreads(spreads: Sequence[Spread]) -> None:
    """Print the easiest and the hardest draw of each problem, one row per problem."""
    head = ("problem", "easiest", "seed", "hardest", "seed", "spread", "from")
    rows = [
        (
            spread.problem,
            f"{easy.total:.1f}",
            easy.seed,
            f"{hard.total:.1f}",
            hard.seed,
            f"{spread.gap:.1f}",
            spread.why,
        )
        for spread in spreads
        for easy, hard in [(spread.easiest, spread.hardest)]
    ]
    print_columns(head, rows, right=(1, 2, 3, 4, 5), width=_width())
    typer.secho(
        "Difficulty is the number of digits that a calculation has to carry. A unit conversion adds two. If the nearest wrong answer "
        "is fewer than 16 tolerances from the key, each halving of that distance adds one.",
        dim=True,
    )
    worst = spreads[0]
    typer.echo(
        f"{len(spreads)} problem{'s' * (len(spreads) != 1)}; the widest spread is {worst.gap:.1f}, for {worst.problem}"
    )


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
        print_columns(("student", "points", "", "report", "notes"), rows, right=(1,), width=_width())
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
        print_columns(("cause", "answers", "up", "down", "points"), summary, right=(1, 2, 3, 4), width=_width())
        if len(each) <= _MOST_ROWS:
            typer.echo()
            print_columns(("student", "question", "before", "after"), each, right=(2, 3), width=_width())
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
    print_columns(head, rows, right=(3,), width=_width())
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
    print_columns(("when", "override", "set", "decision", "why", "by"), rows, width=_width())


def _in_brief(value: Any) -> str:
    """Return a value of an override in a few words."""
    if isinstance(value, list):
        return f"{', '.join(value[:3])}{f' and {len(value) - 3} more' if len(value) > 3 else ''}"
    if isinstance(value, dict):
        return ", ".join(f"{name.replace('_', ' ')} {_in_brief(its)}" for name, its in value.items())
    return "yes" if value is True else f"{value:g}" if isinstance(value, float) else str(value)


def print_tiers(verdicts: Any) -> None:
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
    print_columns(("tier", "", "details"), rows, width=_width())
    program = shutil.which("bwrap") or "not installed"
    typer.echo(
        f"\n{platform.system()} {platform.release()} on {platform.machine()}, Python {platform.python_version()}, bubblewrap: {program}"
    )
    typer.echo(
        f"Submissions are graded in tier {chosen.name} here: it stopped every attack."
        if chosen
        else "Submissions cannot be graded here: no tier stopped every attack. Practice needs no sandbox."
    )


@contextmanager
def progress_bar(what: str, total: int | None) -> Iterator[Any]:
    """Show a progress bar on a terminal, and nothing elsewhere; yield a function to call after each step."""
    if not sys.stderr.isatty():
        yield lambda *_: None
        return
    # No thread draws the bar: a process forked while it draws would inherit a lock that is never released.
    with typer.progressbar(length=total or 0, label=what, show_pos=True, file=sys.stderr) as bar:

        def advance(known_total: int | None = None) -> None:
            bar.length = known_total or bar.length
            bar.update(1)

        yield advance
