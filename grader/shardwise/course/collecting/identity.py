"""Whose a notebook is: its metadata, the place where it lies and the lock file must agree, or a person decides."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from shardwise.course.assigning.lockfile import Lock
from shardwise.course.collecting.names import NOBODY, Called, names_of
from shardwise.course.collecting.submissions import Submission
from shardwise.course.collecting.submitted_files import BadSubmission, SubmittedFile, readable_name, stem_of
from shardwise.course.gradescope import People, called, exported_at, is_of_gradescope, uploaders_of

_COLLECTED = "submitted"  # what nbgrader calls the folder of submissions, and so do we


class Disagreement(BadSubmission):
    """A notebook names one student, and the place where it lies another: it says nothing about either."""

    def __init__(self, message: str, claimed: str) -> None:
        super().__init__(message)
        self.claimed = claimed  # the student whom the notebook names


def of_set(
    found: SubmittedFile, submission: Submission, lock: Lock, decided: str | None = None, uploaders: People = ()
) -> Submission:
    """Return a notebook of a set with its student: the one that was `decided` on, or whom everything names.

    `uploaders` is who handed it in, where a course system says so.

    Raises BadSubmission that says what is missing, Disagreement that says what disagrees.
    """
    student = decided or submission.student or owner(found, lock)
    if not student:
        raise BadSubmission("This notebook's metadata name no student. Say whose it is with --student.")
    if student not in lock.places:
        who = "--student names" if decided else "This notebook names the student"
        raise BadSubmission(f"{who} {student!r}, who is not in {lock.path.name}.")
    if decided:
        return _decided(submission, decided)
    upload = [replace(called(uploaders, names_of(lock)), is_upload=True)] if uploaders else []
    for call in (*_calls(found, lock), *upload):
        _must_agree(call, student, lock, is_for_uploader=bool(uploaders))
    return replace(submission, student=student)


def _must_agree(call: Called, student: str, lock: Lock, *, is_for_uploader: bool) -> None:
    """Raise Disagreement where a folder, an archive or a file is called after somebody else, or somebody else handed it in.

    What an uploader reads names no classmate: a file's name would tell whose id is whose.
    """
    if student in call.students:
        return
    whose = "This notebook names another student" if is_for_uploader else f"This is {student}'s notebook"
    if call.students:
        other = "somebody else" if is_for_uploader else " or ".join(sorted(call.students))
        where = f", and its file is called after {other}" if call.is_file else f" in {other}'s folder"
        where = ", and you handed it in" if call.is_upload else where
        whose = "This notebook names one student" if is_for_uploader and not call.is_upload else whose
        raise Disagreement(f"{whose}{where}. Say whose it is with --student.", student)
    if call.person and not names_of(lock).may_be(student, call.person):
        raise Disagreement(
            f"{whose}, and it was handed in by “{readable_name(call.person)}”, whom {lock.path.name} does not "
            "know. Say whose it is with --student.",
            student,
        )


def owner(found: SubmittedFile, lock: Lock) -> str:
    """Return the student after whom the place of a notebook is called; nothing where that is nobody, or may be several."""
    known = [call.students for call in _calls(found, lock) if call.students]
    students = frozenset.intersection(*known) if known else NOBODY
    return next(iter(students)) if len(students) == 1 else ""


def exported_time(found: SubmittedFile, lock: Lock) -> datetime | None:
    """Return when a notebook was handed in by an export of Gradescope; None where there is none.

    One in a folder that is called after a student does not count: the student may have written it.
    """
    for folder in _on_disk(found, lock):
        if is_of_gradescope(folder):
            return exported_at(folder)
        if names_of(lock).called(folder.name).students:
            break
    return None


def may_be_of(found: SubmittedFile, lock: Lock) -> str:
    """Return, in words, the students after whom a place may be called; nothing where it is clear."""
    several = sorted(set().union(*(call.students for call in _calls(found, lock))))
    return f" Its place may be that of {' or '.join(several)}." if len(several) > 1 and not owner(found, lock) else ""


def vouches(found: SubmittedFile, student: str, lock: Lock) -> bool:
    """Return whether the place of a notebook is called after its student, so that nobody else handed it in."""
    return any(call.students == {student} for call in _calls(found, lock))


def of_practice(found: SubmittedFile, submission: Submission, among: Path, decided: str | None = None) -> Submission:
    """A practice notebook with the student whose it is: their folder's name, or else the file's. Metadata do not decide.

    `among` is the folder that holds all that was named. In a folder `submitted`, as nbgrader lays it out, the folders
    inside are the students'.
    """
    if decided:
        return _decided(submission, decided)
    folders = [readable_name(name) for name in _below(found, among) if name != submission.practice]
    stem = "" if found.stem == submission.practice else found.stem
    student = next(iter([*folders, stem or readable_name(found.path.parent.resolve().name)]))
    return replace(submission, student=student)


def _calls(found: SubmittedFile, lock: Lock) -> list[Called]:
    """Return the students named by a notebook's folders and archives, or else by its file."""
    names, folders = names_of(lock), _folders(found, lock)
    calls = [names.called(name) for name in folders]
    calls += [uploaders_of(folder, names) for folder in _on_disk(found, lock) if is_of_gradescope(folder)][:1]
    if not any(call.students or call.person for call in calls):
        calls.append(replace(names.called(found.stem), is_file=True))
    return calls


