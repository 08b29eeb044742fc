"""The outcome of a batch: a result for each notebook, and one for each student who handed in nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from heapq import merge
from pathlib import Path

from shardwise.course.assigning.lockfile import Lock
from shardwise.grading.feedback_page import file_of
from shardwise.grading.record.ledger import LEDGER, Ledger
from shardwise.grading.results import Result

PAGES = "feedback"  # the folder of the feedback pages


@dataclass(frozen=True)
class Batch:
    """A run over some notebooks, with its results in a ledger."""

    out: Path
    locks: Mapping[str, Lock] = field(default_factory=dict)
    tried_again: int = 0  # notebooks whose worker died, or that could not be read at once
    unused: tuple[str, ...] = ()  # why lock files that were found are not used
    failed: tuple[str, ...] = ()  # why notebooks were not graded for which nobody but us, or this machine, is to blame
    # Students whom a notebook names that somebody else handed in, by set and student, and where it lies.
    claimed: Mapping[tuple[str, str], str] = field(default_factory=dict)
    # Students whose notebook that counts lies there no more and was graded in another way than today's; its questions.
    gone: Mapping[str, int] = field(default_factory=dict)
    keys: tuple[bytes, ...] = field(default=(), repr=False)  # course keys, by the first of which a new ledger is signed

    def results(self) -> Iterator[Result]:
        """By set and student: a result a notebook, and one for who handed in nothing for these sets; read as it goes."""
        with Ledger(self.out / LEDGER, self.keys) as ledger:
            found = map(self._with_owner, ledger.results())
            yield from merge(found, self._missing(ledger), key=lambda result: (result.set, result.student))

    def handed_in(self) -> Iterator[Result]:
        """The results of the notebooks of this run alone."""
        with Ledger(self.out / LEDGER, self.keys) as ledger:
            yield from map(self._with_owner, ledger.results(latest=True))

    def _missing(self, ledger: Ledger) -> Iterator[Result]:
        """The students of these sets who handed in nothing."""
        for name in ledger.sets():
            for student in sorted(self.locks[name].students()) if name in self.locks else ():
                if not ledger.handed_in(name, student):
                    yield self._without_notebook(name, student)

    def _without_notebook(self, name_of_set: str, student: str) -> Result:
        """Return the result of a student without a notebook, or whose notebook somebody else may have handed in."""
        who, points = self.locks[name_of_set].about(student)
        if (place := self.claimed.get((name_of_set, student))) is None:
            reason = "no notebook was handed in"
            return Result(student, name_of_set, who, status="missing", reason=reason, max_points=points)
        reason = f"The only notebook that names {student} was handed in by somebody else. If it is theirs, grade it alone, with --student."
        return Result(student, name_of_set, who, status="ungraded", reason=reason, max_points=points, path=place)

    def _with_owner(self, result: Result) -> Result:
        """A result that is not graded, with the name and the points of whose it is where the lock file knows them."""
        lock = self.locks.get(result.set)
        if result.status != "ungraded" or lock is None or result.student not in lock.places:
            return result
        name, points = lock.about(result.student)
        return replace(result, name=name, max_points=points)

    def page(self, result: Result) -> Path:
        """Where the feedback page of a result lies."""
        return self.out / PAGES / file_of(result.set, result.student)

    def questions(self) -> list[str]:
        """The columns of a table of grades."""
        with Ledger(self.out / LEDGER, self.keys) as ledger:
            return ledger.questions()
