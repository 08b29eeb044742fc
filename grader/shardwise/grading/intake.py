"""Intake: finds a notebook's owner and questions, and turns it into a task or refuses it with a reason."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from functools import lru_cache
from pathlib import Path

from shardwise.course.assigning.keys import is_ours, key_fingerprint
from shardwise.course.assigning.lockfile import LOCK_SUFFIX, Lock, claimed_key, line_of
from shardwise.course.collecting.bounds import BOUNDS
from shardwise.course.collecting.identity import (
    Disagreement,
    exported_time,
    folder_of,
    may_be_of,
    of_practice,
    of_set,
    owner,
    vouches,
)
from shardwise.course.collecting.receipts import BY_FILE, Receipt, Received, by_file
from shardwise.course.collecting.submissions import Stripped, Submission, parse_notebook
from shardwise.course.collecting.submitted_files import BadSubmission, SubmittedFile
from shardwise.course.gradescope import People
from shardwise.errors import ShardwiseError
from shardwise.grading.overrides.overrides_file import NO_OVERRIDES, Overrides
from shardwise.grading.results import Result
from shardwise.grading.worker import Settings, Task, engine
from shardwise.question import Question
from shardwise.text_files import first_line

# Returns the questions of a chapter's practice notebook for a seed; None for a chapter that is not in the bank.
Practice = Callable[[str, str], Sequence[Question] | None]
_MOST_OF_A_STUDENT = 5  # notebooks of one student for one set that are run, although none of them may count
_MOST_CHAPTERS = 32  # practice notebooks whose questions are cached, about 0.1 MB each


@dataclass(frozen=True)
class Decisions:
    """A person's decisions for a run: the notebook's owner, the source of receipt times, and what else they decided."""

    student: str | None = None  # the owner of the only notebook
    received: Received = by_file
    latest: bool = False  # whether the latest of a student's notebooks counts; otherwise none does
    uploaders: People = ()  # who submitted the only notebook, according to Gradescope
    overrides: Overrides = NO_OVERRIDES


class PracticeRefused(BadSubmission):
    """A practice notebook that cannot be graded. It belongs to no set, so it does not affect the students of one."""


@dataclass(frozen=True)
class Prepared:
    """A notebook as a task, and the inputs of its grading."""

    path: str
    key: str  # digest of everything that decides the result
    notebook: str  # digest of the file
    questions: str  # digest of the questions and keys
    task: Task
    file: SubmittedFile
    received: Receipt
    is_vouched: bool  # whether its location is named after its student


class Intake:
    """The intake of one run's notebooks."""

    def __init__(
        self,
        paths: Sequence[Path],
        locks: Locks,
        settings: Settings,
        practice: Practice | None,
        decisions: Decisions,
    ) -> None:
        self._locks, self._unused, self._settings, self._decisions = locks.known, locks.unused, settings, decisions
        self._among = folder_of(paths)
        self._practice_line = lru_cache(_MOST_CHAPTERS)(lambda chapter, seed: _practice_line(practice, chapter, seed))
        self._seen: dict[tuple[str, str], set[str]] = {}  # notebooks by set and student
        # Students named by a notebook that somebody else submitted, with its path, by set and student.
        self.claimed: dict[tuple[str, str], str] = {}

    def prepare(self, found: SubmittedFile) -> Prepared:
        """Turn a notebook into a task. Raises BadSubmission, or CannotRead if a retry may succeed."""
        contents = found.contents()
        submission = self._parsed(contents)
        task, received = (self._practice if submission.set is None else self._of_set)(found, submission)
        notebook, questions = digest(contents), digest(task.questions)
        limits = asdict(self._settings.limits) if self._settings.limits else None
        about = [task.student, task.set, task.late, task.title, str(task.due), *task.submission.notes]
        about += [task.days_late, repr(task.rulings)] if task.rulings else []
        rests_on = [notebook, questions, engine(), *about, self._settings.unsafe, limits]
        lock = self._locks.get(submission.set or "")
        is_vouched = lock is None or self._decisions.student is not None or vouches(found, task.student, lock)
        key = digest(json.dumps(rests_on).encode())
        return Prepared(str(found), key, notebook, questions, task, found, received, is_vouched)

    def _parsed(self, contents: bytes) -> Submission:
        """Return a notebook's submission; one without metadata belongs to the only set, if `--student` names its owner."""
        try:
            return parse_notebook(contents, "")
        except Stripped as stripped:
            if self._decisions.student and len(self._locks) == 1:
                return parse_notebook(contents, "", set_name=next(iter(self._locks)))
            remedy = " If you know its owner, grade it alone with --student and the --lock of its set."
            raise BadSubmission(f"{stripped}{remedy if self._locks else ''}") from None

    def refused(self, found: SubmittedFile, reason: BadSubmission | str) -> Result:
        """Return the result of a refused notebook, whose student is known only from a folder, archive or file name."""
        locks = {} if isinstance(reason, PracticeRefused) else self._locks
        owners = [(student, name) for name, lock in locks.items() if (student := owner(found, lock))]
        if len(owners) > 1:  # of several sets, the one in the file's name
            named = [(student, name) for student, name in owners if name == found.stem]
            students = {student for student, _ in owners}
            owners = named or ([(students.pop(), "")] if len(students) == 1 else [])
        student, set_name = owners[0] if len(owners) == 1 else ("", "")
        if isinstance(reason, Disagreement):
            for name, lock in locks.items():
                if reason.claimed in lock.places:
                    self.claimed.setdefault((name, reason.claimed), str(found))
        which = (
            ""
            if student or isinstance(reason, Disagreement)
            else "".join(may_be_of(found, lock) for lock in locks.values())
        )
        return Result(student, set_name, status="ungraded", reason=f"{reason}{which}", path=str(found))

    def received(self, found: SubmittedFile, student: str, name_of_set: str) -> Receipt:
        """Return when a submission was received; a Gradescope export takes precedence over file times. Raises CannotRead."""
        receipt, lock = self._decisions.received(found, student), self._locks.get(name_of_set)
        if lock and receipt.source in BY_FILE and (at := exported_time(found, lock)):
            return Receipt(at, "gradescope")
        return receipt

    def attempts(self, name_of_set: str) -> int | None:
        """Return how many different notebooks a student may hand in for a set."""
        lock = self._locks.get(name_of_set)
        return lock.header.get("attempts") if lock else None

    def latest_counts(self, name_of_set: str, student: str) -> bool:
        """Return whether the latest of several notebooks of a student counts."""
        return self._decisions.latest or self.are_attempts(name_of_set, student)

    def are_attempts(self, name_of_set: str, student: str) -> bool:
        """Return whether an override says which of a student's notebooks counts, so that each of them is an attempt."""
        lock = self._locks.get(name_of_set)
        return lock is not None and self._decisions.overrides.of(lock, student).attempts != ""

    def _practice(self, found: SubmittedFile, submission: Submission) -> tuple[Task, Receipt]:
        chapter = submission.practice or ""
        line = self._practice_line(chapter, submission.seed)
        if line is None:
            raise PracticeRefused(
                f"This practice notebook is for the chapter {chapter!r}, which the bank does not have."
            )
        if chapter in self._locks:
            raise PracticeRefused(f"This practice notebook is for {chapter!r}, which is also the name of a set.")
        return Task(of_practice(found, submission, self._among, self._decisions.student), line), by_file(found, "")

    def _of_set(self, found: SubmittedFile, submission: Submission) -> tuple[Task, Receipt]:
        lock = self._locks.get(submission.set or "")
        if lock is None:
            known = f", only those for {', '.join(self._locks)}" if self._locks else ""
            raise BadSubmission(
                f"No lock file for the set {submission.set!r} could be used{known}. "
                + (self._unused[0] if self._unused else "Name it with --lock.")
            )
        submission = of_set(found, submission, lock, self._decisions.student, self._decisions.uploaders)
        student = submission.student
        seen = self._seen.setdefault((lock.set_name, student), set())
        seen.add(str(found))
        if len(seen) > _MOST_OF_A_STUDENT:
            raise BadSubmission(
                f"Not run: there are more than {_MOST_OF_A_STUDENT} notebooks of {student} for this set."
            )
        received = self.received(found, student, lock.set_name)
        rulings = self._decisions.overrides.of(lock, student)
        due = rulings.due or lock.due_of(student)
        if received.at is None and due is not None:
            note = "It is unknown when this was received, so it does not count as late."
            submission = replace(submission, notes=(*submission.notes, note))
        days = days_late(received.at, due, rulings.late.grace if rulings.late else timedelta())
        title = str(lock.header.get("title") or "")
        task = Task(
            submission, lock.line(student), late=days > 0, days_late=days, rulings=rulings, title=title, due=due
        )
        return task, received


