"""The outcome of a batch: a result for each notebook, and one for each student without a submission."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from heapq import merge
from pathlib import Path

from shardwise.course.assigning.lockfile import Lock
from shardwise.grading.feedback_page import file_of
from shardwise.grading.record.ledger import LEDGER, Ledger
from shardwise.grading.results import Result

PAGES = "feedback"  # the folder of feedback pages


@dataclass(frozen=True)
class Batch:
    """A run over some notebooks whose results are in a ledger."""

    out: Path
    locks: Mapping[str, Lock] = field(default_factory=dict)
    tried_again: int = 0  # number of notebooks that were retried, because a worker died or they could not be read
    unused: tuple[str, ...] = ()  # why lock files are ignored
    failed: tuple[str, ...] = ()  # why notebooks were not graded because of the grader or this machine
    # Students named by a notebook that somebody else submitted, with its path, by set and student.
    claimed: Mapping[tuple[str, str], str] = field(default_factory=dict)
    # Students whose counting notebook is gone and was graded with older questions, and the number of its questions.
    gone: Mapping[str, int] = field(default_factory=dict)
    keys: tuple[bytes, ...] = field(default=(), repr=False)  # course keys, the first of which signs a new ledger

    def results(self) -> Iterator[Result]:
        """Yield, by set and student, a result per notebook and one for each student without a submission for these sets."""
        with Ledger(self.out / LEDGER, self.keys) as ledger:
            found = map(self._with_owner, ledger.results())
            yield from merge(found, self._missing(ledger), key=lambda result: (result.set, result.student))

    def handed_in(self) -> Iterator[Result]:
        """Yield the results of this run's notebooks only."""
        with Ledger(self.out / LEDGER, self.keys) as ledger:
            yield from map(self._with_owner, ledger.results(latest=True))

    def _missing(self, ledger: Ledger) -> Iterator[Result]:
        """Yield the results of the students of these sets without a submission."""
        for name in ledger.sets():
            for student in sorted(self.locks[name].students()) if name in self.locks else ():
                if not ledger.handed_in(name, student):
                    yield _in_course(self._without_notebook(name, student), self.locks[name])

    def _without_notebook(self, name_of_set: str, student: str) -> Result:
        """Return the result of a student without a notebook, or whose notebook somebody else may have submitted."""
        who, points = self.locks[name_of_set].about(student)
        if (place := self.claimed.get((name_of_set, student))) is None:
            reason = "no notebook was handed in"
            return Result(student, name_of_set, who, status="missing", reason=reason, max_points=points)
        reason = f"Somebody else submitted the only notebook that names {student}. If it is theirs, grade it alone with --student."
        return Result(student, name_of_set, who, status="ungraded", reason=reason, max_points=points, path=place)

    def _with_owner(self, result: Result) -> Result:
        """Return a result with the student's section and due date and, if it is ungraded, name and points, from the lock file."""
        lock = self.locks.get(result.set)
        if lock is None or result.student not in lock.places:
            return result
        result = _in_course(result, lock)
        if result.status != "ungraded":
            return result
        name, points = lock.about(result.student)
        return replace(result, name=name, max_points=points)

    def page(self, result: Result) -> Path:
        """Return the path of a result's feedback page."""
        return self.out / PAGES / file_of(result.set, result.student)

    def questions(self) -> list[str]:
        """Return the questions, which are the columns of a table of grades."""
        with Ledger(self.out / LEDGER, self.keys) as ledger:
            return ledger.questions()


def _in_course(result: Result, lock: Lock) -> Result:
    """Return a result with its student's section and due date."""
    due = lock.due_of(result.student)
    return replace(result, section=lock.section_of(result.student), due=due.isoformat() if due else "")
