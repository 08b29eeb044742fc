"""The terminal: tables, questions and progress bars, as the commands print them."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console


def console(*, stderr: bool = False) -> Console:
    """A rich console."""
    from rich.console import Console

    made = Console(stderr=stderr, highlight=False)
    return made if made.is_terminal else Console(stderr=stderr, highlight=False, width=140)


def print_question(question: Any) -> None:
    """A question with its hints, mistakes and solution."""
    from rich.markdown import Markdown
    from rich.rule import Rule

    from shardwise.markup import to_plain

    out = console()
    out.print(
        f"[bold]{question.title}[/bold]  {question.id}  seed {question.seed}  {question.points:g} point{'' if question.points == 1 else 's'}\n"
    )

    def section(title: str, markdown: str) -> None:
        out.print(Rule(title, style="dim", align="left"))
        out.print(Markdown(_plain_formulas(markdown, to_plain)))
        out.print()

    section("question", question.prompt)
    for number, hint in enumerate(question.hints, start=1):
        section(f"hint {number}", hint)
    mistakes = question.key.model_dump().get("mistakes", ())
    if mistakes and isinstance(mistakes[0], dict):
        section("mistakes we recognise", "\n".join(f"- {one['say']}" for one in mistakes))
    section("solution", question.solution)


def _plain_formulas(markdown: str, to_plain: Any) -> str:
    """Formulas made readable for a terminal, the rest left as Markdown."""
    return re.sub(
        r"\$\$.+?\$\$|(?<![\w$])\$[^$\n]+?\$(?!\w)", lambda found: to_plain(found[0]), markdown, flags=re.DOTALL
    )


def print_reports(reports: Any) -> None:
    """What the lint found out, a row a problem."""
    from rich.table import Table

    table = Table("problem", "kind", "accepted", "distinct", "worst margin", "oracle", box=None, header_style="bold")
    for one in reports:
        if one.kind:
            margin = "" if one.margin == float("inf") else f"{one.margin:.2f} ×"
            table.add_row(one.problem, one.kind, f"{one.accepted:.0%}", f"{one.distinct}", margin,
                          "agrees" if one.confirmed else "none")  # fmt: skip
    console().print(table)
    console().print(
        "worst margin: distance of the nearest pair of key and mistakes, in sums of their tolerances", style="dim"
    )


def print_grades(results: Any, out: Path) -> None:
    """Points, report and notes, a row a student; in a large class only what could not be graded."""
    from rich.table import Table
    from rich.text import Text

    from shardwise.reports import page_of

    table = Table("student", "points", "", "report", "notes", box=None, header_style="bold")
    table.columns[1].justify = "right"
    shown = results if len(results) <= 60 else [one for one in results if one.status == "ungraded"]
    for one in shown:
        points = "" if one.points is None else f"{one.points:g}"
        outof = f"of {one.max_points:g}" if one.questions else one.status
        report = one.reason or (str(page_of(one, out / "feedback")) if one.status == "graded" else "")
        table.add_row(Text(one.student), points, outof, Text(report), Text("; ".join(one.notes)[:90], style="dim"))
    console().print(table)
    counts = {status: sum(one.status == status for one in results) for status in ("graded", "ungraded", "missing")}
    tier = next((one.tier for one in results if one.tier), "none")
    typer.echo(
        f"{counts['graded']} graded, {counts['ungraded']} could not be, {counts['missing']} missing; sandbox: {tier}"
    )
    typer.echo(f"{out / 'grades.csv'}")


@contextmanager
def progress(what: str, total: int | None) -> Iterator[Any]:
    """A progress bar on a terminal, nothing elsewhere; gives a function to be called for each step."""
    if not sys.stderr.isatty():
        yield lambda *_: None
        return
    from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn

    with Progress(*Progress.get_default_columns()[:2], MofNCompleteColumn(), TimeRemainingColumn(),
                  console=console(stderr=True), transient=True) as bar:  # fmt: skip
        task = bar.add_task(what, total=total)

        def advance(known_total: int | None = None) -> None:
            bar.update(task, advance=1, total=known_total or total)

        yield advance
