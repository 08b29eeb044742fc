"""The journal: keeps what a student does. It never raises: a verdict does not depend on what becomes of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from shardwise.errors import ShardwiseError
from shardwise.question import Feedback, Outcome
from shardwise.student.progress.clock import now
from shardwise.student.progress.events import Estimate, Event, Place, Variant

if TYPE_CHECKING:
    from shardwise.student.progress.file import ProgressFile

JUDGED = (Outcome.CORRECT, Outcome.PARTIAL, Outcome.INCORRECT)
_T = TypeVar("_T")


class Journal:
    """Writes to a progress file, and reads what it holds. Without a file it keeps nothing."""

    def __init__(self, file: ProgressFile | None) -> None:
        self._file = file
        self._trouble = ""
        self._is_said = False

    @property
    def keeps(self) -> bool:
        """Whether anything is kept."""
        return self._file is not None

    def answered(
        self, variant: Variant, digest: str, feedback: Feedback, place: Place, seconds: float | None = None
    ) -> None:
        """Keep what an answer earned. One that is blank, or cannot be read, or that we could not mark, does not count."""
        if feedback.outcome in JUDGED:
            self._add(variant, digest, "answer", place, str(feedback.outcome), feedback.points, 0, seconds)

    def hinted(self, variant: Variant, digest: str, number: int, place: Place) -> None:
        """Keep that a hint was given, the first or a later one."""
        self._add(variant, digest, "hint", place, "", 0.0, number)

    def showed_solution(self, variant: Variant, digest: str, place: Place) -> None:
        """Keep that the solution was shown."""
        self._add(variant, digest, "solution", place)

    def estimated(
        self, variant: Variant, off: float, *, confidence: float | None = None, hit: bool | None = None
    ) -> None:
        """Keep an estimate that is off by so many powers of ten; only the first of a variant counts."""
        estimate = Estimate(now(), variant, off, confidence, hit)
        self._do(lambda file: file.add_estimate(estimate))

    def typed(self, bank: str, drafts: Mapping[str, Any]) -> None:
        """Keep what was typed into a form, by key."""
        at = now()
        self._do(lambda file: file.keep_drafts(at, bank, drafts))

    def drafts_of(self, bank: str, problem: str) -> dict[str, Any]:
        """What was typed for a problem, by key, as far as that is known."""
        return self._known(lambda file: file.drafts_of(bank, problem), {})

    def seeds(self, variant: Variant) -> list[str]:
        """The seeds of the variants of the same problem at which something was done, as far as that is known."""
        return self._known(lambda file: file.seeds(variant), [])

    def was_answered(self, variant: Variant, digest: str) -> bool:
        """Whether an answer to a variant was judged before, as far as that is known."""
        return self._known(lambda file: file.was_answered(variant, digest), False)

    def events(self) -> list[Event]:
        """All that was kept until now. Raises ShardwiseError."""
        return self._file.events() if self._file else []

    def estimates(self) -> list[Estimate]:
        """Every estimate that was kept until now. Raises ShardwiseError."""
        return self._file.estimates() if self._file else []

    def trouble(self) -> str:
        """Why progress is not kept, in words: once, and nothing when all is well or it was said before."""
        if self._is_said or not self._trouble:
            return ""
        self._is_said = True
        return f"Your progress is not kept: {self._trouble} You can go on practising all the same."

    def _add(self, variant: Variant, digest: str, what: Literal["answer", "hint", "solution"], *rest: Any) -> None:
        event = Event(now(), variant, digest, what, *rest)
        self._do(lambda file: file.add(event))

    def _do(self, act: Callable[[ProgressFile], None]) -> None:
        """Write; `trouble` reports a write that fails."""
        if self._file is not None:
            try:
                act(self._file)
            except Exception as error:  # of ours as well
                self._trouble = str(error)

    def _known(self, act: Callable[[ProgressFile], _T], otherwise: _T) -> _T:
        with suppress(ShardwiseError):
            return act(self._file) if self._file else otherwise
        return otherwise


def usual_journal() -> Journal:
    """The journal of this student; one that keeps nothing where nothing shall be kept, or where there is no SQLite."""
    if "NBGRADER_EXECUTION" in os.environ:  # this notebook is another's, and is run to be graded
        return Journal(None)
    try:
        from shardwise.student.progress.file import ProgressFile, usual_path
    except ImportError:  # some builds of Python, and a browser
        return Journal(None)
    path = usual_path()
    return Journal(ProgressFile(path) if path else None)