def days_late(at: datetime | None, due: datetime | None, grace: timedelta) -> int:
    """Return how many days have begun between a due date and a receipt; 0 within the grace period and for unknown times.

    >>> due = datetime.fromisoformat("2026-12-01T12:00:00+00:00")
    >>> [days_late(due + timedelta(hours=hours), due, timedelta(hours=1)) for hours in (0, 1, 2, 24, 25)]
    [0, 0, 1, 1, 2]
    """
    if at is None or due is None or at <= due + grace:
        return 0
    return math.ceil((at - due) / timedelta(days=1))


def _practice_line(practice: Practice | None, chapter: str, seed: str) -> bytes | None:
    """Return the questions of a practice notebook as a line of a lock file."""
    questions = practice(chapter, seed) if practice else None
    if questions is None:
        return None
    return line_of({"questions": [question.model_dump(mode="json") for question in questions]}).encode()


def digest(contents: bytes) -> str:
    """Return a digest of some contents."""
    return hashlib.sha256(contents).hexdigest()


@dataclass(frozen=True)
class Locks:
    """The lock files of a run by set, and why others are ignored."""

    known: Mapping[str, Lock]
    unused: tuple[str, ...] = ()


def locks_near(paths: Sequence[Path], given: Locks | Sequence[Path | Lock] = (), key: bytes | None = None) -> Locks:
    """Return the given lock files, or else those up to three folders above the submissions; Locks are returned as they are.

    A lock file that is not given counts only if its key is given or `assign` has used that key on this computer: a student may
    have put a forged lock file and key above their notebook. Raises ShardwiseError if two lock files belong to one set, if one
    that counts cannot be read, or if one above all submissions is unreadable: it may be the right one, and without it no
    notebook could be graded. An unreadable one above only some submissions may come from a student, and is ignored.
    """
    if isinstance(given, Locks):
        return given
    known: dict[str, Lock] = {}
    unused: list[str] = []
    near, left = (given, 0) if given else _lying_above(paths)
    for each in near:
        try:
            lock = each if isinstance(each, Lock) else _opened(each, key, is_given=bool(given))
        except _NotUsed as why:
            unused.append(str(why))
            continue
        except ShardwiseError as error:
            if isinstance(each, Lock) or given or _is_above_all(each, paths):
                raise
            unused.append(str(error))
            continue
        first = known.setdefault(lock.set_name, lock)
        if first.path != lock.path:
            raise ShardwiseError(
                f"{first.path} and {lock.path} are both lock files of the set {lock.set_name!r}. Name one with --lock."
            )
    return Locks(known, _in_one_line(unused, left))


