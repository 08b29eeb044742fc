"""Paths that a course implies: in its folder, `assign`, `grade` and `regrade` need only the name of a set.

For `grade` and `regrade`, a course counts only in the current folder and if its lock file is signed with a key that was
given or that `assign` used on this computer: a student may have handed in a `course.yaml`, with a lock file and a key.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from shardwise.bank.discovery import VARIABLE, bank_folders
from shardwise.cli.trust import must_be_trusted
from shardwise.course.assigning.keys import is_ours, key_fingerprint, named_key, read_key
from shardwise.errors import ShardwiseError

if TYPE_CHECKING:
    from shardwise.course.course_file import Course


def paths_to_assign(
    definition: Path, roster: Path | None, out: Path | None, key: Path | None
) -> tuple[Path, Path, Path, Path | None]:
    """Return set, roster, folder and key of `assign`, with what was not given from the course around the current folder."""
    if roster and out:
        return definition, roster, out, key
    from shardwise.course.assigning.lockfile import LOCK_SUFFIX

    course = _course_here("--roster and --out")
    name = _set_of(course, str(definition))
    if not (key or course.key.exists()) and (signed := sorted((course.folder / "assigned").glob(f"*/*{LOCK_SUFFIX}"))):
        raise ShardwiseError(
            f"{_short(signed[0])} is signed with a course key, but {_short(course.key)} does not exist. Restore the key from a copy."
        )
    return (
        _short(course.file_of(name)),
        roster or _short(course.roster),
        out or _short(course.assigned(name)),
        key or _short(course.key),
    )


def paths_to_grade(
    paths: list[Path], out: Path | None, lock: list[Path] | None, key: Path | None, nbgrader: Path | None = None
) -> tuple[list[Path], Path, list[Path] | None, Path | None]:
    """Return submissions, results, lock files and key of `grade`; without `--out`, those of a set of this course.

    With an nbgrader course, the submissions are those that nbgrader collected.
    """
    if out is not None:
        return paths, out, lock, key
    course = _course_here("--out")
    if course.folder != Path.cwd().resolve():
        raise ShardwiseError(f"Run this in the folder of the course:  cd {quote(str(course.folder))}")
    if len(paths) > 1:
        raise ShardwiseError("Without --out, name one set of the course.")
    name = _set_of(
        course,
        str(paths[0]),
        " Put submissions into the folder submitted/SET, or name a folder for the results with --out.",
    )
    submitted, known = nbgrader / "submitted" if nbgrader else course.submitted(name), course.lock(name)
    if not lock:
        if not known.exists():
            raise ShardwiseError(_not_assigned(_short(known), name))
        key = key if named_key(key) else _own_key(course, known)
    if not submitted.exists():
        raise ShardwiseError(f"{_short(submitted)} does not exist. Put the submissions for {name} into that folder.")
    locks = lock or [_short(known)]
    return [_short(_download_in(submitted, locks))], _short(course.results(name)), locks, key


def _download_in(submitted: Path, locks: Sequence[Path]) -> Path:
    """Return the archive of the whole class that a folder contains; the folder if it contains anything else.

    An archive with a student's name is that student's, and its limits are those of one student.
    """
    from shardwise.course.assigning.lockfile import Lock
    from shardwise.course.collecting.identity import means_a_student

    inside = [path for path in submitted.iterdir() if not path.name.startswith(".")] if submitted.is_dir() else []
    if len(inside) != 1 or inside[0].suffix.lower() != ".zip" or inside[0].is_symlink() or not inside[0].is_file():
        return submitted
    return submitted if any(means_a_student(inside[0], Lock(lock)) for lock in locks) else inside[0]


def _own_key(course: Course, lock: Path) -> Path | None:
    """Return the file of a course's key if it has signed a lock file; None to look for it where `assign` used it.

    Raises ShardwiseError if `assign` has not used that key on this computer.
    """
    from shardwise.course.assigning.lockfile import claimed_key

    known_by = claimed_key(lock)
    if not is_ours(known_by):
        raise ShardwiseError(
            f"{_short(lock)} was not assigned on this computer, so the course may not be yours. If it is, name its key:  "
            f"--key {quote(str(_short(course.key)))}"
        )
    is_signer = course.key.is_file() and key_fingerprint(read_key(course.key)) == known_by
    return _short(course.key) if is_signer else None


def _set_of(course: Course, words: str, remedy_for_a_path: str = "") -> str:
    """Return the name of a set of a course. Raises ShardwiseError with the known sets."""
    if name := course.set_called(words):
        return name
    remedy = ""
    if Path(words).suffix in (".yaml", ".yml") and Path(words).is_file():
        remedy = f" Add it to the sets in {_short(course.file)}."
    elif (course.folder / "sets" / f"{words}.yaml").is_file():
        remedy = f" Add sets/{words}.yaml to the sets in {_short(course.file)}."
    elif Path(words).exists():
        remedy = remedy_for_a_path
    raise ShardwiseError(f"Unknown set {words!r}; known: {', '.join(course.sets) or 'none'}.{remedy}")


def _not_assigned(lock: Path, name: str) -> str:
    return f"{lock} does not exist. Assign the set first:  shardwise assign {quote(name)}"


def set_file(named: Path) -> Path:
    """Return the file of a set: a YAML file, or the name of a set of the course. Raises ShardwiseError."""
    if named.is_file():
        return named
    course = _course_around_here()
    if course is None:
        raise ShardwiseError(f"{named} does not exist. Name the YAML file of a set.")
    return _short(course.file_of(_set_of(course, str(named))))


def lock_file(named: Path) -> Path:
    """Return the lock file of a set: this file, the only one in a folder, or that of a set of the course.

    Raises ShardwiseError.
    """
    from shardwise.course.assigning.lockfile import LOCK_SUFFIX

    course = None if named.suffix == ".jsonl" else _course_around_here()
    if course and (name := course.set_called(str(named))):
        named = _short(course.lock(name))
        if not named.is_file():
            raise ShardwiseError(_not_assigned(named, name))
    elif named.is_dir():
        found = sorted(named.glob(f"*{LOCK_SUFFIX}"))
        if len(found) != 1:
            raise ShardwiseError(f"Found {len(found)} lock files (*{LOCK_SUFFIX}) in {named}. Name one.")
        named = found[0]
    if not named.is_file():
        raise ShardwiseError(
            f"Cannot find the lock file {named}. Name the file that `assign` wrote, or a set of the course"
            + (f": {', '.join(course.sets)}." if course and course.sets else ".")
        )
    return named


def banks_of_course(course: Course | None) -> list[str] | None:
    """Return the banks that a course names, after the user has agreed once to run their code; None if it names none.

    A bank in --bank or SHARDWISE_BANK comes first, so this is for commands that were given neither.
    """
    if course is None or not course.definition.bank or os.environ.get(VARIABLE):
        return None
    folders = bank_folders(course.definition.bank, course.folder)
    must_be_trusted(folders, course.file)
    return [str(folder) for folder in folders]


def results_to_read(names: Sequence[str]) -> tuple[list[Path], Course | None]:
    """Return the folders with the results of some sets, and the course around the current folder.

    A name is a folder with results, or a set of the course; without names, all sets of the course that have been graded.
    Raises ShardwiseError if there are none.
    """
    from shardwise.grading.results import RESULTS

    def is_graded(folder: Path) -> bool:
        return (folder / RESULTS).is_file()

    course = _course_around_here() if names else _course_here("a folder with results")
    if course is None:
        return [Path(name) for name in names], None
    if names:
        folders = [Path(name) if is_graded(Path(name)) else course.results(_set_of(course, name)) for name in names]
        for folder in folders:
            if not is_graded(folder):
                raise ShardwiseError(
                    f"{folder.name} has not been graded yet. Grade it first:  shardwise grade {quote(folder.name)}"
                )
    elif not (folders := [*filter(is_graded, map(course.results, course.sets))]):
        raise ShardwiseError("No set of this course has been graded yet. Grade one first:  shardwise grade SET")
    return [*map(_short, folders)], course


def _course_around_here() -> Course | None:
    from shardwise.course.course_file import course_around  # imported here, because it loads the reader of YAML

    return course_around(Path.cwd())


def _course_here(otherwise: str) -> Course:
    """Return the course around the current folder. Raises ShardwiseError, which says what else can be named."""
    if course := _course_around_here():
        return course
    raise ShardwiseError(
        f"Without {otherwise}, name a set of a course, in a folder that has a course.yaml:  shardwise init course DIR creates one."
    )


def _short(path: Path) -> Path:
    """Return a path relative to the current folder if it is below it."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
