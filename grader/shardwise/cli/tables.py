"""The terminal: tables, questions and progress bars, as the commands print them."""

from __future__ import annotations

import csv
import math
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from shardwise.bank.pages.formulas import Formula
from shardwise.kinds import kind_of, text_of, variable_of
from shardwise.markdown.terminal import cells, columns, in_columns, to_terminal

_MOST_ROWS = 60  # of a table that anybody reads
_LONGEST_NOTES = 240  # characters of them that stand in a row; results.jsonl has all
_BETWEEN = 0.1  # seconds from one drawing of a progress bar to the next

if TYPE_CHECKING:
    from rich.console import Console

    from shardwise.bank.lint.fairness import Spread
    from shardwise.course.collecting.receipts import Receipt
    from shardwise.grading.batch import Batch
    from shardwise.grading.consequences import Consequences
    from shardwise.grading.record.ledger_tables import Grading
    from shardwise.grading.regrade import Change, Regrade
    from shardwise.grading.results import Result
    from shardwise.question import Question

NARROWEST = 60  # columns in which every table has room for its figures


def console(*, stderr: bool = False, piped: int = 140) -> Console:
    """A rich console, for tables, or with `stderr` for a line that says how far something is; so wide where it is no terminal.

    Where a terminal is too narrow for a table, it breaks the lines itself: rich would cut the figures off.
    """
    from rich.console import Console

    made = Console(stderr=stderr, highlight=False)
    if not made.is_terminal:
        return Console(stderr=stderr, highlight=False, width=piped)
    return made if stderr or made.width >= NARROWEST else Console(highlight=False, width=NARROWEST)


def _width() -> int:
    """The columns that a table may take, as `console` has them."""
    return max(NARROWEST, shutil.get_terminal_size().columns) if sys.stdout.isatty() else 140


def print_columns(
    head: Sequence[str], rows: Sequence[Sequence[str]], *, right: Sequence[int] = (), width: float = math.inf
) -> None:
    """A table whose cells are folded into this width, with numbers at the right of these columns.

    Loading rich takes longer than listing a bank, so this does without.
    """
    from shardwise.markdown.escaping import printable

    shown = [[printable(text) for text in row] for row in (head, *rows)]
    first, *others = in_columns(shown, width, [place in right for place in range(len(head))])
    typer.secho(first, bold=True)
    for text in others:
        typer.echo(text)


def print_question(question: Question) -> None:
    """A question with its key, hints, mistakes and solution. Answers are shown as a notebook's cell would give them."""

    kind, answers = kind_of(question), _answers(question)

    def headed(title: str) -> None:
        typer.secho(f"── {title} ".ljust(min(columns(), 80), "─"), dim=True)

    def section(title: str, markdown: str) -> None:
        headed(title)
        typer.echo(f"{to_terminal(markdown)}\n")

    points = f"{question.points:g} point{'' if question.points == 1 else 's'}"
    which = f"{question.id}  seed {question.seed}  {points}"
    apart = "  " if cells(f"{question.title}  {which}") <= columns() else "\n"
    typer.echo(f"{typer.style(question.title, bold=True)}{apart}{which}\n")
    section("question", text_of(question))
    if not kind.is_program:  # whose question shows what to write
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
    """What an answer looks like: the cell of a notebook without its variable, or what is said beside it."""

    variable = variable_of(question)
    cell = kind_of(question).cells(question.form, variable).strip()
    return cell.removeprefix(f"{variable} = ").removeprefix("...  # ")


def _answers(question: Question) -> dict[int | None, str]:
    """The right answer, under None, and the one that each mistake makes; for a program, what it has to return."""
    from shardwise.question import Outcome

    kind, variable = kind_of(question), variable_of(question)
    if kind.is_program:
        return {None: "\n".join(map(_case, getattr(question.key, "cases", ())))}
    answers: dict[int | None, str] = {}
    for sample in kind.samples(question):
        if sample.mistake is not None or sample.outcome == Outcome.CORRECT:
            answers.setdefault(sample.mistake, kind.sample_source(question, variable, sample.raw))
    return answers


def _case(case: Any) -> str:
    inputs = ", ".join(f"{name}={value!r}" for name, value in case.inputs.items())
    return f"({inputs})  →  {'raises' if case.raises else repr(case.expected)}"


def print_formula(formula: Formula) -> None:
    """A formula with what a reader needs to use it."""
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


