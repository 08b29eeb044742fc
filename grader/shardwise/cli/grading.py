"""The `grade` command."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shardwise.atomic_files import alone_in
from shardwise.bank.bank import Banks
from shardwise.cli.course_paths import paths_to_grade
from shardwise.cli.deciding import OverridesFile
from shardwise.cli.grading_output import print_consequences, print_grades
from shardwise.cli.interrupts import say_when_stopped
from shardwise.cli.options import TrustedBankNames, must_be_a_folder, must_end_in, trusted_banks_of
from shardwise.cli.submitted import (
    KeyFile,
    Latest,
    LockFiles,
    Nbgrader,
    Paths,
    ReceivedBy,
    Student,
    Submitted,
    Workers,
    agreed,
    submitted_in,
)
from shardwise.cli.tables import progress_bar
from shardwise.errors import ShardwiseError
from shardwise.grading.running.cores import usable

if TYPE_CHECKING:
    from shardwise.grading.outcome import Batch
    from shardwise.grading.running.executors import Opener
    from shardwise.grading.worker import Settings
    from shardwise.question import Question

commands = typer.Typer()


@commands.command(epilog="Example:  shardwise grade submitted/ --out results/ --junit results/junit.xml")
def grade(
    paths: Paths,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder for grades.csv, results.jsonl and feedback/. Default: results/SET of the course."),
    ] = None,
    lock: LockFiles = None,
    key: KeyFile = None,
    student: Student = None,
    received: ReceivedBy = None,
    latest: Latest = False,
    overrides: OverridesFile = None,
    junit: Annotated[Path | None, typer.Option(help="Write JUnit XML to this file.")] = None,
    summary: Annotated[
        Path | None, typer.Option(help="Write a summary in Markdown to this file, such as for a GitHub job.")
    ] = None,
    gradescope: Annotated[
        Path | None, typer.Option(help="Write Gradescope's results.json to this file; only with a single notebook.")
    ] = None,
    visibility: Annotated[
        str, typer.Option(help="When Gradescope shows the results: visible, hidden, after_due_date or after_published.")
    ] = "visible",
    nbgrader: Nbgrader = None,
    workers: Workers = None,
    tier: Annotated[
        str | None, typer.Option(help="Sandbox tier to use: 1, 1b or 2. Default: the strongest that works here.")
    ] = None,
    scheduler: Annotated[
        str | None, typer.Option(help="Grade on the workers of this Dask scheduler, such as tcp://...")
    ] = None,
    slurm: Annotated[
        bool, typer.Option("--slurm", help="Grade in --workers Slurm jobs, as configured for Dask.")
    ] = False,
    kubernetes: Annotated[
        bool, typer.Option("--kubernetes", help="Grade in --workers Kubernetes pods, as configured for Dask.")
    ] = False,
    bank: TrustedBankNames = None,
    solutions: Annotated[
        bool, typer.Option("--solutions", help="Include worked solutions in the feedback pages.")
    ] = False,
    yes: Annotated[
        bool,
        typer.Option(
            "--yes",
            help="Do not ask before a student loses a grade, a notebook becomes late or on time, or a question's points change.",
        ),
    ] = False,
    fail_under: Annotated[
        str | None,
        typer.Option(metavar="POINTS|PERCENT", help="Exit with code 1 if a notebook scores less, such as 20 or 60%."),
    ] = None,
    expect: Annotated[
        str | None,
        typer.Option(
            metavar="CHAPTER|SET",
            help="Exit with code 1 if a notebook does not belong to this chapter or set, such as 01-first-chapter.",
        ),
    ] = None,
    unsafe: Annotated[
        bool,
        typer.Option(
            "--unsafe-no-sandbox", help="Run student code with your own permissions. Only for code that you wrote."
        ),
    ] = False,
) -> None:
    """Grade notebooks in the sandbox.

    If it is interrupted, run it again: notebooks that are already graded are skipped.

    Exit codes: 0, everything was graded; 1, a notebook could not be graded, is below --fail-under or does not match --expect;
    2, wrong usage.
    """
    from shardwise.cli import ci
    from shardwise.exchange.gradescope_run import write_gradescope
    from shardwise.exchange.job_summary import write_summary
    from shardwise.grading.batch import NoNotebook
    from shardwise.grading.reports import write_junit
    from shardwise.grading.worker import Settings

    paths, out, lock, key = paths_to_grade(paths, out, lock, key, nbgrader)
    least = ci.threshold(fail_under) if fail_under is not None else None
    _must_be_a_tier(tier)
    ci.must_be_a_visibility(visibility)
    for ending, path, option in (
        (".xml", junit, "junit"),
        (".md", summary, "summary"),
        (".json", gradescope, "gradescope"),
    ):
        must_end_in(ending, path, option)
    must_be_a_folder(out)
    place = _place(scheduler, slurm, kubernetes)
    _say_what_is_kept(out)
    if unsafe:
        typer.echo(
            "NO SANDBOX: the notebooks' code runs with your permissions. It can read your files, your keys and the answers, use "
            "your network, and forge its own grade. Use this only for code that you wrote.",
            err=True,
        )
    settings = Settings(unsafe=unsafe, tier=tier, solutions=solutions)
    given = submitted_in(
        paths, lock, key, student=student, received=received, latest=latest, overrides=overrides, nbgrader=nbgrader,
        metadata=ci.metadata_of(gradescope),
    )  # fmt: skip
    try:
        batch = _run_batch(given, out, settings, place, workers, bank, yes=yes)
    except NoNotebook:
        if gradescope:
            write_gradescope((), gradescope, visibility)
        raise
    submitted = ci.handed_in(batch) if junit or summary or gradescope else []
    if junit:
        write_junit(submitted, junit)
    if summary:
        write_summary(submitted, summary)
    has_grade = not gradescope or write_gradescope(submitted, gradescope, visibility)
    counts = print_grades(batch)
    if given.course:
        typer.echo(given.course.record(out))
    if gradescope and (notebooks := len(submitted)) != 1:
        typer.echo(
            f"--gradescope is for a single notebook, but there are {notebooks}: {gradescope} has no grade.", err=True
        )
    is_under = least is not None and ci.say_who_is_under(batch, least, lambda words: typer.echo(words, err=True))
    is_another = expect is not None and ci.say_who_is_another(batch, expect, lambda words: typer.echo(words, err=True))
    is_incomplete = counts["ungraded"] or counts["incomplete"] or not has_grade
    raise typer.Exit(1 if is_incomplete or is_under or is_another else 0)


def _must_be_a_tier(tier: str | None) -> None:
    from shardwise.sandbox.tiers import TIERS

    if tier is not None and tier not in TIERS:
        raise ShardwiseError(
            f"The sandbox has no tier {tier!r}. Choose {', '.join(TIERS)}; `shardwise doctor` shows which of them work here."
        )


def _say_what_is_kept(out: Path) -> None:
    """Set the message for an interrupt: grades so far are kept."""
    say_when_stopped(f"Grades so far are saved in {out}. Run the same command again to continue.")


def _run_batch(
    given: Submitted,
    out: Path,
    settings: Settings,
    place: str | None,
    workers: int | None,
    banks: list[str] | None,
    *,
    yes: bool,
) -> Batch:
    """Grade a batch and write its tables; exit first if that would change something that nobody confirmed."""
    from shardwise.grading import reports
    from shardwise.grading.batch import grade as run
    from shardwise.grading.consequences import consequences

    with alone_in(out):
        found = consequences(given.paths, out, given.locks, given.decisions)
        print_consequences(found)
        if found and not yes and not agreed("Grade and write these changes?"):
            typer.echo(
                f"Nothing was graded or written.{'' if sys.stdin.isatty() else ' Use --yes to proceed without being asked.'}"
            )
            raise typer.Exit(1)
    with (
        alone_in(out),
        _where(place, settings, workers) as (executor, width),
        progress_bar("grading", None) as advance,
    ):
        batch = run(
            given.paths, out, locks=given.locks, key=given.key, practice=_practice(banks), settings=settings,
            decisions=given.decisions, workers=width, executor=executor, progress=advance,
        )  # fmt: skip
        reports.write_tables(batch)
    return batch


def _practice(names: list[str] | None) -> Callable[[str, str], Sequence[Question] | None]:
    """Return a function that draws the questions of practice notebooks; it opens the banks only when it is needed."""
    opened: list[Banks] = []

    def practised(chapter: str, seed: str) -> Sequence[Question] | None:
        from shardwise.bank.posing import pose_chapter

        if not opened:
            opened.append(trusted_banks_of(names))
        return pose_chapter(opened[0], chapter, seed)

    return practised


def _place(scheduler: str | None, slurm: bool, kubernetes: bool) -> str | None:
    """Return the cluster that was asked for, if any."""
    asked = {scheduler: bool(scheduler), "slurm": slurm, "kubernetes": kubernetes}
    places = [place for place, wanted in asked.items() if wanted]
    if len(places) > 1:
        raise ShardwiseError("Use only one of --scheduler, --slurm and --kubernetes.")
    return places[0] if places else None


@contextmanager
def _where(place: str | None, settings: Settings, workers: int | None) -> Iterator[tuple[Opener | None, int]]:
    """Yield what a batch runs on, a cluster or this machine, and its number of workers."""

    if place is None:
        yield None, workers or len(usable())
        return
    from shardwise.grading.cluster import cluster

    with cluster(place, settings, lambda text: typer.echo(text, err=True), workers) as found:
        yield found
