"""The `regrade` command, which grades again after a fix and shows the changes before it writes them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from shardwise.atomic_files import alone_in
from shardwise.cli.course_paths import banks_of_course, paths_to_grade
from shardwise.cli.deciding import OverridesFile
from shardwise.cli.grading_output import print_changes
from shardwise.cli.interrupts import say_when_stopped, waited_for
from shardwise.cli.options import TrustedBankNames, trusted_banks_of
from shardwise.cli.submitted import (
    KeyFile,
    Latest,
    LockFiles,
    Nbgrader,
    Paths,
    ReceivedBy,
    Student,
    Workers,
    agreed,
    submitted_in,
)
from shardwise.cli.tables import progress_bar
from shardwise.errors import ShardwiseError

if TYPE_CHECKING:
    from shardwise.grading.intake import Decisions
    from shardwise.grading.overrides.keeping import Refusals
    from shardwise.grading.overrides.model import Override
    from shardwise.grading.regrade import Regrade

commands = typer.Typer()


@commands.command(epilog="Example:  shardwise regrade submitted/ --out results/")
def regrade(
    paths: Paths,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder with the results to update: --out of `shardwise grade`. Default: results/SET of the course."
        ),
    ] = None,
    lock: LockFiles = None,
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
    from shardwise.grading.overrides.keeping import Refusals
    from shardwise.grading.record.ledger import LEDGER
    from shardwise.grading.regrade import regrade as run
    from shardwise.grading.running.cores import usable

    if out is None:
        paths, out, lock, key = paths_to_grade(paths, out, lock, key, nbgrader)
        bank = bank or banks_of_course(course_around(Path.cwd()))
    say_when_stopped(f"Nothing in {out} was changed. Run the same command again to continue.")
    given = submitted_in(
        paths, lock, key, student=student, received=received, latest=latest, overrides=overrides, nbgrader=nbgrader
    )
    if not (out / LEDGER).is_file():
        raise ShardwiseError(
            f"{out} contains no results yet. Grade first:  shardwise grade ... --out {quote(str(out))}"
        )
    banks, refusals = trusted_banks_of(bank), Refusals(never_down, accept or (), refuse or ())
    if refusals and given.overrides is None:
        raise ShardwiseError(
            "--never-down, --accept and --refuse need the lock file of a set. The points of practice notebooks cannot be kept."
        )

    def graded_again(decisions: Decisions) -> Regrade:
        with progress_bar("grading again", None) as advance:
            return run(
                given.paths, out, banks, locks=given.locks, key=given.key, decisions=decisions,
                workers=workers or len(usable()), progress=advance,
            )  # fmt: skip

    with alone_in(out):
        again = graded_again(given.decisions)
        if kept := _kept(again, refusals):
            again = graded_again(replace(given.decisions, overrides=given.decisions.overrides.with_entries(kept)))
        answers, students = print_changes(again)
        counts = {"answer": answers, "student": students}
        told = " and ".join(f"{count} {what}{'s' * (count > 1)}" for what, count in counts.items() if count)
        if not told:
            words = _other_than_points(again)
            _write(again, given.overrides, kept)  # newer templates give the same points: nothing to decide
            typer.echo(f"No points change. {words}")
        elif yes or agreed(f"{told} would change. Write these changes?"):
            _write(again, given.overrides, kept)
            typer.echo(
                f"Wrote {out / 'grades.csv'}. Earlier gradings stay on record:  shardwise history --out {quote(str(out))}"
            )
        else:
            again.discard()
            typer.echo(
                f"Nothing was written.{'' if sys.stdin.isatty() else ' Use --yes to write without being asked.'}"
            )
            raise typer.Exit(1)
    if given.course:
        typer.echo(given.course.record(out))


def _other_than_points(again: Regrade) -> str:
    """Say which files are written although no points change: lock files with current keys, and feedback pages."""
    locks, gradings = again.rewritten()
    written = [
        *(f"{lock.name}, from the current templates (the previous one is kept next to it)" for lock in locks),
        *([f"{gradings} feedback page{'s' * (gradings > 1)}"] if gradings else []),
    ]
    return f"Wrote {'; '.join(written)}." if written else "Nothing else changes either."


def _kept(again: Regrade, refusals: Refusals) -> list[Override]:
    """Return overrides that keep the points whose changes the instructor refuses."""
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