def print_reports(reports: Any) -> None:
    """What the lint found out, a row a problem."""
    from rich.table import Table

    table = Table("problem", "kind", "accepted", "distinct", "worst margin", "oracle", box=None, header_style="bold")
    for report in reports:
        if report.kind:
            margin = "" if report.margin == float("inf") else f"{report.margin:.2f} ×"
            table.add_row(report.problem, report.kind, f"{report.accepted:.0%}", f"{report.distinct}", margin,
                          "agrees" if report.confirmed else "none")  # fmt: skip
    console().print(table)
    console().print(
        "worst margin: gap between the two closest answers ÷ the sum of their tolerances; above 1 is safe", style="dim"
    )


def print_spreads(spreads: Sequence[Spread]) -> None:
    """The easiest and the hardest draw of each problem, a row a problem."""
    from rich.table import Table

    table = Table("problem", "easiest", "seed", "hardest", "seed", "spread", "from", box=None, header_style="bold")
    for column in (1, 2, 3, 4, 5):
        table.columns[column].justify = "right"
    for one in spreads:
        easy, hard = one.easiest, one.hardest
        table.add_row(
            one.problem, f"{easy.total:.1f}", easy.seed, f"{hard.total:.1f}", hard.seed, f"{one.gap:.1f}", one.why
        )
    console().print(table)
    console().print(
        "In digits that a calculation has to carry. A unit to be converted counts as two, and a wrong answer whose distance from the key "
        "is half as many tolerances, below 16, as one.",
        style="dim",
    )
    worst = spreads[0]
    typer.echo(
        f"{len(spreads)} problem{'s' * (len(spreads) != 1)}; the widest spread is {worst.gap:.1f}, of {worst.problem}"
    )


def print_grades(batch: Batch) -> dict[str, int]:
    """Points, page and notes, a row a student; of a large class only what could not be graded. Gives counts by status."""
    counts = dict.fromkeys(("graded", "incomplete", "ungraded", "missing"), 0)
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
        typer.echo(f"and {len(troubled) - _MOST_ROWS:,} more that could not be graded; all of them are in the table:")
    for words in batch.unused:
        typer.echo(words, err=True)
    if batch.tried_again:
        count = f"{batch.tried_again} notebook{'s were' if batch.tried_again > 1 else ' was'}"
        typer.echo(
            f"{count} tried again: our side had failed at them, a worker had died, or a file could not be read.",
            err=True,
        )
    sandbox = f"; sandbox: {', '.join(sorted(tiers))}" if tiers else ""  # none where nothing had to be run
    typer.echo(
        f"{counts['graded']} graded, {counts['ungraded'] + counts['incomplete']} could not be, {counts['missing']} missing"
        f"{sandbox}"
    )
    typer.echo(f"{batch.out / 'grades.csv'}")
    if unread := _unreadable(batch.out / "unreadable.csv"):
        answers = "1 answer" if unread == 1 else f"{unread:,} answers"
        typer.echo(
            f"{answers} could not be read; look them through before points go out: {batch.out / 'unreadable.csv'}"
        )
    return counts


def _unreadable(table: Path) -> int:
    """How many answers stand in the table of those that could not be read."""
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
    """Points that would change: a row a cause, then each of them unless they are many; and who would stand otherwise.

    Gives how many answers and how many students these are.
    """
    from rich.table import Table
    from rich.text import Text

    causes: dict[str, list[Change]] = {}
    for change in regrade.changes():
        causes.setdefault(change.cause, []).append(change)
    summary = Table("cause", "answers", "up", "down", "points", box=None, header_style="bold")
    each = Table("student", "question", "before", "after", box=None, header_style="bold")
    for table, numbers in ((summary, (1, 2, 3, 4)), (each, (2, 3))):
        for column in numbers:
            table.columns[column].justify = "right"
    for cause, changes in causes.items():
        steps = [(change.after or 0) - (change.before or 0) for change in changes]
        up, down = sum(step > 0 for step in steps), sum(step < 0 for step in steps)
        summary.add_row(Text(cause), str(len(changes)), str(up), str(down), f"{sum(steps):+g}")
        for change in changes:
            each.add_row(Text(change.student), change.question, _points(change.before), _points(change.after))
    if causes:
        console().print(summary)
        if each.row_count <= _MOST_ROWS:
            console().print()
            console().print(each)
    for reason, count in regrade.kept.items():
        typer.echo(f"{count} question{'s stay' if count > 1 else ' stays'} as handed out: {reason}")
    others = list(regrade.other_standings())
    for other in others:
        typer.echo(f"{other.student} would be {other.would_be} for {other.set}: {other.why}")
    return sum(map(len, causes.values())), len(others)


