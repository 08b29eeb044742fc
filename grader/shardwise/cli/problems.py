"""The commands that show problems and mark answers: list, show, check, kinds, render and formulas."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from shlex import quote
from typing import Annotated, Any

import typer

from shardwise.bank.bank import Banks
from shardwise.bank.pages.curriculum import covered
from shardwise.bank.pages.formulas import formulas_of
from shardwise.cli.options import BankNames, ChapterName, Json, Seed, banks_of
from shardwise.cli.tables import print_columns
from shardwise.errors import ShardwiseError
from shardwise.text_files import read_text

commands = typer.Typer()


@commands.command("list", epilog="Example:  shardwise list --chapter 01-first-chapter --json")
def list_problems(
    chapter: ChapterName = None,
    kind: Annotated[
        str | None,
        typer.Option(help="List only problems of this kind, such as quantity; `shardwise kinds` lists them."),
    ] = None,
    tag: Annotated[
        list[str] | None, typer.Option(help="List only problems with this tag. Repeat it to require several tags.")
    ] = None,
    difficulty: Annotated[
        str | None, typer.Option(help="List only problems of this difficulty: easy, medium or hard.")
    ] = None,
    as_json: Json = False,
    bank: BankNames = None,
) -> None:
    """List the problems of the bank."""
    banks = banks_of(bank).read_all()
    only = None if chapter is None else banks.find_chapter(chapter)
    rows = [
        {
            "id": problem.id,
            "kind": problem.data["kind"],
            "chapter": problem.chapter,
            "title": problem.title,
            "points": problem.data["points"],
            "difficulty": problem.data["difficulty"],
            "tags": list(problem.data.get("tags", ())),
            "covers": [row for _, row in covered(problem.data)],
            "source": problem.data["source"],
            "digest": problem.digest,
        }
        for problem in banks.problems.values()
        if only in (None, problem.chapter)
        and kind in (None, problem.data["kind"])
        and difficulty in (None, problem.data["difficulty"])
        and set(tag or ()) <= set(problem.data.get("tags", ()))
    ]
    if not rows:
        asked = {"chapter": only, "kind": kind, "difficulty": difficulty, "tag": " and ".join(tag) if tag else None}
        wanted = ", ".join(f"{name} {value or repr(value)}" for name, value in asked.items() if value is not None)
        raise ShardwiseError(
            f"No problem matches {wanted}.{_near(banks, asked)}" if wanted else "The bank has no problems."
        )
    if as_json:
        typer.echo(json.dumps(rows, ensure_ascii=False, indent=2))
        return
    head = ("problem", "kind", "points", "difficulty", "title")
    print_columns(
        head,
        [
            (*(row[name] for name in ("id", "kind")), f"{row['points']:g}", row["difficulty"], row["title"])
            for row in rows
        ],
    )
    typer.secho(f"{len(rows)} problem{'s' * (len(rows) != 1)}", dim=True)


@commands.command(epilog="Example:  shardwise show first-quantity --seed 7")
def show(problem: str, seed: Seed = "0", as_json: Json = False, bank: BankNames = None) -> None:
    """Show a question with its key and solution.

    The seed decides the numbers. Hints and recognised mistakes are shown too.
    """
    from shardwise.bank.posing import pose
    from shardwise.cli.bank_output import print_question
    from shardwise.kinds import kind_of

    question = pose(banks_of(bank).find(problem), seed)
    if as_json:
        document = {
            **question.model_dump(mode="json"),
            "mistakes": kind_of(question).mistakes(question),
        }
        typer.echo(json.dumps(document, ensure_ascii=False, indent=2))
        return
    print_question(question)


@commands.command(
    epilog='Example:  shardwise check first-quantity --seed 7 "130 ms"',
    context_settings={"ignore_unknown_options": True},  # an answer may begin with a minus
)
def check(
    problem: str, answer: Annotated[list[str], typer.Argument()], seed: Seed = "0", as_json: Json = False,
    bank: BankNames = None,
) -> None:  # fmt: skip
    """Check an answer. For a code problem, the answer is a file that defines the function."""
    from shardwise.bank.posing import pose
    from shardwise.kinds import kind_of
    from shardwise.markdown.feedback import as_terminal
    from shardwise.marking import check as mark
    from shardwise.question import Outcome

    if misspelt := [word for word in answer if word.startswith("--") and word[2:3].isalpha()]:
        raise typer.BadParameter(f"Unknown option {misspelt[0]}. See `shardwise check --help`.")
    raw = " ".join(answer)
    question = pose(banks_of(bank).find(problem), seed)
    if kind_of(question).is_program:
        path = Path(raw)
        if not path.is_file():
            raise ShardwiseError(f"For a code problem, give a file that defines the function; {raw!r} is not a file.")
        raw = read_text(path, raw)
    with ExitStack() as stack:

        def run(*call: Any) -> Any:
            """Open the sandbox on the first call, then run the program in it."""
            from shardwise.grading.running.sandboxes import runner

            return stack.enter_context(runner())(*call)

        feedback = mark(question, raw, runner=run, front="terminal")
    typer.echo(feedback.model_dump_json(indent=2) if as_json else as_terminal(feedback))
    raise typer.Exit(0 if feedback.outcome == Outcome.CORRECT else 1)


@commands.command(epilog="Example:  shardwise kinds match")
def kinds(
    name: Annotated[str | None, typer.Argument(help="Show how to write a problem of this kind.")] = None,
    as_json: Json = False,
) -> None:
    """List the kinds of questions, or describe one."""
    from shardwise.kinds import kinds as registered_kinds

    if name is not None:
        if name not in registered_kinds():
            raise ShardwiseError(f"Unknown kind {name!r}. The kinds are {', '.join(registered_kinds())}.")
        kind = registered_kinds()[name]
        described = {name: {"about": kind.about, "manual": kind.manual()}}
        typer.echo(
            json.dumps(described, ensure_ascii=False, indent=2) if as_json else f"{kind.about}\n\n{kind.manual()}"
        )
        return
    about = {name: kind.about for name, kind in registered_kinds().items()}
    if as_json:
        typer.echo(json.dumps(about, ensure_ascii=False, indent=2))
        return
    for name, words in about.items():
        typer.echo(f"{name:10} {words}")


@commands.command(epilog="Example:  shardwise render --check")
def render(
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; exit with code 1 if a notebook is out of date.")
    ] = False,
    out: Annotated[Path, typer.Option(help="Folder for the notebooks.")] = Path("notebooks"),
    force: Annotated[bool, typer.Option("--force", help="Overwrite notebooks that contain work.")] = False,
    typed: Annotated[
        bool,
        typer.Option("--typed", help="Write answer cells instead of forms, so that the notebooks can be graded."),
    ] = False,
    bank: BankNames = None,
) -> None:
    """Write a practice notebook for each chapter."""
    from shardwise.course.assigning.rendering import render as write_notebooks

    banks = banks_of(bank)
    drifted = write_notebooks(banks, out, check=check, force=force, typed=typed)
    for path in drifted:
        typer.echo(f"{path.name} {'is out of date' if check else 'written'}")
    typer.echo(
        f"{len(banks.chapters)} notebook{'s' * (len(banks.chapters) != 1)}, {len(drifted)} {'out of date' if check else 'changed'}"
    )
    if check and drifted:
        typer.echo("Run `shardwise render` and commit the notebooks.", err=True)
        raise typer.Exit(1)


@commands.command(epilog="Example:  shardwise formulas transfer time")
def formulas(
    words: Annotated[
        list[str] | None, typer.Argument(help="Show only formulas that contain all of these words.")
    ] = None,
    chapter: ChapterName = None,
    page: Annotated[
        Path | None,
        typer.Option(
            "--write", metavar="FILE", help="Write the formulas as a page: FILE.md, or FILE.html with a search box."
        ),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; exit with code 1 if the page is out of date.")
    ] = False,
    bank: BankNames = None,
) -> None:
    """Show the formulas behind the problems.

    Each formula comes with its arguments, units, source and the problems that ask for it.
    """
    from shardwise.bank.pages.formula_sheet import write_formula_sheet as write_page
    from shardwise.cli.bank_output import print_formula

    banks = banks_of(bank).read_all()
    only = None if chapter is None else banks.find_chapter(chapter)
    if page and len(banks.all) > 1:
        raise ShardwiseError("A page can cover only one bank. Name it with --bank.")
    found = [
        formula
        for each in banks.all
        for formula in formulas_of(each)
        if formula.holds(words or ()) and only in (None, formula.chapter)
    ]
    if not found:
        raise ShardwiseError(
            f"No formula contains {' and '.join(words)}. Use fewer words, or other ones."
            if words
            else "The bank has no formulas."
        )
    if page is None:
        if check:
            raise ShardwiseError("--check needs the page to check:  shardwise formulas --write FILE --check")
        for formula in found:
            print_formula(formula)
    elif write_page(banks.all[0], found, page, check=check) and check:
        typer.echo(
            f"{page} is out of date. Run `shardwise formulas --write {quote(str(page))}`.",
            err=True,
        )
        raise typer.Exit(1)
    typer.echo(f"{len(found)} formula{'s' * (len(found) != 1)}")


def _near(banks: Banks, asked: Mapping[str, str | None]) -> str:
    """Suggest what a filter of `list` may have meant: values with a similar spelling, or that contain its text."""
    known = {
        "chapter": list(banks.chapters),
        **{name: {problem.data[name] for problem in banks.problems.values()} for name in ("kind", "difficulty")},
        "tag": {tag for problem in banks.problems.values() for tag in problem.data.get("tags", ())},
    }
    meant = [
        near
        for name, value in asked.items()
        if value and value not in known[name]
        for near in [each for each in sorted(known[name]) if value.lower() in each][:3]
        or difflib.get_close_matches(value.lower(), known[name], n=3, cutoff=0.7)
    ]
    if meant:
        return f" Did you mean {' or '.join(meant)}?"
    difficulty = asked.get("difficulty")
    levels = " A difficulty is easy, medium or hard." if difficulty and difficulty not in known["difficulty"] else ""
    return f"{levels} `shardwise list` shows all problems."
