"""The journal: keeps what a student does, in the background. It never raises, and nobody waits for a slow disk."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from shardwise.errors import ShardwiseError
from shardwise.question import Feedback, Outcome
from shardwise.student.progress.clock import now
from shardwise.student.progress.events import Estimate, Event, Place, Variant

if TYPE_CHECKING:
    from pathlib import Path

    from shardwise.student.progress.file import ProgressFile

JUDGED = (Outcome.CORRECT, Outcome.PARTIAL, Outcome.INCORRECT)
_MOMENT = 0.003  # seconds to wait for a write: enough on most disks, and too short to be noticed
_SECOND = 1.0  # that a question or a form waits for what is read, when the file is on a slow disk or locked
_T = TypeVar("_T")


class Journal:
    """Writes to a progress file, one after the other, in a thread of its own. Without a file it keeps nothing."""

    def __init__(self, file: ProgressFile | None) -> None:
        self._file = file
        self._writer = ThreadPoolExecutor(1, "shardwise-progress")  # ends its work before the process ends
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
        with suppress(ShardwiseError, TimeoutError):
            return self.read(lambda file: file.drafts_of(bank, problem), _SECOND) or {}
        return {}

    def seeds(self, variant: Variant) -> list[str]:
        """The seeds of the variants of the same problem at which something was done, as far as that is known."""
        with suppress(ShardwiseError, TimeoutError):
            return self.read(lambda file: file.seeds(variant), _SECOND) or []
        return []

    def was_answered(self, variant: Variant, digest: str) -> bool:
        """Whether an answer to a variant was judged before, as far as that is known."""
        with suppress(ShardwiseError, TimeoutError):
            return bool(self.read(lambda file: file.was_answered(variant, digest), _SECOND))
        return False

    def events(self) -> list[Event]:
        """All that was kept until now. Raises ShardwiseError."""
        return self.read(lambda file: file.events()) or []

    def estimates(self) -> list[Estimate]:
        """Every estimate that was kept until now. Raises ShardwiseError."""
        return self.read(lambda file: file.estimates()) or []

    def read(self, act: Callable[[ProgressFile], _T], patience: float | None = None) -> _T | None:
        """What is read after all that was written; None where nothing is kept. Raises ShardwiseError, and TimeoutError after so many seconds."""
        file = self._file
        if file is None:
            return None
        return self._submit(lambda: act(file)).result(patience)

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
        """Write soon; a write that fails is told by `trouble`."""
        file = self._file
        if file is None:
            return

        def attempt() -> None:
            try:
                act(file)
            except Exception as error:  # of ours as well: a verdict never depends on what becomes of this
                self._trouble = str(error)

        wait([self._submit(attempt)], _MOMENT)

    def _submit(self, act: Callable[[], _T]) -> Future[_T]:
        try:
            return self._writer.submit(act)
        except RuntimeError:  # a system without threads, or one that is ending
            done = Future[_T]()
            try:
                done.set_result(act())
            except Exception as error:
                done.set_exception(error)
            return done


# Of each file one, whichever banks are practised: it reads after all that was written.
_journals: dict[Path, Journal] = {}


def usual_journal() -> Journal:
    """The journal of this student; one that keeps nothing where nothing shall be kept, or where there is no SQLite."""
    if "NBGRADER_EXECUTION" in os.environ:  # this notebook is another's, and is run to be graded
        return Journal(None)
    try:
        from shardwise.student.progress.file import ProgressFile, usual_path
    except ImportError:  # some builds of Python, and a browser
        return Journal(None)
    path = usual_path()
    if path is None:
        return Journal(None)
    if path not in _journals:
        _journals[path] = Journal(ProgressFile(path))
    return _journals[path]