def print_consequences(found: Consequences) -> None:
    """Print whose deadline status or grade would change, and which questions would change in points, before anything is written."""
    lines = []
    for one in found.late:
        was, would_be = ("in time", "late") if one.is_late else ("late", "in time")
        received = f"received {_receipt(one.now)}; before, {_receipt(one.before)}"
        lines.append(f"{one.student} was {was} for {one.set} and would be {would_be}: {received}.")
    for other in found.standings:
        lines.append(f"{other.student} has a grade for {other.set} and would be {other.would_be}: {other.why}")
    for line in lines[:_MOST_ROWS]:
        typer.echo(line)
    if len(lines) > _MOST_ROWS:
        typer.echo(f"The same concerns {len(lines) - _MOST_ROWS:,} more students.")
    for question in found.points:
        students = f"{question.students} student{'s' if question.students > 1 else ''}"
        typer.echo(
            f"{question.question} in {question.set} would be worth {question.now:g} points, for {students}; before, {question.before:g}."
        )


def _receipt(receipt: Receipt) -> str:
    if receipt.at is None:
        return "at a time that is not known"
    return f"at {receipt.at.isoformat(timespec='seconds')} by {_SAYS.get(receipt.source, receipt.source)}"


_SAYS = {
    "file": "the time of the file",
    "archive": "the archive",
    "table": "the table of receipts",
    "git": "git",
    "gradescope": "Gradescope",
}


def _points(points: float | None) -> str:
    return "none" if points is None else f"{points:g}"


def print_history(gradings: Iterable[Grading], cause: Callable[[Grading | None, Grading], str]) -> None:
    """Every grading there was, in order, and why there was another."""
    from rich.table import Table
    from rich.text import Text

    table = Table("when", "student", "set", "points", "cause", "engine", "sandbox", "by", box=None, header_style="bold")
    table.columns[3].justify = "right"
    before: Grading | None = None
    for grading in gradings:
        result = grading.result
        if before and (before.result.student, before.result.set) != (result.student, result.set):
            before = None
        table.add_row(
            grading.at.replace("T", " ").removesuffix("+00:00"), result.student, result.set,
            f"{_points(result.points)} of {result.max_points:g}", Text(cause(before, grading)),
            grading.engine, result.tier, grading.who,
        )  # fmt: skip
        before = grading
    console().print(table)
    typer.echo("Times are in UTC.")


def print_tiers(verdicts: Any) -> None:
    """The tiers of the sandbox, which of them hold here, and what this machine is."""
    import platform

    from rich.table import Table
    from rich.text import Text

    chosen = next((verdict for verdict in verdicts if verdict.passed), None)
    table = Table("tier", "", "what was found", box=None, header_style="bold")
    for verdict in verdicts:
        word = "used here" if verdict is chosen else "holds" if verdict.passed else "does not hold"
        style = "green" if verdict.passed else "red"
        table.add_row(verdict.name, Text(word, style=style), Text(f"{verdict.reason}\n{verdict.remedy}".strip()))
    console().print(table)
    program = shutil.which("bwrap") or "not installed"
    typer.echo(
        f"\n{platform.system()} {platform.release()} on {platform.machine()}, Python {platform.python_version()}, bubblewrap: {program}"
    )
    typer.echo(
        f"Submissions are graded at tier {chosen.name} here: each of its attacks was tried, and stopped."
        if chosen
        else "Submissions cannot be graded here: no tier stopped every attack. Answering and checking need no sandbox."
    )


@contextmanager
def progress(what: str, total: int | None) -> Iterator[Any]:
    """A progress bar on a terminal, nothing elsewhere; gives a function to be called for each step."""
    if not sys.stderr.isatty():
        yield lambda *_: None
        return
    from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn

    # No thread draws the bar: one that is drawing while a process is forked would leave it with a lock that nobody opens.
    with Progress(*Progress.get_default_columns()[:2], MofNCompleteColumn(), TimeRemainingColumn(),
                  console=console(stderr=True), transient=True, auto_refresh=False) as bar:  # fmt: skip
        task, drawn = bar.add_task(what, total=total), 0.0

        def advance(known_total: int | None = None) -> None:
            nonlocal drawn
            is_due = time.monotonic() - drawn > _BETWEEN
            drawn = time.monotonic() if is_due else drawn
            bar.update(task, advance=1, total=known_total or total, refresh=is_due)

        yield advance
