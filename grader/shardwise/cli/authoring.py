"""The commands for authors of problems: schema, new, fork, banks, init and coverage."""

from __future__ import annotations

import json
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from shardwise.bank.bank import Bank, Banks
from shardwise.bank.discovery import SHIPPED, installed_bank, installed_banks
from shardwise.bank.lint.coverage import coverage_table, summary
from shardwise.bank.lint.coverage import write_coverage as write_page
from shardwise.bank.pages.curriculum import NAME, Curriculum, curriculum_of
from shardwise.cli.options import BankNames, banks_of
from shardwise.cli.tables import print_columns
from shardwise.cli.trust import trust_if_possible
from shardwise.errors import ShardwiseError
from shardwise.plugins import BANKS, added

commands = typer.Typer()
_DESCRIBED = "problem, chapter, curriculum, prose, units, set, course or overrides"


@commands.command(epilog="Example:  shardwise schema > problem.schema.json")
def schema(
    of: Annotated[
        str,
        typer.Argument(help=f"The file to describe: {_DESCRIBED}."),
    ] = "problem",
) -> None:
    """Print the JSON Schema of a YAML file.

    With it, an editor completes and checks a bank's YAML files, sets, courses and overrides.
    """
    from shardwise.bank.files import adapter

    if of == "set":
        from shardwise.course.assigning.set_file import SetDefinition

        document = SetDefinition.model_json_schema()
    elif of == "course":
        from shardwise.course.course_file import CourseDefinition

        document = CourseDefinition.model_json_schema()
    elif of == "overrides":
        from shardwise.grading.overrides.overrides_file import adapter_of_entries

        document = adapter_of_entries().json_schema()
    elif of in ("problem", "chapter", "curriculum", "prose", "units"):
        document = adapter(of).json_schema()
    else:
        raise ShardwiseError(f"Unknown file {of!r}. Choose {_DESCRIBED}.")
    document["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    document["title"] = f"shardwise {of}"
    typer.echo(json.dumps(document, indent=2, ensure_ascii=False))


@commands.command(epilog="Example:  shardwise new 01-first-chapter/my-problem --kind quantity")
def new(
    problem: Annotated[str, typer.Argument(help="The problem's id: chapter folder and slug.")],
    kind: Annotated[str, typer.Option(help="The kind of question; `shardwise kinds` lists them.")] = "quantity",
    bank: BankNames = None,
) -> None:
    """Create a problem and add it to its chapter.

    The new problem passes the lint, so you can edit it step by step.
    """
    from shardwise.bank.scaffold import new_problem

    for path in new_problem(problem, kind, banks_of(bank)):
        typer.echo(f"Wrote {path}")
    named = "".join(f" --bank {quote(name)}" for name in bank or ())
    typer.echo(f"Edit it, then check it:  shardwise lint {quote(problem)}{named}")


@commands.command(epilog="Example:  shardwise fork adam-states --into my-bank")
def fork(
    problem: Annotated[str, typer.Argument(help="The problem's id or slug.")] = "",
    into: Annotated[
        Path, typer.Option(metavar="DIR", help="Folder of your own bank, which is created if it does not exist.")
    ] = Path("my-bank"),
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; exit with code 1 if an original has changed since its fork.")
    ] = False,
    bank: Annotated[
        list[str] | None,
        typer.Option("--bank", metavar="DIR", help="Bank with the original. Default: the installed bank."),
    ] = None,
) -> None:
    """Copy a problem into your own bank, to change it there.

    The copy has the same id and comes with the references and oracles that it needs, and only those. It passes the lint.
    """
    from shardwise.bank.forking import changed_originals, fork_problem

    originals = banks_of(bank or [SHIPPED])
    if check:
        found = list(changed_originals(Bank.open(into), originals))
        for name, why in found:
            typer.echo(f"{name}: {why or 'the original has not changed'}")
        if not found:
            typer.echo(f"No forks in {into}")
        raise typer.Exit(1 if any(why for _, why in found) else 0)
    if not problem:
        raise ShardwiseError("Which problem? `shardwise list` shows all; for example:  shardwise fork adam-states")
    original = originals.find(problem)
    made = fork_problem(original, into)
    if made.is_new_bank:
        trust_if_possible(into)
    for path in made.written:
        typer.echo(f"Wrote {path}")
    for path in made.kept:
        typer.echo(f"Kept {path}, which differs from the original's")
    own = quote(_as_folder(into))
    others = " ".join(f"--bank {quote(name)}" for name in bank or [SHIPPED])
    typer.echo(
        f"Edit it, then check it:    shardwise lint {original.slug} --bank {own}\n"
        f"Replace the original:      --bank {own} {others}\n"
        f"Has the original changed?  shardwise fork --check --into {own}" + (f" {others}" if bank else "")
    )


