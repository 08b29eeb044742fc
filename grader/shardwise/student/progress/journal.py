"""The journal, which saves what a student does. Writing never raises: a verdict must not depend on it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from shardwise.errors import ShardwiseError
from shardwise.question import Feedback, Outcome
from shardwise.student.progress.clock import now
from shardwise.student.progress.events import Estimate, Event, Mark, Place, Variant
from shardwise.student.progress.status import Record, record_of

if TYPE_CHECKING:
    from shardwise.student.progress.file import ProgressFile

JUDGED = (Outcome.CORRECT, Outcome.PARTIAL, Outcome.INCORRECT)
_T = TypeVar("_T")


class Journal:
    """A writer and reader of a progress file. Without a file it saves nothing."""

    def __init__(self, file: ProgressFile | None) -> None:
        self._file = file
        self._trouble = ""
        self._is_said = False

    @property
    def keeps(self) -> bool:
        """Whether anything is saved."""
        return self._file is not None

    def answered(
        self, variant: Variant, digest: str, feedback: Feedback, place: Place, seconds: float | None = None
    ) -> None:
        """Save what an answer earned, unless it was blank or unreadable, or we failed to mark it."""
        if feedback.outcome in JUDGED:
            self._add(variant, digest, "answer", place, str(feedback.outcome), feedback.points, 0, seconds)

    def hinted(self, variant: Variant, digest: str, number: int, place: Place) -> None:
        """Save that a hint was given, with its number."""
        self._add(variant, digest, "hint", place, "", 0.0, number)

    def showed_solution(self, variant: Variant, digest: str, place: Place) -> None:
        """Save that the solution was shown."""
        self._add(variant, digest, "solution", place)

    def estimated(
        self, variant: Variant, off: float, *, confidence: float | None = None, hit: bool | None = None
    ) -> None:
        """Save an estimate with its error in powers of ten; only the first for a variant counts."""
        estimate = Estimate(now(), variant, off, confidence, hit)
        self._do(lambda file: file.add_estimate(estimate))

    def typed(self, bank: str, drafts: Mapping[str, Any]) -> None:
        """Save what was typed into a form, by key."""
        at = now()
        self._do(lambda file: file.keep_drafts(at, bank, drafts))

    def drafts_of(self, bank: str, problem: str) -> dict[str, Any]:
        """Return what was typed for a problem, by key, or {} if the file cannot be read."""
        return self._known(lambda file: file.drafts_of(bank, problem), {})

    def marks(self) -> list[Mark]:
        """Return the app's marks, or [] if the file cannot be read."""
        return self._known(lambda file: file.marks(), [])

    def seeds(self, variant: Variant) -> list[str]:
        """Return the seeds of all variants of this problem that have an event; none if the file cannot be read."""
        return self._known(lambda file: file.seeds(variant), [])

    def record(self, variant: Variant) -> Record:
        """Return the record with this variant's problem; an empty one if the file cannot be read."""
        return record_of(self._known(lambda file: file.events_of(variant), []), now())

    def was_answered(self, variant: Variant, digest: str) -> bool:
        """Return whether an answer to a variant was judged before; False if the file cannot be read."""
        return self._known(lambda file: file.was_answered(variant, digest), False)

    def events(self) -> list[Event]:
        """Return all events. Raises ShardwiseError."""
        return self._file.events() if self._file else []

    def estimates(self) -> list[Estimate]:
        """Return all estimates. Raises ShardwiseError."""
        return self._file.estimates() if self._file else []

    def trouble(self, *, again: bool = False) -> str:
        """Return why progress is not saved, or "" if it is saved.

        The first call returns a reason, and later calls repeat it only with `again`.
        """
        if not self._trouble or (self._is_said and not again):
            return ""
        self._is_said = True
        return f"Your progress is not saved: {self._trouble} You can still practise."

    def _add(self, variant: Variant, digest: str, what: Literal["answer", "hint", "solution"], *rest: Any) -> None:
        event = Event(now(), variant, digest, what, *rest)
        self._do(lambda file: file.add(event))

    def _do(self, act: Callable[[ProgressFile], None]) -> None:
        """Write to the file; `trouble` reports a failure."""
        if self._file is not None:
            try:
                act(self._file)
            except Exception as error:  # including our own bugs
                self._trouble = str(error)
            else:
                self._trouble, self._is_said = "", False

    def _known(self, act: Callable[[ProgressFile], _T], otherwise: _T) -> _T:
        with suppress(ShardwiseError):
            return act(self._file) if self._file else otherwise
        return otherwise


def usual_journal() -> Journal:
    """Return this student's journal, which saves nothing if saving is turned off or SQLite is missing."""
    if "NBGRADER_EXECUTION" in os.environ:  # this run grades a notebook of somebody else
        return Journal(None)
    try:
        from shardwise.student.progress.file import ProgressFile, usual_path
    except ImportError:  # in some builds of Python, and in a browser
        return Journal(None)
    path = usual_path()
    return Journal(ProgressFile(path) if path else None)
