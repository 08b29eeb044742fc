"""The command `lint`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from shardwise.bank.bank import Banks
from shardwise.cli.options import BankNames, banks_of
from shardwise.cli.tables import progress_bar
from shardwise.errors import Fault, Faulty, ShardwiseError

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
    from shardwise.cli.bank_output import print_reports

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
    from shardwise.cli.bank_output import print_spreads

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
