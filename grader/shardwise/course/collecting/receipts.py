"""When a notebook was received: as its file says, as a table says, or as git's commits say."""

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
_MOST_NAMED, _LONGEST_NAME = 20, 60  # rows of a table that are named in a line, and characters of each


BY_FILE = ("file", "archive")  # the sources that are only as good as whoever copied the files


@dataclass(frozen=True)
class Receipt:
    """When a notebook was received, and who says so; None where nobody knows."""

    at: datetime | None = None
    source: str = ""  # file, archive, table, git or gradescope


Received = Callable[[SubmittedFile, str], Receipt]  # of a notebook and its student
_SECONDS = 10  # for git
_MOST_OF_A_REFERENCE, _MOST_OF_ALL = (
    1_000,
    10_000_000,
)  # bytes of a file that names one commit, or all commits that have names


def by_file(found: SubmittedFile, _student: str) -> Receipt:
    """When the file was last changed."""
    try:
        return Receipt(found.changed(), "archive" if found.member and found.is_named else "file")
    except OSError as error:
        raise CannotRead(f"This file cannot be read: {error.strerror or error}.") from None


def by_time(at: datetime, source: str) -> Received:
    """Return what takes the time that a course system gives for the one notebook."""
    return lambda _found, _student: Receipt(at, source)


def received_by(source: str, locks: Iterable[Lock], say: Callable[[str], object]) -> Received:
    """Return what `--received` names: `git`, or a CSV file with the columns student and time, read by the students of these sets.

    What its rows call a student may be anything that the roster does. `say` is told which rows are about none of them.
    """
    return by_git if source == "git" else _by_table(Path(source), list(locks), say)


def _by_table(path: Path, locks: Sequence[Lock], say: Callable[[str], object]) -> Received:
    """Return the times of a table, and of the files for students who are not in it. Raises Faulty with all its faults."""
    table = load_table(path, "--received takes git or a CSV file.")
    if not {"student", "time"} <= {*table.columns}:
        raise Faulty(
            [Fault(f"{path}:1:1", f"I saw {table.seen}", "A table of receipts begins with the line: student,time")]
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
            faults.append(Fault(f"{path}:{number}:1", f"I saw the time {row['time']!r}", "Write it with its offset, such as 2026-12-01T23:59:00+01:00."))  # fmt: skip
            continue
        called = row["student"].strip()
        students = _who_is(called, locks)
        if len(students) != 1:
            strangers.append(called)
            continue
        [student] = students
        if student in times:
            faults.append(
                Fault(f"{path}:{number}:1", f"student {student!r} appears twice", "Keep the line that counts.")
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
    """Name the rows of a table that say nothing of anybody, as far as a line has room."""
    count = len(strangers)
    named = ", ".join(f"{called[:_LONGEST_NAME]!r}" for called in strangers[:_MOST_NAMED])
    more = f" and {count - _MOST_NAMED:,} more" if count > _MOST_NAMED else ""
    return (
        f"{path}: {count:,} row{'s are' if count > 1 else ' is'} not used, since the lock file names no such student, or several: "
        f"{named}{more}. Write the students' ids, or what the roster calls them."
    )


def by_git(found: SubmittedFile, _student: str) -> Receipt:
    """Return the commit time of the file's current content, or no time if it is uncommitted: checkouts change file times."""
    return Receipt(_committed(found), "git")


def _committed(found: SubmittedFile) -> datetime | None:
    """When the file was last committed, as it is now; None when it is not. Whoever commits decides what time is claimed.

    The repository may be a student's, and its configuration may name programs that git runs. So git gets the objects of
    that repository, and reads no configuration of it.
    """
    path = found.path.resolve()
    repository = next((folder for folder in path.parents if (folder / ".git").is_dir()), None)
    head = _head(repository / ".git") if repository else None
    if repository is None or head is None or os.path.lexists(repository / ".git/objects/info/alternates"):
        return None  # by alternates git would read wherever they say
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
    """Return git's name for the contents of a file, which is read in pieces: an archive may be of any size."""
    with path.open("rb") as file:
        found = hashlib.sha1(b"blob %d\0" % os.fstat(file.fileno()).st_size)
        for piece in iter(lambda: file.read(_PIECE), b""):
            found.update(piece)
    return found.hexdigest()


def _head(folder: Path) -> str | None:
    """The commit that is checked out."""
    text = _text(folder / "HEAD", _MOST_OF_A_REFERENCE)
    if text.startswith("ref: refs/") and ".." not in text:
        name = text.removeprefix("ref: ")
        packed = _text(folder / "packed-refs", _MOST_OF_ALL)
        found = re.search(rf"^([0-9a-f]+) {re.escape(name)}$", packed, re.MULTILINE)
        text = _text(folder / name, _MOST_OF_A_REFERENCE) or (found[1] if found else "")
    return text if re.fullmatch(r"[0-9a-f]{40}|[0-9a-f]{64}", text) else None


def _text(path: Path, most: int) -> str:
    """What a file of a student's says; nothing where it cannot be read, is no ordinary file, or is too long."""
    with suppress(OSError, ValueError):
        return read_bounded(path, most).decode().strip()
    return ""


def _git(repository: str, objects: Path | None, *arguments: str) -> str:
    """What git says of an empty repository that borrows objects; nothing when it fails."""
    surroundings = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    surroundings |= {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_NO_LAZY_FETCH": "1"}
    if objects is not None:
        surroundings["GIT_ALTERNATE_OBJECT_DIRECTORIES"] = str(objects)
    try:
        done = subprocess.run(["git", "--git-dir", repository, *arguments], capture_output=True, text=True,
                              env=surroundings, timeout=_SECONDS, check=False)  # fmt: skip
    except FileNotFoundError:
        raise ShardwiseError("--received git needs the program git, which is not installed here.") from None
    except subprocess.TimeoutExpired:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
