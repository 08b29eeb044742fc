"""Attempts: which of a student's notebooks counts, decided without reading or writing anything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from shardwise.course.collecting.submitted_files import SubmittedFile


@dataclass(frozen=True)
class Candidate:
    """A notebook that may count for its student."""

    file: SubmittedFile
    path: str
    key: str
    notebook: str  # digest
    stands_for: str  # digest of the notebook that counts if this one is chosen
    questions: str  # digest
    received: datetime | None
    is_vouched: bool

    @property
    def came_after(self) -> bool:
        """Whether the student had used up all attempts before, so that the last attempt counts instead."""
        return self.stands_for != self.notebook


@dataclass(frozen=True)
class Selection:
    """The different notebooks of a student in the order of receipt, and the one that counts."""

    different: Sequence[Candidate]
    chosen: Candidate | None  # None if a person has to choose
    rivals: int  # how many different notebooks could count

    @property
    def after(self) -> list[str]:
        """The paths of the notebooks beyond the permitted attempts."""
        return [each.path for each in self.different if each.came_after]


def by_receipt(attempts: Sequence[Candidate]) -> list[Candidate]:
    """Sort notebooks by the time of receipt; those without a known time come first."""
    return sorted(attempts, key=lambda each: each.received.timestamp() if each.received else 0.0)


def different_ones(attempts: Sequence[Candidate]) -> list[Candidate]:
    """Return the first of each group of identical copies, in the given order."""
    first = {each.notebook: each for each in reversed(attempts)}
    return sorted(first.values(), key=attempts.index)


def select_attempt(attempts: Sequence[Candidate], *, latest: bool) -> Selection:
    """Choose a notebook among those in the order of receipt: the only one that can count, or with `latest` the last."""
    different = different_ones(attempts)
    candidates = {each.stands_for: each for each in different}
    candidates |= {each.stands_for: each for each in different if not each.came_after}
    chosen = candidates[different[-1].stands_for] if latest or len(candidates) == 1 else None
    return Selection(different, chosen, len(candidates))


def unvouched(attempts: Sequence[Candidate]) -> list[Candidate]:
    """Return the notebooks that somebody else may have submitted: neither their location nor a copy names the student.

    If no location names the student, notebooks in a single folder are taken for theirs.
    """
    known = {each.notebook for each in attempts if each.is_vouched}
    others = [each for each in attempts if not each.is_vouched and each.notebook not in known]
    return others if known or len({each.file.path.parent for each in others}) > 1 else []
