"""Terminal output of the commands about a bank: questions, formulas, and the results of the lint."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from shardwise.cli.tables import print_columns, table_width
from shardwise.kinds import kind_of, text_of, variable_of
from shardwise.markdown.terminal import cells, columns, to_terminal

if TYPE_CHECKING:
    from shardwise.bank.lint.fairness import Spread
    from shardwise.bank.lint.problem import Report
    from shardwise.bank.pages.formulas import Formula
    from shardwise.question import Question


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
    for what, words in (
        ("arguments", ", ".join(formula.arguments)),
        ("units", formula.units),
        ("source", formula.source),
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
    print_columns(("problem", "kind", "accepted", "distinct", "worst margin", "oracle"), rows, width=table_width())
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
    print_columns(head, rows, right=(1, 2, 3, 4, 5), width=table_width())
    typer.secho(
        "Difficulty is the number of digits that a calculation has to carry. A unit conversion adds two. If the nearest wrong answer "
        "is fewer than 16 tolerances from the key, each halving of that distance adds one.",
        dim=True,
    )
    worst = spreads[0]
    typer.echo(
        f"{len(spreads)} problem{'s' * (len(spreads) != 1)}; the widest spread is {worst.gap:.1f}, for {worst.problem}"
    )
