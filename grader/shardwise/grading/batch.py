"""A batch: every notebook of a class graded, each result kept as it comes, so that nothing is lost and nothing done twice."""

from __future__ import annotations

import getpass
import platform
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from shardwise.atomic_files import patiently, write
from shardwise.course.lockfile import Lock
from shardwise.course.submissions import BadSubmission, CannotRead, Found, find
from shardwise.errors import ShardwiseError
from shardwise.grading.dispatch import dispatch
from shardwise.grading.executors import Opener, here, pool
from shardwise.grading.feedback_page import file_of
from shardwise.grading.intake import Intake, Practice, Prepared, digest, locks_near
from shardwise.grading.ledger import LEDGER, Grading, Ledger
from shardwise.grading.results import Result
from shardwise.grading.worker import Settings, engine, our_fault
from shardwise.markdown.html import printable

PAGES = "feedback"
WITH_SOLUTIONS = "with solutions"  # a kind of page
_TRIES = 2  # more, one by one, for what a worker died of or could not be read
_PAUSE = 0.5  # seconds before those

Progress = Callable[[int], None]


@dataclass(frozen=True)
class Batch:
    """A run over some notebooks, with its results in a ledger."""

    out: Path
    locks: Mapping[str, Lock] = field(default_factory=dict)
    tried_again: int = 0  # notebooks whose worker died, or that could not be read at once

    def results(self) -> Iterator[Result]:
        """A result a notebook, then one for each student of these sets who handed in nothing; read as it goes."""
        with Ledger(self.out / LEDGER) as ledger:
            yield from ledger.results()
            for name in ledger.sets():
                if name in self.locks:
                    for student in self.locks[name].students():
                        if not ledger.handed_in(name, student):
                            yield Result(student, name, status="missing", reason="nothing was handed in")

    def page(self, result: Result) -> Path:
        """Where the feedback page of a result lies."""
        return self.out / PAGES / file_of(result.set, result.student)

    def questions(self) -> list[str]:
        """The columns of a table of grades."""
        with Ledger(self.out / LEDGER) as ledger:
            return ledger.questions()


def grade(
    paths: Sequence[Path],
    out: Path,
    *,
    locks: Sequence[Path] = (),
    practice: Practice | None = None,
    settings: Settings | None = None,
    workers: int = 1,
    executor: Opener | None = None,
    progress: Progress | None = None,
) -> Batch:
    """Grade every notebook among `paths`, below them and in their zip archives, into the folder `out`.

    What the ledger there has already is not graded again. `practice` gives the questions of practice notebooks. `executor`
    opens what the work runs on, `workers` wide; without it this is a pool of so many processes. Raises SandboxUnavailable
    when there is no sandbox, NoRoom when the disk is full, and ShardwiseError when nothing is there to be graded or
    another run is writing there.
    """
    known, settings = locks_near(paths, locks), settings or Settings()
    out.mkdir(parents=True, exist_ok=True)
    with Ledger(out / LEDGER) as ledger:
        found = patiently(lambda: ledger.begin(map(str, find(paths))), out)
        if not found:
            raise ShardwiseError(f"No notebook (*.ipynb) lies in {', '.join(map(str, paths))}.")
        width = max(1, min(workers, found))
        opener = executor or (here if width == 1 else pool(width))
        run = _Run(ledger, out, Intake(known, settings, practice), settings, lambda: progress and progress(found))
        run.over(find(paths), opener, width)
    return Batch(out, known, run.tried_again)


class _Run:
    """One run of a batch: what is new goes to the workers, what comes back goes into the ledger."""

    def __init__(
        self, ledger: Ledger, out: Path, intake: Intake, settings: Settings, step: Callable[[], object]
    ) -> None:
        self._ledger, self._out, self._intake, self._settings, self._step = ledger, out, intake, settings, step
        self._kind_of_page = WITH_SOLUTIONS if settings.solutions else "plain"
        self._who = f"{_user()}@{platform.node()}"
        self._last = False  # whether this is the last try
        self._unread: list[Found] = []  # to be tried again
        self._failed: list[Prepared] = []  # to be tried again: our side failed at them, or they did not come back
        self.tried_again = 0  # notebooks, for either reason

    def over(self, found: Iterable[Found], opener: Opener, width: int) -> None:
        """Grade all of them, and then, one by one, those that need another try."""
        self._grade(self._new(found), opener, width)
        for tries_left in reversed(range(_TRIES)):
            self._last = tries_left == 0
            unread, self._unread = self._unread, []
            failed, self._failed = self._failed, []
            if unread or failed:
                self.tried_again = max(self.tried_again, len(unread) + len(failed))
                time.sleep(_PAUSE)
                self._grade([*failed, *self._new(unread)], opener, 1)

    def _grade(self, prepared: Iterable[Prepared], opener: Opener, width: int) -> None:
        with closing(dispatch(prepared, self._settings, opener, width)) as returned:
            for sent, result, page in returned:
                self._settle(sent, result, page)

    def _new(self, found: Iterable[Found]) -> Iterator[Prepared]:
        """The notebooks that are still to be graded; the others are settled on the way."""
        for notebook in found:
            try:
                prepared = self._intake.prepare(notebook)
            except CannotRead as error:
                if self._last:
                    self._refuse(self._intake.refused(notebook, str(error)))
                else:
                    self._unread.append(notebook)
            except BadSubmission as error:
                self._refuse(self._intake.refused(notebook, str(error)))
            except Exception as error:  # one file must not end the batch of all
                self._refuse(self._intake.refused(notebook, printable(our_fault(error))))
            else:
                if self._is_done(prepared):
                    self._ledger.reuse(prepared.path, prepared.key)
                    self._step()
                else:
                    yield prepared

    def _is_done(self, prepared: Prepared) -> bool:
        """Whether the ledger has this grading, and its page lies in its place as it was written."""
        file = file_of(prepared.task.set, prepared.task.student)
        expected = self._ledger.page_digest(prepared.key, file, self._kind_of_page)
        try:
            return expected is not None and expected == digest((self._out / PAGES / file).read_bytes())
        except OSError:
            return False

    def _settle(self, sent: Prepared, result: Result, page: str) -> None:
        """Keep a result, or set it aside for another try when it is our fault that there are no points."""
        if not result.complete and not self._last:
            self._failed.append(sent)
        elif result.status == "graded":
            patiently(lambda: self._keep(sent, result, page.encode()), self._out)
            self._step()
        else:
            self._refuse(replace(result, path=sent.path))

    def _keep(self, sent: Prepared, result: Result, page: bytes) -> None:
        """The page first: a grading that is kept has its page."""
        file = file_of(result.set, result.student)
        write(self._out / PAGES / file, page)
        at = datetime.now(UTC).isoformat(timespec="seconds")
        grading = Grading(result, sent.key, sent.notebook, sent.questions, engine(), at, self._who)
        self._ledger.record(sent.path, grading, page=file, kind=self._kind_of_page, digest=digest(page))

    def _refuse(self, result: Result) -> None:
        patiently(lambda: self._ledger.refuse(result), self._out)
        self._step()


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container's user without a name
        return "unknown"
