"""The commands for authors of problems: lint, schema, new, fork, banks, init and coverage."""

from __future__ import annotations

import json
from collections.abc import Sequence
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
from shardwise.cli.tables import print_columns, print_reports, print_spreads, progress_bar
from shardwise.cli.trust import trust_folder
from shardwise.errors import Fault, Faulty, ShardwiseError
from shardwise.plugins import BANKS, added

_MOST_SEEDS = 1_000_000  # this many take hours


commands = typer.Typer()


@commands.command(epilog="Example:  shardwise lint problems/01-first-chapter --seeds 1000")
def lint(
    paths: Annotated[list[str] | None, typer.Argument(help="Chapters or problems. Default: the whole bank.")] = None,
    seeds: Annotated[int, typer.Option(min=1, max=_MOST_SEEDS, help="Number of draws per problem.")] = 200,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Number of processes, at most one per core. Default: one per core.")
    ] = None,
    fairness: Annotated[
        bool,
        typer.Option(
            "--fairness", help="Instead, report how much the difficulty varies between the draws of a problem."
        ),
    ] = False,
    prose: Annotated[
        bool,
        typer.Option(
            "--prose",
            help="Instead, check the English of problems and lessons for long sentences and phrases to avoid.",
        ),
    ] = False,
    changed: Annotated[
        str | None,
        typer.Option(
            metavar="REF",
            help="Only problems that changed since the branch left this Git revision, such as origin/main: their YAML, chapter, references or oracles. HEAD: what is not committed.",
        ),
    ] = None,
    no_cache: Annotated[
        bool,
        typer.Option("--no-cache", help="Check problems again that passed before and have not changed since."),
    ] = False,
    style: Annotated[
        str, typer.Option("--format", help="How to print faults: text, or github for annotations in a pull request.")
    ] = "text",
    bank: BankNames = None,
) -> None:
    """Check that the bank is sound.

    For many draws of each problem, confirm the key with the oracle, check that no mistake is within tolerance of the key, and
    render every text.
    """
    if fairness and prose:
        raise ShardwiseError("Use only one of --fairness and --prose.")
    if style not in ("text", "github"):
        raise ShardwiseError(f"--format must be text or github, not {style!r}.")
    only = [name for name in map(_id_of, paths or []) if name]
    folder = Path(bank[0]) if bank else Path()
    try:
        banks = banks_of(bank)
        folder = banks.all[0].folder
        if changed is not None and not (only := _changed(banks, changed, only)):
            typer.echo(f"No problem has changed since {changed}")
        elif fairness:
            _print_fairness(banks, seeds, only)
        elif prose:
            _print_prose(banks, only, style)
        else:
            _print_lint(banks, seeds, only, workers, style, cached=not no_cache)
    except Faulty as error:  # a file cannot be read
        if style == "text":
            raise
        _print_faults(error.faults, folder, style)
        raise typer.Exit(1) from None


def _print_lint(
    banks: Banks, seeds: int, only: Sequence[str], workers: int | None, style: str, *, cached: bool
) -> None:
    """Check problems, print a row for each and then their faults, and exit with code 1 if there is any."""
    from shardwise.bank.lint.lint import faults_of
    from shardwise.bank.lint.lint import lint as run

    with progress_bar("checking", None) as advance:
        reports = run(banks, seeds=seeds, only=only, workers=workers, progress=advance, cached=cached)
    print_reports(reports)
    faults = faults_of(reports)
    _print_faults(faults, banks.all[0].folder, style)
    proved = sum(1 for report in reports if report.kind)
    earlier = sum(report.is_earlier for report in reports)
    typer.echo(
        f"{proved} problem{'s' if proved != 1 else ''}, {seeds} draw{'s' if seeds != 1 else ''} each: "
        + (f"{len(faults)} fault{'s' * (len(faults) != 1)}" if faults else "all sound")
        + (f"; {earlier} unchanged since an earlier run" if earlier else "")
    )
    raise typer.Exit(1 if faults else 0)


def _changed(banks: Banks, ref: str, only: Sequence[str]) -> list[str]:
    """Return the problems that changed since a Git revision, among those in `only`."""
    from shardwise.bank.dependencies import Dependencies
    from shardwise.bank.lint.lint import chosen

    named = {problem for _, problem in chosen(banks, only)}
    return [problem for bank in banks.all for problem in Dependencies(bank).changed_since(ref) if problem in named]


def _print_faults(faults: Sequence[Fault], bank: Path, style: str) -> None:
    """Print faults as text, or as annotations that GitHub shows at their lines."""
    from shardwise.cli.annotations import annotation

    for fault in faults:
        if style == "github":
            typer.echo(annotation(fault, bank))
        else:
            typer.echo(str(fault), err=True)


def _print_fairness(banks: Banks, seeds: int, only: Sequence[str]) -> None:
    """Print the problems by the spread between their easiest and their hardest draw, the widest first."""
    from shardwise.bank.lint.fairness import spreads

    with progress_bar("drawing", None) as advance:
        found = spreads(banks, seeds=seeds, only=only, progress=advance)
    print_spreads(found)


def _print_prose(banks: Banks, only: Sequence[str], style: str) -> None:
    """Print what the prose should avoid, and exit with code 1 if there is anything."""
    from shardwise.bank.lint.prose import prose_faults

    faults = prose_faults(banks, only)
    _print_faults(faults, banks.all[0].folder, style)
    typer.echo(f"{len(faults)} fault{'s' * (len(faults) != 1)} in the prose" if faults else "No faults in the prose")
    raise typer.Exit(1 if faults else 0)


def _id_of(path: str) -> str:
    """Return the id of the problem or chapter at a path in the bank; empty for the bank itself.

    >>> _id_of("problems/01-first-chapter/lesson.md")
    '01-first-chapter'
    """
    parts = [part for part in path.replace("\\", "/").split("/") if part not in ("", ".")]
    if "problems" in parts:
        parts = parts[parts.index("problems") + 1 :]
    if len(parts) > 1 and parts[-1] in ("lesson.md", "chapter.yaml"):
        parts.pop()
    return "/".join(parts).removesuffix(".yaml")


@commands.command(epilog="Example:  shardwise schema > problem.schema.json")
def schema(
    of: Annotated[
        str,
        typer.Argument(
            help="The file to describe: problem, chapter, curriculum, prose, units, set, course or overrides."
        ),
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
        raise ShardwiseError(
            f"There is no schema for {of!r}. Choose problem, chapter, curriculum, prose, units, set, course or overrides."
        )
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
            typer.echo(f"{into} has no forks")
        raise typer.Exit(1 if any(why for _, why in found) else 0)
    if not problem:
        raise ShardwiseError("Which problem? `shardwise list` shows all; for example:  shardwise fork adam-states")
    original = originals.find(problem)
    made = fork_problem(original, into)
    if made.is_new_bank:
        trust_folder(into)
    for path in made.written:
        typer.echo(f"Wrote {path}")
    for path in made.kept:
        typer.echo(f"Kept {path}, which differs from the original's")
    own = quote(_as_folder(into))
    others = " ".join(f"--bank {quote(name)}" for name in bank or [SHIPPED])
    typer.echo(
        f"Edit it, then check it:    shardwise lint {original.slug} --bank {own}\n"
        f"Use it for the original:   --bank {own} {others}\n"
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


@beginnings.callback()
def _beginnings() -> None:
    """Create a bank or a course."""


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
    trust_folder(folder)
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
