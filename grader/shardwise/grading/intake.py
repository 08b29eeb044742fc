"""Intake: whose a notebook is and by which questions it is marked; it becomes a task, or is refused with a reason."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path

from shardwise.course.lockfile import LOCK_SUFFIX, Lock, line_of
from shardwise.course.submissions import BadSubmission, CannotRead, Found, Submission, parse
from shardwise.errors import ShardwiseError
from shardwise.grading.results import Result
from shardwise.grading.worker import Settings, Task, engine
from shardwise.question import Question

# The questions of a chapter's practice notebook, drawn for a seed; None for a chapter that is not in the bank.
Practice = Callable[[str, str], Sequence[Question] | None]
_MOST_OF_A_STUDENT = 5  # notebooks of one student for one set that are run, though none of them will count
_MOST_CHAPTERS = 32  # practice notebooks whose questions are held in memory, some 0.1 MB each


@dataclass(frozen=True)
class Prepared:
    """A notebook as a task, and what its grading will rest on."""

    path: str
    key: str  # digest of everything that decides the result
    notebook: str  # digest of the file
    questions: str  # digest of the questions and keys
    task: Task


class Intake:
    """Takes in the notebooks of one run."""

    def __init__(self, locks: Mapping[str, Lock], settings: Settings, practice: Practice | None) -> None:
        self._locks, self._settings = locks, settings
        self._practice_line = lru_cache(_MOST_CHAPTERS)(lambda chapter, seed: _practice_line(practice, chapter, seed))
        self._seen: Counter[tuple[str, str]] = Counter()  # notebooks by set and student

    def prepare(self, found: Found) -> Prepared:
        """A notebook as a task. Raises BadSubmission, and CannotRead when it may be readable the next time."""
        contents = found.contents()
        submission = parse(contents, found.stem)
        task = self._practice(submission) if submission.set is None else self._of_set(found, submission)
        notebook, questions = digest(contents), digest(task.questions)
        limits = asdict(self._settings.limits) if self._settings.limits else None
        rests_on = [notebook, questions, engine(), task.student, task.set, task.late, self._settings.unsafe, limits]
        return Prepared(str(found), digest(json.dumps(rests_on).encode()), notebook, questions, task)

    def refused(self, found: Found, reason: str) -> Result:
        """The result of a notebook that is not graded; whose it is, only the name of a folder tells."""
        owners = [
            (folder, name) for name, lock in self._locks.items() for folder in found.folders if folder in lock.places
        ]
        student, set_name = owners[0] if len(owners) == 1 else ("", "")
        return Result(student, set_name, status="ungraded", reason=reason, path=str(found))

    def _practice(self, submission: Submission) -> Task:
        chapter = submission.practice or ""
        line = self._practice_line(chapter, submission.seed)
        if line is None:
            raise BadSubmission(f"This notebook practises the chapter {chapter!r}, which this bank does not have.")
        return Task(submission, line)

    def _of_set(self, found: Found, submission: Submission) -> Task:
        lock, student = self._locks.get(submission.set or ""), submission.student
        if lock is None:
            known = ", ".join(self._locks) or "none"
            raise BadSubmission(
                f"I found no lock file for the set {submission.set!r} (found: {known}). Name it with --lock."
            )
        if student not in lock.places:
            raise BadSubmission(f"This notebook names the student {student!r}, who is not in {lock.path.name}.")
        others = sorted(folder for folder in found.folders - {student} if folder in lock.places)
        if others:
            raise BadSubmission(f"This is {student}'s notebook in {others[0]}'s folder.")
        self._seen[lock.set_name, student] += 1
        if self._seen[lock.set_name, student] > _MOST_OF_A_STUDENT:
            raise BadSubmission(
                f"More than {_MOST_OF_A_STUDENT} notebooks of {student} for this set; this one was not run."
            )
        return Task(submission, lock.line(student), late=_is_late(found, lock))


def _practice_line(practice: Practice | None, chapter: str, seed: str) -> bytes | None:
    """The questions of a practice notebook as they would stand in a lock file."""
    questions = practice(chapter, seed) if practice else None
    if questions is None:
        return None
    return line_of({"questions": [question.model_dump(mode="json") for question in questions]}).encode()


def _is_late(found: Found, lock: Lock) -> bool:
    try:
        return lock.due is not None and found.changed() > lock.due
    except OSError as error:
        raise CannotRead(f"This file cannot be read: {error.strerror or error}.") from None


def digest(contents: bytes) -> str:
    """What tells two contents apart."""
    return hashlib.sha256(contents).hexdigest()


def locks_near(paths: Iterable[Path], given: Sequence[Path] = ()) -> dict[str, Lock]:
    """Lock files by set: those given, else those that lie up to three folders above what is to be graded.

    Never beside or below it: what lies there, a student may have handed in. Raises ShardwiseError when two belong to one
    set, when one that was given cannot be read, or when none that was found can be.
    """
    folders = {above for path in paths for above in _folder_of(path).parents[:3]}
    known: dict[str, Lock] = {}
    faults = []
    for path in given or sorted(path for folder in folders for path in folder.glob(f"*{LOCK_SUFFIX}")):
        try:
            lock = Lock(path)
        except ShardwiseError as error:
            faults.append(error)
            continue
        if known.setdefault(lock.set_name, lock).path != path:
            raise ShardwiseError(
                f"{known[lock.set_name].path} and {path} are both lock files of the set {lock.set_name!r}. Name one with --lock."
            )
    if faults and (given or not known):
        raise faults[0]
    return known


def _folder_of(path: Path) -> Path:
    path = path.resolve()
    return path if path.is_dir() else path.parent
