"""The terminal: tables, questions and progress bars, as the commands print them."""

from __future__ import annotations

import csv
import math
import shutil
import sys
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

if TYPE_CHECKING:
    from rich.console import Console

    from shardwise.bank.lint.fairness import Spread
    from shardwise.bank.lint.lint import Report
    from shardwise.course.collecting.receipts import Receipt
    from shardwise.grading.consequences import Consequences
    from shardwise.grading.outcome import Batch
    from shardwise.grading.record.ledger_tables import Grading
    from shardwise.grading.regrade import Change, Regrade
    from shardwise.grading.results import Result
    from shardwise.question import Question

NARROWEST = 60  # columns in which every table has room for its figures


def console(*, piped: int = 140) -> Console:
    """Return a rich console for tables that `print_columns` cannot print, with a fixed width when piped."""
    from rich.console import Console

    return Console(highlight=False, width=_width(piped))


def _width(piped: int = 140) -> int:
    """Return how many columns a table may use. In a narrower terminal the lines wrap, and no figure is cut off."""
    return max(NARROWEST, shutil.get_terminal_size().columns) if sys.stdout.isatty() else piped


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


def print_reports(reports: Sequence[Report]) -> None:
    """What the lint found out, a row a problem."""
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
    typer.secho(
        "worst margin: gap between the two closest answers ÷ the sum of their tolerances; above 1 is safe", dim=True
    )


def print_spreads(spreads: Sequence[Spread]) -> None:
    """The easiest and the hardest draw of each problem, a row a problem."""
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
        "In digits that a calculation has to carry. A unit to be converted counts as two, and a wrong answer whose distance from the key "
        "is half as many tolerances, below 16, as one.",
        dim=True,
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
    causes: dict[str, list[Change]] = {}
    for change in regrade.changes():
        causes.setdefault(change.cause, []).append(change)
    summary, each = [], []
    for cause, changes in causes.items():
        steps = [(change.after or 0) - (change.before or 0) for change in changes]
        up, down = sum(step > 0 for step in steps), sum(step < 0 for step in steps)
        summary.append((cause, str(len(changes)), str(up), str(down), f"{sum(steps):+g}"))
        each += [(change.student, change.question, _points(change.before), _points(change.after)) for change in changes]
    if causes:
        print_columns(("cause", "answers", "up", "down", "points"), summary, right=(1, 2, 3, 4), width=_width())
        if len(each) <= _MOST_ROWS:
            typer.echo()
            print_columns(("student", "question", "before", "after"), each, right=(2, 3), width=_width())
    for reason, count in regrade.kept.items():
        typer.echo(f"{count} question{'s stay' if count > 1 else ' stays'} as handed out: {reason}")
    others = list(regrade.other_standings())
    for other in others:
        typer.echo(f"{other.student} would be {other.would_be} for {other.set}: {other.why}")
    return sum(map(len, causes.values())), len(others)


def print_consequences(found: Consequences) -> None:
    """Print whose deadline status or grade would change, and which questions would change in points, before anything is written."""
    lines = []
    for change in found.late:
        was, would_be = ("in time", "late") if change.is_late else ("late", "in time")
        received = f"received {_receipt(change.now)}; before, {_receipt(change.before)}"
        lines.append(f"{change.student} was {was} for {change.set} and would be {would_be}: {received}.")
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


def print_tiers(verdicts: Any) -> None:
    """The tiers of the sandbox, which of them hold here, and what this machine is."""
    import platform

    chosen = next((verdict for verdict in verdicts if verdict.passed), None)
    rows = [
        (
            verdict.name,
            "used here" if verdict is chosen else "holds" if verdict.passed else "does not hold",
            f"{verdict.reason} {verdict.remedy}".strip(),
        )
        for verdict in verdicts
    ]
    print_columns(("tier", "", "what was found"), rows, width=_width())
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
def progress_bar(what: str, total: int | None) -> Iterator[Any]:
    """A progress bar on a terminal, nothing elsewhere; gives a function to be called for each step."""
    if not sys.stderr.isatty():
        yield lambda *_: None
        return
    # No thread draws the bar: one that is drawing while a process is forked would leave it with a lock that nobody opens.
    with typer.progressbar(length=total or 0, label=what, show_pos=True, file=sys.stderr) as bar:

        def advance(known_total: int | None = None) -> None:
            bar.length = known_total or bar.length
            bar.update(1)

        yield advance
