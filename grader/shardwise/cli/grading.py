"""The commands that grade: grade and regrade."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from shardwise.atomic_files import alone_in
from shardwise.bank.bank import Banks
from shardwise.cli.course_paths import banks_of_course, paths_to_grade
from shardwise.cli.deciding import OverridesFile, overrides_at, overrides_near, say_what_decides_nothing
from shardwise.cli.interrupts import say_when_stopped, waited_for
from shardwise.cli.options import TrustedBankNames, must_be_a_folder, trusted_banks_of
from shardwise.cli.tables import (
    print_changes,
    print_consequences,
    print_grades,
    progress_bar,
)
from shardwise.course.assigning.keys import named_key
from shardwise.errors import ShardwiseError
from shardwise.grading.running.cores import usable

if TYPE_CHECKING:
    from shardwise.course.assigning.lockfile import Lock
    from shardwise.exchange.nbgrader import Collected
    from shardwise.grading.intake import Decisions
    from shardwise.grading.outcome import Batch
    from shardwise.grading.overrides.keeping import Refusals
    from shardwise.grading.overrides.model import Override
    from shardwise.grading.regrade import Regrade
    from shardwise.grading.running.executors import Opener
    from shardwise.grading.worker import Settings
    from shardwise.question import Question

commands = typer.Typer()

Paths = Annotated[
    list[Path],
    typer.Argument(help="Notebooks, folders of notebooks, or zip archives; or, in a course, the name of a set."),
]
Locks = Annotated[
    list[Path] | None, typer.Option(help="Lock file of the set. Default: search the folders above the submissions.")
]
KeyFile = Annotated[
    Path | None,
    typer.Option(
        "--key",
        help="File of the course key. Default: the variable SHARDWISE_KEY, the key next to the lock file, or the key that `assign` used on this computer.",
    ),
]
Student = Annotated[
    str | None,
    typer.Option(
        help="The student who owns the notebook, whatever its metadata and folder say; only with a single notebook."
    ),
]
ReceivedBy = Annotated[
    str | None,
    typer.Option(
        "--received",
        metavar="FILE.csv|git",
        help="When notebooks were received: a CSV file with the columns student and time, or git for commit times. Default, and for students who are not in the CSV file: the files' own times.",
    ),
]
Latest = Annotated[
    bool,
    typer.Option(
        "--latest", help="If a student has several notebooks, grade the latest; without this, none of them counts."
    ),
]
Workers = Annotated[int | None, typer.Option(min=1, help="Number of processes. Default: one per core.")]
Nbgrader = Annotated[
    Path | None,
    typer.Option(
        metavar="COURSE",
        help="Folder of the nbgrader course with the submissions: times come from it, and scores, comments and notebooks go into it.",
    ),
]


@commands.command(epilog="Example:  shardwise grade submitted/ --out results/ --junit results/junit.xml")
def grade(
    paths: Paths,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder for grades.csv, results.jsonl and feedback/. Default: results/SET of the course."),
    ] = None,
    lock: Locks = None,
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
    from shardwise.grading.intake import locks_near
    from shardwise.grading.reports import write_junit
    from shardwise.grading.worker import Settings

    paths, out, lock, key = paths_to_grade(paths, out, lock, key, nbgrader)
    least = ci.threshold(fail_under) if fail_under is not None else None
    _must_be_a_tier(tier)
    ci.must_be_a_visibility(visibility)
    _must_exist(paths)
    _must_be_reports(junit=junit, summary=summary, gradescope=gradescope)
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
    course = _collected(nbgrader, paths, lock, key)
    paths, lock = (course.paths, course.lock_paths) if course else (paths, lock)
    near = locks_near(paths, lock or (), named_key(key)).known.values()
    decided = overrides_at(file := overrides_near(near, overrides))
    say_what_decides_nothing(file, decided, near)
    decisions = replace(
        _decisions(student, received, latest, near, ci.metadata_of(gradescope), by_nbgrader=bool(course)),
        overrides=decided,
    )
    try:
        batch = _run_batch(paths, out, lock or (), key, settings, decisions, place, workers, bank, yes=yes)
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
    if course:
        typer.echo(course.record(out))
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


def _collected(course: Path | None, paths: Sequence[Path], lock: Locks, key: Path | None) -> Collected | None:
    """Return the submissions in an nbgrader course, if one is named."""
    from shardwise.exchange.nbgrader import collected
    from shardwise.grading.intake import locks_near

    return collected(course, paths, locks_near(paths, lock or (), named_key(key))) if course else None


def _decisions(
    student: str | None,
    received: str | None,
    latest: bool,
    locks: Iterable[Lock],
    metadata: Path | None = None,
    *,
    by_nbgrader: bool = False,
) -> Decisions:
    """Return who submitted what and when, from the options, Gradescope's metadata or nbgrader's time stamps."""
    from shardwise.course.collecting.receipts import by_file, by_time, received_by
    from shardwise.course.gradescope import submitted_at, submitters
    from shardwise.exchange.nbgrader import by_timestamp
    from shardwise.grading.intake import Decisions

    at = submitted_at(metadata) if metadata else None
    when = (
        received_by(received, locks, partial(typer.echo, err=True))
        if received
        else by_time(at, "gradescope")
        if at
        else by_timestamp
        if by_nbgrader
        else by_file
    )
    return Decisions(student, when, latest, submitters(metadata) if metadata else ())


def _say_what_is_kept(out: Path) -> None:
    """Set the message for an interrupt: grades so far are kept."""
    say_when_stopped(f"Grades so far are saved in {out}. Run the same command again to continue.")


def _run_batch(
    paths: Sequence[Path],
    out: Path,
    locks: Sequence[Path],
    key: Path | None,
    settings: Settings,
    decisions: Decisions,
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
    from shardwise.grading.intake import locks_near

    with alone_in(out):
        found = consequences(paths, out, locks_near(paths, locks, named_key(key)), decisions)
        print_consequences(found)
        if found and not yes and not _agreed("Grade and write these changes?"):
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
            paths, out, locks=locks, key=named_key(key), practice=_practice(banks), settings=settings,
            decisions=decisions, workers=width, executor=executor, progress=advance,
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


@commands.command(epilog="Example:  shardwise regrade submitted/ --out results/")
def regrade(
    paths: Paths,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder with the results to update: --out of `shardwise grade`. Default: results/SET of the course."
        ),
    ] = None,
    lock: Locks = None,
    key: KeyFile = None,
    student: Student = None,
    received: ReceivedBy = None,
    latest: Latest = False,
    overrides: OverridesFile = None,
    never_down: Annotated[
        bool, typer.Option("--never-down", help="No answer loses points: what it has now is kept by an override.")
    ] = False,
    accept: Annotated[
        list[str] | None,
        typer.Option(metavar="WORDS", help="Change points only for causes with these words. Repeat it."),
    ] = None,
    refuse: Annotated[
        list[str] | None, typer.Option(metavar="WORDS", help="Keep the points for causes with these words. Repeat it.")
    ] = None,
    workers: Workers = None,
    nbgrader: Nbgrader = None,
    yes: Annotated[bool, typer.Option("--yes", help="Write the new grades without asking.")] = False,
    bank: TrustedBankNames = None,
) -> None:
    """Grade again with the current version of each problem.

    This shows which points would change and why, and asks before it changes any. If none change, it only updates hints,
    feedback and solutions.
    """
    from shardwise.course.course_file import course_around
    from shardwise.grading.intake import locks_near
    from shardwise.grading.overrides.keeping import Refusals
    from shardwise.grading.record.ledger import LEDGER
    from shardwise.grading.regrade import regrade as run
    from shardwise.grading.running.cores import usable

    if out is None:
        paths, out, lock, key = paths_to_grade(paths, out, lock, key, nbgrader)
        bank = bank or banks_of_course(course_around(Path.cwd()))
    _must_exist(paths)
    say_when_stopped(f"Nothing in {out} was changed. Run the same command again to continue.")
    if not (out / LEDGER).is_file():
        raise ShardwiseError(
            f"{out} contains no results yet. Grade first:  shardwise grade ... --out {quote(str(out))}"
        )
    course = _collected(nbgrader, paths, lock, key)
    paths, lock = (course.paths, course.lock_paths) if course else (paths, lock)
    near = locks_near(paths, lock or (), named_key(key)).known.values()
    file = overrides_near(near, overrides)
    decisions = replace(
        _decisions(student, received, latest, near, by_nbgrader=bool(course)), overrides=overrides_at(file)
    )
    say_what_decides_nothing(file, decisions.overrides, near)
    banks, refusals = trusted_banks_of(bank), Refusals(never_down, accept or (), refuse or ())
    if refusals and file is None:
        raise ShardwiseError(
            "--never-down, --accept and --refuse need the lock file of a set. The points of practice notebooks cannot be kept."
        )

    def graded_again(decisions: Decisions) -> Regrade:
        with progress_bar("grading again", None) as advance:
            return run(
                paths, out, banks, locks=lock or (), key=named_key(key), decisions=decisions,
                workers=workers or len(usable()), progress=advance,
            )  # fmt: skip

    with alone_in(out):
        again = graded_again(decisions)
        if kept := _kept(again, refusals):
            again = graded_again(replace(decisions, overrides=decisions.overrides.with_entries(kept)))
        answers, students = print_changes(again)
        counts = {"answer": answers, "student": students}
        told = " and ".join(f"{count} {what}{'s' * (count > 1)}" for what, count in counts.items() if count)
        if not told:
            words = _other_than_points(again)
            _write(again, file, kept)  # newer templates give the same points, so there is nothing to decide
            typer.echo(f"No points change. {words}")
        elif yes or _agreed(f"{told} would change. Write these changes?"):
            _write(again, file, kept)
            typer.echo(
                f"Wrote {out / 'grades.csv'}. Earlier gradings stay on record:  shardwise history --out {quote(str(out))}"
            )
        else:
            again.discard()
            typer.echo(
                f"Nothing was written.{'' if sys.stdin.isatty() else ' Use --yes to write without being asked.'}"
            )
            raise typer.Exit(1)
    if course:
        typer.echo(course.record(out))


def _other_than_points(again: Regrade) -> str:
    """Return what is written although no points change: current hints, solutions and keys, for students to read."""
    locks, gradings = again.rewritten()
    written = [
        *(f"{lock.name}, from the current templates (the previous one is kept next to it)" for lock in locks),
        *([f"{gradings} feedback page{'s' * (gradings > 1)}"] if gradings else []),
    ]
    return f"Wrote {'; '.join(written)}." if written else "Nothing else changes either."


def _kept(again: Regrade, refusals: Refusals) -> list[Override]:
    """Return the overrides that keep the points whose change an instructor refuses."""
    from shardwise.grading.batch import now_in_utc, who_runs
    from shardwise.grading.overrides.keeping import overrides_that_keep

    if not refusals:
        return []
    changes = list(again.changes())
    refusals.check(changes)
    return list(overrides_that_keep(changes, refusals, who_runs(), now_in_utc()))


def _write(again: Regrade, file: Path | None, kept: Sequence[Override]) -> None:
    """Write the new gradings, and before them the overrides that keep points.

    Ctrl-C is held back until all of it is written: halfway, lock file, ledger and tables would disagree.
    """
    from shardwise.grading.overrides.overrides_file import add_overrides

    with waited_for():
        if kept and file:  # without a lock file, nothing is kept
            add_overrides(file, kept)
            typer.echo(f"Added {len(kept)} override{'s' * (len(kept) > 1)} to {file}: these points stay as they are.")
        again.write()
        say_when_stopped(f"The new grades were written to {again.out}.")


def _must_be_reports(**files: Path | None) -> None:
    """Raise ShardwiseError, before anything is graded, for a report that could not be written."""
    endings = {
        "junit": ".xml",
        "summary": ".md",
        "gradescope": ".json",
    }  # so a typo cannot overwrite a course key or a lock file
    for option, path in files.items():
        if path and path.is_dir():
            raise ShardwiseError(f"--{option} needs a file to write, but {path} is a folder.")
        if path and path.suffix != endings[option]:
            raise ShardwiseError(f"--{option} needs a file name that ends in {endings[option]}, but {path} does not.")


def _must_exist(paths: Sequence[Path]) -> None:
    """Raise ShardwiseError for paths that do not exist, before a folder is created for their results."""
    missing = [str(path) for path in paths if not path.exists()]
    if missing:
        raise ShardwiseError(f"{', '.join(missing)} {'does' if len(missing) == 1 else 'do'} not exist.")


def _agreed(question: str) -> bool:
    """Ask on a terminal and return whether the answer is yes; a script has to use --yes instead."""
    return sys.stdin.isatty() and typer.confirm(question)


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
