"""Receipts: when a notebook was received, according to its file, a table, or git commits."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from shardwise.course.assigning.lockfile import Lock
from shardwise.course.collecting.names import Students, names_of
from shardwise.course.collecting.submitted_files import CannotRead, SubmittedFile
from shardwise.course.tables import load_table
from shardwise.errors import Fault, Faulty, ShardwiseError
from shardwise.text_files import read_bounded

_PIECE = 2**20  # bytes of a file that are held in memory
_MOST_NAMED, _LONGEST_NAME = 20, 60  # rows of a table that a message names, and characters of each


BY_FILE = ("file", "archive")  # sources that depend on how the files were copied


@dataclass(frozen=True)
class Receipt:
    """When a notebook was received and the source of that time; None if it is unknown."""

    at: datetime | None = None
    source: str = ""  # file, archive, table, git or gradescope


Received = Callable[[SubmittedFile, str], Receipt]  # from a notebook and its student
_SECONDS = 10  # for git
_MOST_OF_A_REFERENCE, _MOST_OF_ALL = (
    1_000,
    10_000_000,
)  # bytes of a file with one reference, or with all packed references


def by_file(found: SubmittedFile, _student: str) -> Receipt:
    """Return when the file was last changed."""
    try:
        return Receipt(found.changed(), "archive" if found.member and found.is_named else "file")
    except OSError as error:
        raise CannotRead(f"This file cannot be read: {error.strerror or error}.") from None


def by_time(at: datetime, source: str) -> Received:
    """Return a function that gives every notebook the time from a course system."""
    return lambda _found, _student: Receipt(at, source)


def received_by(source: str, locks: Iterable[Lock], say: Callable[[str], object]) -> Received:
    """Return the source of times that `--received` names: `git`, or a CSV file with the columns student and time.

    The file's rows may use any name for a student that the roster contains. `say` is called with the rows that match no student
    of these sets.
    """
    return by_git if source == "git" else _by_table(Path(source), list(locks), say)


def _by_table(path: Path, locks: Sequence[Lock], say: Callable[[str], object]) -> Received:
    """Return the times of a table, or of the files for students who are not in it. Raises Faulty with all its faults."""
    table = load_table(path, "--received takes git or a CSV file.")
    if not {"student", "time"} <= {*table.columns}:
        raise Faulty(
            [
                Fault(
                    f"{path}:1:1",
                    f"the first line is {table.seen}",
                    "A table of receipts must begin with the line: student,time",
                )
            ]
        )
    times: dict[str, datetime] = {}
    strangers: list[str] = []
    faults = []
    for number, row in table.rows:
        try:
            time = datetime.fromisoformat(row["time"].strip())
            if time.tzinfo is None:
                raise ValueError
        except ValueError:
            faults.append(Fault(f"{path}:{number}:1", f"cannot read the time {row['time']!r}", "Write it with an offset, such as 2026-12-01T23:59:00+01:00."))  # fmt: skip
            continue
        called = row["student"].strip()
        students = _who_is(called, locks)
        if len(students) != 1:
            strangers.append(called)
            continue
        [student] = students
        if student in times:
            faults.append(
                Fault(f"{path}:{number}:1", f"student {student!r} is listed twice", "Keep the line that counts.")
            )
        times[student] = time
    if faults:
        raise Faulty(faults)
    if strangers:
        say(_not_placed(path, strangers))
    return lambda found, student: Receipt(times[student], "table") if student in times else by_file(found, student)


def _who_is(called: str, locks: Sequence[Lock]) -> Students:
    """Return the students with this id, or else with this address or alias."""
    if any(called in lock.places for lock in locks):
        return frozenset({called})
    return frozenset[str]().union(*(names_of(lock).with_id(called) for lock in locks))


def _not_placed(path: Path, strangers: Sequence[str]) -> str:
    """Return a message about the rows of a table that match no student, with as many names as fit."""
    count = len(strangers)
    named = ", ".join(f"{called[:_LONGEST_NAME]!r}" for called in strangers[:_MOST_NAMED])
    more = f" and {count - _MOST_NAMED:,} more" if count > _MOST_NAMED else ""
    return (
        f"{path}: ignored {count:,} row{'s' * (count > 1)} whose name belongs to no student of the lock file, or to several: "
        f"{named}{more}. Use the students' ids, or names from the roster."
    )


def by_git(found: SubmittedFile, _student: str) -> Receipt:
    """Return the commit time of the file's current content, or no time if it is uncommitted: checkouts change file times."""
    return Receipt(_committed(found), "git")


def _committed(found: SubmittedFile) -> datetime | None:
    """Return when the file's current content was committed, or None. The committer can claim any time.

    The repository may come from a student, and its configuration could make git run programs. So git gets only the objects of
    that repository, and does not read its configuration.
    """
    path = found.path.resolve()
    repository = next((folder for folder in path.parents if (folder / ".git").is_dir()), None)
    head = _head(repository / ".git") if repository else None
    if repository is None or head is None or os.path.lexists(repository / ".git/objects/info/alternates"):
        return None  # alternates would make git read from any folder
    place = path.relative_to(repository).as_posix()
    with tempfile.TemporaryDirectory() as empty:
        _git(empty, None, "init", "--bare", "--quiet", empty)
        objects = repository / ".git" / "objects"
        if _git(empty, objects, "rev-parse", f"{head}:{place}") != _blob(path):
            return None
        time = _git(empty, objects, "log", "-1", "--format=%cI", head, "--", place)
    with suppress(ValueError):
        return datetime.fromisoformat(time)
    return None


def _blob(path: Path) -> str:
    """Return the hash of git's blob for a file, which is read in pieces because an archive may have any size."""
    with path.open("rb") as file:
        found = hashlib.sha1(b"blob %d\0" % os.fstat(file.fileno()).st_size)
        for piece in iter(lambda: file.read(_PIECE), b""):
            found.update(piece)
    return found.hexdigest()


def _head(folder: Path) -> str | None:
    """Return the commit that is checked out."""
    text = _text(folder / "HEAD", _MOST_OF_A_REFERENCE)
    if text.startswith("ref: refs/") and ".." not in text:
        name = text.removeprefix("ref: ")
        packed = _text(folder / "packed-refs", _MOST_OF_ALL)
        found = re.search(rf"^([0-9a-f]+) {re.escape(name)}$", packed, re.MULTILINE)
        text = _text(folder / name, _MOST_OF_A_REFERENCE) or (found[1] if found else "")
    return text if re.fullmatch(r"[0-9a-f]{40}|[0-9a-f]{64}", text) else None


def _text(path: Path, most: int) -> str:
    """Return the text of a student's file; empty if it cannot be read, is not a regular file, or is too long."""
    with suppress(OSError, ValueError):
        return read_bounded(path, most).decode().strip()
    return ""


def _git(repository: str, objects: Path | None, *arguments: str) -> str:
    """Return git's output for an empty repository that borrows objects; empty if git fails."""
    surroundings = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    surroundings |= {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_NO_LAZY_FETCH": "1"}
    if objects is not None:
        surroundings["GIT_ALTERNATE_OBJECT_DIRECTORIES"] = str(objects)
    try:
        done = subprocess.run(["git", "--git-dir", repository, *arguments], capture_output=True, text=True,
                              env=surroundings, timeout=_SECONDS, check=False)  # fmt: skip
    except FileNotFoundError:
        raise ShardwiseError("--received git needs git, which is not installed here.") from None
    except subprocess.TimeoutExpired:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
