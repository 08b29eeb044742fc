"""Submissions as `grade` and `regrade` get them: the options, and the lock files, times and decisions that follow."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shardwise.cli.deciding import overrides_at, overrides_near, say_what_decides_nothing
from shardwise.course.assigning.keys import named_key
from shardwise.errors import ShardwiseError

if TYPE_CHECKING:
    from shardwise.course.collecting.receipts import Received
    from shardwise.exchange.nbgrader import Collected
    from shardwise.grading.intake import Decisions, Locks

Paths = Annotated[
    list[Path],
    typer.Argument(help="Notebooks, folders of notebooks, or zip archives; or, in a course, the name of a set."),
]
LockFiles = Annotated[
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


@dataclass(frozen=True)
class Submitted:
    """Submissions with their lock files, decisions and course."""

    paths: Sequence[Path]
    locks: Locks
    key: bytes | None
    decisions: Decisions
    overrides: Path | None  # the file, which may not exist yet; None without a lock file
    course: Collected | None  # of nbgrader


def submitted_in(
    paths: Sequence[Path],
    lock: Sequence[Path] | None,
    key: Path | None,
    *,
    student: str | None,
    received: str | None,
    latest: bool,
    overrides: Path | None,
    nbgrader: Path | None,
    metadata: Path | None = None,
) -> Submitted:
    """Read lock files, overrides, Gradescope's metadata and an nbgrader course, as the options name them.

    Raises ShardwiseError, before a folder is created for the results, if any of them cannot be read.
    """
    from shardwise.course.gradescope import submitters
    from shardwise.exchange.nbgrader import collected
    from shardwise.grading.intake import Decisions, locks_near

    if missing := [str(path) for path in paths if not path.exists()]:
        raise ShardwiseError(f"{', '.join(missing)} {'does' if len(missing) == 1 else 'do'} not exist.")
    given = named_key(key)
    locks = locks_near(paths, lock or (), given)
    course = collected(nbgrader, paths, locks) if nbgrader else None
    known = locks.known.values()
    file = overrides_near(known, overrides)
    decided = overrides_at(file)
    say_what_decides_nothing(file, decided, known)
    when = _when(received, locks, metadata, by_nbgrader=course is not None)
    decisions = Decisions(student, when, latest, submitters(metadata) if metadata else (), decided)
    return Submitted(course.paths if course else paths, locks, given, decisions, file, course)


def _when(received: str | None, locks: Locks, metadata: Path | None, *, by_nbgrader: bool) -> Received:
    """Return the source of receipt times: the option, or else Gradescope's metadata, nbgrader, or the files."""
    from shardwise.course.collecting.receipts import by_file, by_time, received_by
    from shardwise.course.gradescope import submitted_at
    from shardwise.exchange.nbgrader import by_timestamp

    if received:
        return received_by(received, locks.known.values(), partial(typer.echo, err=True))
    if metadata and (at := submitted_at(metadata)):
        return by_time(at, "gradescope")
    return by_timestamp if by_nbgrader else by_file


def agreed(question: str) -> bool:
    """Ask on a terminal and return whether the answer is yes; a script has to use --yes instead."""
    return sys.stdin.isatty() and typer.confirm(question)