@commands.command(epilog="Example:  shardwise banks")
def banks() -> None:
    """List the installed banks, with their names for --bank."""
    rows, broken = [], []
    known = installed_banks()
    for name in dict.fromkeys((*known, *added(BANKS))):
        try:
            bank = Bank.open(known.get(name) or installed_bank(name))
            rows.append((name, str(len(bank.chapters)), str(len(bank.problems)), str(bank.folder)))
        except ShardwiseError as error:
            broken.append(str(error))
    if not (rows or broken):
        raise ShardwiseError("No bank is installed here. Install the shipped one:  pip install shardwise-bank")
    print_columns(("bank", "chapters", "problems", "folder"), rows, right=(1, 2))
    for why in broken:
        typer.echo(why, err=True)
    raise typer.Exit(1 if broken else 0)


beginnings = typer.Typer(help="Create a bank or a course.", no_args_is_help=True)
commands.add_typer(beginnings, name="init")


@beginnings.command("bank", epilog="Example:  shardwise init bank my-bank")
def init_bank(
    folder: Annotated[
        Path,
        typer.Argument(metavar="DIR", help="A new folder, or one without problems/, solutions/ and shardwise.toml."),
    ],
) -> None:
    """Create a bank: a folder of problems with their references.

    It has one chapter with a problem of each built-in kind, references and oracles, and passes the lint.
    """
    from shardwise.bank.scaffold import init_bank as run

    for path in run(folder):
        typer.echo(f"Wrote {path}")
    trust_if_possible(folder)
    typer.echo(f"Check it:  shardwise lint --bank {quote(_as_folder(folder))}")


def _as_folder(folder: Path) -> str:
    """Return a folder's name in a form that `--bank` cannot confuse with an installed bank or a home directory."""
    is_taken = str(folder).strip() in (SHIPPED, *added(BANKS))
    return f"./{folder}" if is_taken or str(folder).startswith("~") else str(folder)


@commands.command(epilog="Example:  shardwise coverage --write docs/coverage.md")
def coverage(
    page: Annotated[
        Path | None, typer.Option("--write", metavar="FILE", help="Write the table as a Markdown page.")
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; exit with code 1 if the page is out of date.")
    ] = False,
    bank: BankNames = None,
) -> None:
    """Show which problems cover the curriculum."""

    curriculum = _curriculum(banks_of(bank))
    if page is None:
        if check:
            raise ShardwiseError("--check needs the page to check:  shardwise coverage --write FILE --check")
        print_columns(("row", "chapter", "asks", "covered by"), coverage_table(curriculum))
    elif write_page(curriculum, page, check=check) and check:
        typer.echo(
            f"{page} is out of date. Run `shardwise coverage --write {quote(str(page))}` and commit it.",
            err=True,
        )
        raise typer.Exit(1)
    typer.echo(summary(curriculum))


def _curriculum(banks: Banks) -> Curriculum:
    """Return the curriculum of the one bank that has one. Raises ShardwiseError if none has, or several have."""

    found = [curriculum for each in banks.all if (curriculum := curriculum_of(each))]
    if not found:
        raise ShardwiseError(f"No bank here has a {NAME}, the list of what it covers.")
    if len(found) > 1:
        raise ShardwiseError("Several of these banks have a curriculum. Name one with --bank.")
    return found[0]
