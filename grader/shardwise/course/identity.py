"""Whose a notebook is: its metadata, the place where it lies and the lock file must agree, or a person decides."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from shardwise.course.found import BadSubmission, Found, shown
from shardwise.course.lockfile import Lock
from shardwise.course.submissions import Submission

_COLLECTED = "submitted"  # what nbgrader calls the folder of submissions, and so do we


def of_set(found: Found, submission: Submission, lock: Lock, decided: str | None = None) -> Submission:
    """A notebook of a set with the student whose it is: the one that was `decided` on, or whom everything names.

    Raises BadSubmission that says what disagrees.
    """
    student = decided or submission.student
    named = students_at(found, lock)
    if not student and len(named) == 1:
        (student,) = named
    if not student:
        raise BadSubmission("This notebook's metadata name no student. Say whose it is with --student.")
    if student not in lock.places:
        who = "--student names" if decided else "This notebook names the student"
        raise BadSubmission(f"{who} {student!r}, who is not in {lock.path.name}.")
    if decided:
        return _decided(submission, decided)
    others = sorted(named - {student})
    if others:
        raise BadSubmission(f"This is {student}'s notebook in {others[0]}'s folder.")
    called = _called_after(found, lock)
    if called not in (None, student) and not named:
        raise BadSubmission(f"This is {student}'s notebook, and its file is called after {called}.")
    return replace(submission, student=student)


def of_practice(found: Found, submission: Submission, among: Path, decided: str | None = None) -> Submission:
    """A practice notebook with the student whose it is: their folder's name, or else the file's. Metadata do not decide.

    `among` is the folder that holds all that was named. In a folder `submitted`, as nbgrader lays it out, the folders
    inside are the students'.
    """
    if decided:
        return _decided(submission, decided)
    folders = [shown(name) for name in _below(found, among) if name != submission.practice]
    stem = "" if found.stem == submission.practice else found.stem
    student = next(iter([*folders, stem or shown(found.path.parent.resolve().name)]))
    return replace(submission, student=student)


def _called_after(found: Found, lock: Lock) -> str | None:
    """The student after whom a file is called, by its whole name or by what stands before the first _, as in bob_late_123."""
    name, students = _folded(found.stem), _students(lock)
    return students.get(name) or students.get(name.partition("_")[0])


def students_at(found: Found, lock: Lock) -> set[str]:
    """The students of a lock file after whom folders on the way to a notebook are called, or the archive that holds it."""
    path, students = found.path.parent.resolve() / found.path.name, _students(lock)  # a link is where it lies
    common = Path(os.path.commonpath([path.parent, lock.path.resolve().parent]))
    home = Path.home().resolve()  # that of somebody who grades may be called like a student
    base = home if path.is_relative_to(home) and home.is_relative_to(common) else common
    below = path.relative_to(base).parts
    folders = [*(below if path.is_dir() and not path.is_symlink() else below[:-1]), *_inside(found)]
    if _COLLECTED in folders:  # it holds the submissions of all, though a student may have that name
        folders.remove(_COLLECTED)
    if found.member:  # bob.zip and bob.ipynb.zip are as good as a folder bob
        folders += [path.stem, Path(path.stem).stem]
    return {students[name] for name in map(_folded, folders) if name in students}


def _decided(submission: Submission, student: str) -> Submission:
    note = f"The notebook's metadata name {submission.student}; {student} was decided on."
    notes = (note, *submission.notes) if submission.student not in ("", student) else submission.notes
    return replace(submission, student=student, notes=notes)


def _below(found: Found, among: Path) -> list[str]:
    """The folders in which a notebook lies, below the folder of submissions."""
    folder = found.path.parent.resolve()
    parts: Sequence[str] = folder.parts
    if _COLLECTED in parts:
        parts = parts[len(parts) - parts[::-1].index(_COLLECTED) :]
    else:
        parts = folder.relative_to(among).parts if folder.is_relative_to(among) else ()
    archive = [found.path.stem] if found.member and not (parts or _inside(found)) else []
    return [*parts, *_inside(found), *archive]


def _inside(found: Found) -> Sequence[str]:
    """The folders in which a notebook lies inside its archive."""
    return Path(found.member).parts[:-1]


@lru_cache(maxsize=32)  # asked for each notebook of a class
def _students(lock: Lock) -> Mapping[str, str]:
    """The students as folders may be called: a disk may not tell capitals, nor ways to write an accent."""
    return {_folded(student): student for student in lock.places}


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).strip().casefold()


def folder_of(paths: Sequence[Path]) -> Path:
    """The folder that holds all that was named; a folder that was named alone is that folder."""
    folders = [path.resolve() if path.is_dir() else path.resolve().parent for path in paths]
    return Path(os.path.commonpath(folders)) if folders else Path.cwd()