def means_a_student(folder: Path, lock: Lock) -> bool:
    """Return whether a folder, or a file, is called after a student, or by a course system after somebody."""
    names = names_of(lock)
    if folder.name == _COLLECTED:
        return False
    calls = (
        [uploaders_of(folder, names)]
        if is_of_gradescope(folder)
        else map(names.called, (folder.name, stem_of(folder.name)))
    )
    return any(call.students or call.person for call in calls)


def _folders(found: SubmittedFile, lock: Lock) -> list[str]:
    """Return the names of the folders on the way to a notebook, and of the archive that holds it."""
    folders = [folder.name for folder in _on_disk(found, lock)]
    if found.member:  # bob.zip and bob.ipynb.zip are as good as a folder bob
        folders += [found.path.stem, Path(found.path.stem).stem]
    folders += found.inside
    if _COLLECTED in folders:  # it holds the submissions of all, though a student may have that name
        folders.remove(_COLLECTED)
    return folders


def _on_disk(found: SubmittedFile, lock: Lock) -> list[Path]:
    """Return the folders on the way to a notebook that belong to the course."""
    path = found.path.parent.resolve() / found.path.name  # a link is where it lies
    common = Path(os.path.commonpath([path.parent, lock.path.resolve().parent]))
    home = Path.home().resolve()  # that of somebody who grades may be called like a student
    base = home if path.is_relative_to(home) and home.is_relative_to(common) else common
    below = path.relative_to(base).parts
    count = len(below) if path.is_dir() and not path.is_symlink() else len(below) - 1
    return [base.joinpath(*below[: depth + 1]) for depth in range(count)]


def _decided(submission: Submission, student: str) -> Submission:
    note = f"The notebook's metadata name {submission.student}; {student} was decided on."
    notes = (note, *submission.notes) if submission.student not in ("", student) else submission.notes
    return replace(submission, student=student, notes=notes)


def _below(found: SubmittedFile, among: Path) -> list[str]:
    """The folders in which a notebook lies, below the folder of submissions."""
    folder = found.path.parent.resolve()
    parts: Sequence[str] = folder.relative_to(among).parts if folder.is_relative_to(among) else ()
    if _COLLECTED in among.parts:  # a `submitted` further down is a student's own
        parts = (*among.parts[len(among.parts) - among.parts[::-1].index(_COLLECTED) :], *parts)
    elif parts[:1] == (_COLLECTED,):
        parts = parts[1:]
    archive = [found.path.stem] if found.member and not (parts or found.inside) else []
    return [*parts, *found.inside, *archive]


def folder_of(paths: Sequence[Path]) -> Path:
    """The folder that holds all that was named; a folder that was named alone is that folder."""
    folders = [path.resolve() if path.is_dir() else path.resolve().parent for path in paths]
    return Path(os.path.commonpath(folders)) if folders else Path.cwd()