class _NotUsed(Exception):
    """The reason why a lock file that was not named is ignored."""


def _opened(path: Path, key: bytes | None, *, is_given: bool) -> Lock:
    """Open a lock file. Raises _NotUsed for one that may be forged, and ShardwiseError for one that cannot be read."""
    if is_given or _is_trusted(claimed_key(path), key):
        return Lock(path, key)
    if damage := _damage(path):
        raise ShardwiseError(
            f"{path} cannot be read as a lock file: {damage}. Restore it from a copy. If it is not yours, delete it or "
            "name the right one with --lock."
        )
    if key:
        raise _NotUsed(
            f"{path} is signed with a different course key than the one you gave. Give the key that `assign` used, with --key."
        )
    raise _NotUsed(f"{path} was not assigned on this computer. If it is yours, name it with --lock.")


def _is_trusted(known_by: str, key: bytes | None) -> bool:
    """Return whether a lock file claims to be signed with the given key or one that was used here."""
    return known_by == key_fingerprint(key) if key is not None else is_ours(known_by)


def _is_above_all(lock: Path, paths: Iterable[Path]) -> bool:
    """Return whether every submission is below this lock file's folder; otherwise a student may have written the file."""
    return all(lock.parent in _folder_of(path).parents for path in paths)


def _damage(path: Path) -> str:
    """Return why a file cannot be read as anybody's lock file; empty if it can."""
    try:
        first = first_line(path, BOUNDS.lock_header_bytes)
        header = json.loads(first) if first else None
    except OSError as error:
        return str(error.strerror)
    except (ValueError, RecursionError):
        header = None
    if isinstance(header, dict) and "set" in header:
        return ""
    return "its first line is not a header" if first else "it is empty"


def _in_one_line(unused: Sequence[str], left: int) -> tuple[str, ...]:
    """Return why the first ignored lock file is ignored, and how many more there are."""
    more = len(unused) - 1 + left
    if not unused or more == 0:
        return tuple(unused)
    return (
        f"{unused[0]} {more:,} more lock file{'s' if more > 1 else ''} near the notebooks {'are' if more > 1 else 'is'} ignored.",
    )


def _lying_above(paths: Iterable[Path]) -> tuple[list[Path], int]:
    """Return lock files above the folders of submissions, never next to or below a notebook; and the number beyond the limit.

    The highest folders come first: those are the instructor's, while students may have created files further down.
    """
    folders = {above for path in paths for above in _folder_of(path).parents[:3]}
    found = [
        path
        for folder in folders
        for path in folder.glob(f"*{LOCK_SUFFIX}")
        if not path.name.startswith("._")  # files that a Mac creates next to each file
    ]
    found.sort(key=lambda path: (len(path.parts), path))
    return found[: BOUNDS.locks], len(found[BOUNDS.locks :])


def _folder_of(path: Path) -> Path:
    path = path.resolve()
    return path if path.is_dir() else path.parent
