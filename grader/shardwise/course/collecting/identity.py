"""The owner of a notebook: its metadata, its location and the lock file must agree, or a person decides."""

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

_COLLECTED = "submitted"  # the name of nbgrader's folder of submissions, which we use too


class Disagreement(BadSubmission):
    """A notebook names one student but its location names another, so it proves nothing about either."""

    def __init__(self, message: str, claimed: str) -> None:
        super().__init__(message)
        self.claimed = claimed  # the student whom the notebook names


def of_set(
    found: SubmittedFile, submission: Submission, lock: Lock, decided: str | None = None, uploaders: People = ()
) -> Submission:
    """Return a notebook of a set with its student: the one in `decided`, or the one that all evidence names.

    `uploaders` are the people who submitted it, if a course system says so.

    Raises BadSubmission if evidence is missing, and Disagreement if it is contradictory.
    """
    student = decided or submission.student or owner(found, lock)
    if not student:
        raise BadSubmission("This notebook's metadata name no student. Name its owner with --student.")
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
    """Raise Disagreement if a folder, archive or file has another student's name, or another student submitted it.

    A message for the uploader names no classmate: it would reveal which id belongs to whom.
    """
    if student in call.students:
        return
    whose = "This notebook names another student" if is_for_uploader else f"This is {student}'s notebook"
    if call.students:
        other = "somebody else" if is_for_uploader else " or ".join(sorted(call.students))
        where = f", but its file is named after {other}" if call.is_file else f", but it is in {other}'s folder"
        where = ", but you submitted it" if call.is_upload else where
        whose = "This notebook names one student" if is_for_uploader and not call.is_upload else whose
        raise Disagreement(f"{whose}{where}. Name its owner with --student.", student)
    if call.person and not names_of(lock).may_be(student, call.person):
        raise Disagreement(
            f"{whose}, but “{readable_name(call.person)}”, who submitted it, is not in {lock.path.name}. "
            "Name its owner with --student.",
            student,
        )


def owner(found: SubmittedFile, lock: Lock) -> str:
    """Return the student whom a notebook's location names; empty if it names nobody, or may name several."""
    known = [call.students for call in _calls(found, lock) if call.students]
    students = frozenset.intersection(*known) if known else NOBODY
    return next(iter(students)) if len(students) == 1 else ""


def exported_time(found: SubmittedFile, lock: Lock) -> datetime | None:
    """Return when a notebook was submitted according to a Gradescope export; None without an export.

    An export inside a student's folder is ignored, because the student may have written it.
    """
    for folder in _on_disk(found, lock):
        if is_of_gradescope(folder):
            return exported_at(folder)
        if names_of(lock).called(folder.name).students:
            break
    return None


def may_be_of(found: SubmittedFile, lock: Lock) -> str:
    """Return a sentence with the students whom a location may name; empty if it is unambiguous."""
    several = sorted(set().union(*(call.students for call in _calls(found, lock))))
    return f" Its location may belong to {' or '.join(several)}." if len(several) > 1 and not owner(found, lock) else ""


def vouches(found: SubmittedFile, student: str, lock: Lock) -> bool:
    """Return whether a notebook's location names its student, so that nobody else can have submitted it."""
    return any(call.students == {student} for call in _calls(found, lock))


def of_practice(found: SubmittedFile, submission: Submission, among: Path, decided: str | None = None) -> Submission:
    """Return a practice notebook with its student: the name of the folder, or else of the file. Metadata do not count.

    `among` is the folder that contains all named paths. In a folder `submitted`, as in nbgrader, each folder belongs to a
    student.
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
    """Return whether a folder or file is named after a student, or after anybody by a course system."""
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
    if found.member:  # bob.zip and bob.ipynb.zip count like a folder bob
        folders += [found.path.stem, Path(found.path.stem).stem]
    folders += found.inside
    if _COLLECTED in folders:  # this folder contains everybody's submissions, even if a student has that name
        folders.remove(_COLLECTED)
    return folders


def _on_disk(found: SubmittedFile, lock: Lock) -> list[Path]:
    """Return the folders on the way to a notebook that belong to the course."""
    path = found.path.parent.resolve() / found.path.name  # the location of a link counts, not its target
    common = Path(os.path.commonpath([path.parent, lock.path.resolve().parent]))
    home = Path.home().resolve()  # the grader's home may have a student's name
    base = home if path.is_relative_to(home) and home.is_relative_to(common) else common
    below = path.relative_to(base).parts
    count = len(below) if path.is_dir() and not path.is_symlink() else len(below) - 1
    return [base.joinpath(*below[: depth + 1]) for depth in range(count)]


def _decided(submission: Submission, student: str) -> Submission:
    note = f"The notebook's metadata name {submission.student}, but --student names {student}."
    notes = (note, *submission.notes) if submission.student not in ("", student) else submission.notes
    return replace(submission, student=student, notes=notes)


def _below(found: SubmittedFile, among: Path) -> list[str]:
    """Return the folders between the folder of submissions and a notebook."""
    folder = found.path.parent.resolve()
    parts: Sequence[str] = folder.relative_to(among).parts if folder.is_relative_to(among) else ()
    if _COLLECTED in among.parts:  # a folder `submitted` further down belongs to a student
        parts = (*among.parts[len(among.parts) - among.parts[::-1].index(_COLLECTED) :], *parts)
    elif parts[:1] == (_COLLECTED,):
        parts = parts[1:]
    archive = [found.path.stem] if found.member and not (parts or found.inside) else []
    return [*parts, *found.inside, *archive]


def folder_of(paths: Sequence[Path]) -> Path:
    """Return the folder that contains all named paths; a single named folder is that folder."""
    folders = [path.resolve() if path.is_dir() else path.resolve().parent for path in paths]
    return Path(os.path.commonpath(folders)) if folders else Path.cwd()
