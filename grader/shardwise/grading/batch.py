"""A batch: every notebook of a class graded, each result kept as it comes, so that nothing is lost and nothing done twice."""

from __future__ import annotations

import getpass
import hashlib
import json
import platform
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from shardwise.atomic_files import patiently, write
from shardwise.bank.discovery import open_banks
from shardwise.course.lockfile import LOCK_SUFFIX, Lock
from shardwise.course.submissions import BadSubmission, CannotRead, Found, Submission, find, parse
from shardwise.errors import ShardwiseError
from shardwise.grading.executors import Gone, Opener, here, pool
from shardwise.grading.feedback_page import file_of
from shardwise.grading.ledger import LEDGER, Entry, Ledger, Page
from shardwise.grading.results import Graded, Row
from shardwise.grading.worker import Done, OtherEngine, Settings, Task, bank_digest, engine, work
from shardwise.markdown.html import printable

PAGES = "feedback"
WITH_SOLUTIONS = "with solutions"  # a kind of page
_PARCEL = 4  # tasks a worker is handed at a time: enough to hide the way there, few enough to share the last ones
_TRIES = 2  # more, one by one, for what a worker died of or could not be read
_MOST_OF_ONE = 5  # notebooks of one student for one set that are run, though none of them will count
_PAUSE = 0.5  # seconds before those

Progress = Callable[[int], None]


@dataclass(frozen=True)
class Batch:
    """A run over some notebooks, with its results in a ledger."""

    out: Path
    locks: Mapping[str, Lock] = field(default_factory=dict)
    tried_again: int = 0  # notebooks whose worker died, or that could not be read at once

    def rows(self) -> Iterator[Row]:
        """A row a notebook, then one for each student of these sets who handed in nothing; read as it goes."""
        with Ledger(self.out / LEDGER) as ledger:
            yield from ledger.rows()
            for name in ledger.sets():
                if name in self.locks:
                    for student in self.locks[name].students():
                        if not ledger.handed_in(name, student):
                            yield Row("", student, name, "missing", "nothing was handed in")

    def page(self, row: Row) -> Path:
        """Where the feedback page of a row lies."""
        return self.out / PAGES / file_of(row.set, row.student)

    def questions(self) -> list[str]:
        """The columns of a table of grades."""
        with Ledger(self.out / LEDGER) as ledger:
            return ledger.questions()


def grade(
    paths: Sequence[Path],
    out: Path,
    *,
    locks: Sequence[Path] = (),
    settings: Settings | None = None,
    workers: int = 1,
    executor: Opener | None = None,
    progress: Progress | None = None,
) -> Batch:
    """Grade every notebook among `paths`, below them and in their zip archives, into the folder `out`.

    What the ledger there has already is not graded again. `executor` opens what the work runs on, `workers` wide; without
    it this is a pool of so many processes. Raises SandboxUnavailable when there is no sandbox, NoRoom when the disk is
    full, and ShardwiseError when nothing is there to be graded or another run is writing there.
    """
    known = locks_near(paths, locks)
    out.mkdir(parents=True, exist_ok=True)
    with Ledger(out / LEDGER) as ledger:
        found = patiently(lambda: ledger.begin(map(str, find(paths))), out)
        if not found:
            raise ShardwiseError(f"No notebook (*.ipynb) lies in {', '.join(map(str, paths))}.")
        width = max(1, min(workers, found))
        opener = executor or (here if width == 1 else pool(width))
        run = _Run(ledger, out, known, settings or Settings(), width, lambda: progress(found) if progress else None)
        run.over(find(paths), opener)
    return Batch(out, known, run.tried_again)


def locks_near(paths: Iterable[Path], given: Sequence[Path] = ()) -> dict[str, Lock]:
    """Lock files by set: those given, else those that lie up to three folders above what is to be graded.

    Never beside or below it: what lies there, a student may have handed in. Raises ShardwiseError when two belong to one
    set, when one that was given cannot be read, or when none that was found can be.
    """
    folders = {above for path in paths for above in _folder_of(path).parents[:3]}
    known: dict[str, Lock] = {}
    faults = []
    for path in given or sorted(one for folder in folders for one in folder.glob(f"*{LOCK_SUFFIX}")):
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


@dataclass(frozen=True)
class _Piece:
    """A task on its way, and what its grading will rest on."""

    path: str
    key: str
    notebook: str  # digests
    questions: str
    task: Task


class _Run:
    """One run of a batch: what is new goes to the workers, what comes back goes into the ledger."""

    def __init__(
        self,
        ledger: Ledger,
        out: Path,
        locks: Mapping[str, Lock],
        settings: Settings,
        width: int,
        step: Callable[[], None],
    ) -> None:
        self._ledger, self._out, self._settings, self._width, self._step = ledger, out, settings, width, step
        self._locks = locks
        self._who = f"{_user()}@{platform.node()}"
        self._engine = engine()
        self._seen: Counter[tuple[str, str]] = Counter()  # notebooks by set and student
        self._again: list[_Piece] = []  # what our side failed at, or did not come back
        self._unread: list[Found] = []
        self.tried_again = 0  # notebooks, for either reason

    def over(self, found: Iterable[Found], opener: Opener) -> None:
        """Grade all of them, and then, one by one, those that need another try."""
        self._through(self._pieces(found), opener, self._width, _PARCEL if self._width > 1 else 1)
        for last in (attempt == _TRIES - 1 for attempt in range(_TRIES)):
            unread, self._unread = self._unread, []
            again, self._again = self._again, []
            if unread or again:
                self.tried_again = max(self.tried_again, len(unread) + len(again))
                time.sleep(_PAUSE)
                self._through([*again, *self._pieces(unread, last=last)], opener, 1, 1, last=last)

    # What is to be done -----------------------------------------------------------------------------------------

    def _pieces(self, found: Iterable[Found], *, last: bool = False) -> Iterator[_Piece]:
        """The notebooks that are still to be graded; the others are settled on the way."""
        for one in found:
            try:
                piece = self._piece(one)
            except CannotRead as error:
                if last:
                    self._refuse(one, str(error))
                else:
                    self._unread.append(one)
            except BadSubmission as error:
                self._refuse(one, str(error))
            except Exception as error:  # ours: one file must not end the batch of all
                self._refuse(one, f"Our fault: {type(error).__name__}: {printable(str(error))[:300]}")
            else:
                if self._is_done(piece):
                    self._ledger.reuse(piece.path, piece.key)
                    self._step()
                else:
                    yield piece

    def _refuse(self, one: Found, reason: str) -> None:
        """Say why there is no grade; whose notebook it is, only the name of a folder tells."""
        owners = [
            (name, one_of) for name, lock in self._locks.items() for one_of in one.folders if one_of in lock.places
        ]
        set_name, student = owners[0] if len(owners) == 1 else ("", "")
        row = Row(str(one), student, set_name, "ungraded", reason)
        patiently(lambda: self._ledger.refuse(row.path, row), self._out)
        self._step()

    def _piece(self, one: Found) -> _Piece:
        """A notebook as a task. Raises BadSubmission and CannotRead."""
        contents = one.contents()
        submission = parse(contents, one.stem)
        task = self._practice(submission) if submission.set is None else self._of_set(one, submission)
        notebook, questions = _digest(contents), _digest(task.questions)
        known = task.graded
        settled = [self._engine, known.student, known.set, known.late, self._settings.unsafe]
        limits = asdict(self._settings.limits) if self._settings.limits else None
        rests_on = json.dumps([notebook, questions, *settled, limits])
        return _Piece(str(one), _digest(rests_on.encode()), notebook, questions, task)

    def _practice(self, submission: Submission) -> Task:
        chapter = submission.practice or ""
        if chapter not in open_banks().chapters:
            raise BadSubmission(f"This notebook practises the chapter {chapter!r}, which this bank does not have.")
        graded = Graded("", submission.student, submission.student, chapter)
        return Task(graded, submission, bank_digest().encode(), practice=True)

    def _of_set(self, one: Found, submission: Submission) -> Task:
        if submission.set is None or submission.set not in self._locks:
            known = ", ".join(self._locks) or "none"
            raise BadSubmission(
                f"I found no lock file for the set {submission.set!r} (found: {known}). Name it with --lock."
            )
        lock, student = self._locks[submission.set], submission.student
        if student not in lock.places:
            raise BadSubmission(f"This notebook names the student {student!r}, who is not in {lock.path.name}.")
        others = sorted(folder for folder in one.folders - {student} if folder in lock.places)
        if others:
            raise BadSubmission(f"This is {student}'s notebook in {others[0]}'s folder.")
        self._seen[submission.set, student] += 1
        if self._seen[submission.set, student] > _MOST_OF_ONE:
            raise BadSubmission(f"More than {_MOST_OF_ONE} notebooks of {student} for this set; this one was not run.")
        late = lock.due is not None and _changed(one) > lock.due
        return Task(Graded("", student, set=submission.set, late=late), submission, lock.line(student))

    def _is_done(self, piece: _Piece) -> bool:
        """Whether the ledger has this grading, and its page lies in its place as it was written."""
        file = file_of(piece.task.graded.set, piece.task.graded.student)
        digest = self._ledger.page_digest(piece.key, file, self._kind)
        try:
            return digest is not None and digest == _digest((self._out / PAGES / file).read_bytes())
        except OSError:
            return False

    @property
    def _kind(self) -> str:
        return WITH_SOLUTIONS if self._settings.solutions else "plain"

    # There and back ---------------------------------------------------------------------------------------------

    def _through(self, pieces: Iterable[_Piece], opener: Opener, width: int, size: int, *, last: bool = False) -> None:
        """Send pieces to the workers, never more than they have hands for, and keep what comes back.

        Pieces whose worker died are set aside, and the others go on with a new executor.
        """
        source = iter(pieces)
        parcel = list(islice(source, size))
        most = 2 * width if width > 1 else 1  # alone means alone: what breaks a worker takes nobody with it
        while parcel:
            pending: dict[Future[list[Done]], list[_Piece]] = {}
            with ExitStack() as stack:
                executor = stack.enter_context(opener())
                while parcel or pending:
                    while parcel and len(pending) < most:
                        pending[self._sent(executor, parcel)] = parcel
                        parcel = list(islice(source, size))
                    returned, _ = wait(pending, return_when=FIRST_COMPLETED)
                    if self._returned({one: pending.pop(one) for one in returned}, last=last):
                        self._returned(dict(pending), last=last)  # an executor that broke breaks all that it was given
                        break

    def _sent(self, executor: Executor, parcel: Sequence[_Piece]) -> Future[list[Done]]:
        try:
            return executor.submit(work, self._settings, [one.task for one in parcel], self._engine)
        except BrokenExecutor as error:  # it broke since the last result
            future: Future[list[Done]] = Future()
            future.set_exception(error)
            return future

    def _returned(self, parcels: Mapping[Future[list[Done]], Sequence[_Piece]], *, last: bool) -> bool:
        """Keep what came back; gives whether the executor broke. Raises what no other try can mend."""
        from shardwise.sandbox import SandboxUnavailable

        broken, fatal = False, None
        for future, parcel in parcels.items():
            try:
                results: Sequence[Done] = future.result()
            except (SandboxUnavailable, OtherEngine, Gone) as error:
                fatal = error  # once the others are kept
                continue
            except Exception as error:  # the worker died, or what was sent or came back did not arrive
                broken = broken or isinstance(error, BrokenExecutor)
                results = [self._lost(piece, error) for piece in parcel]
            for piece, done in zip(parcel, results, strict=True):
                self._settle(piece, done, last=last)
        if fatal:
            raise fatal
        return broken

    def _lost(self, piece: _Piece, error: Exception) -> Done:
        why = (
            f"the worker that graded this ended ({type(error).__name__})"
            if isinstance(error, BrokenExecutor)
            else error
        )
        graded = piece.task.graded
        return Done(Row("", graded.student, graded.set, "ungraded", f"Our fault: {why}, every time."))

    def _settle(self, piece: _Piece, done: Done, *, last: bool) -> None:
        """Keep one result, or set it aside for another try when it is our fault that there is none."""
        row = done.row
        if not row.complete and not last:
            self._again.append(piece)
            return
        if row.status == "graded":
            patiently(lambda: self._keep(piece, done), self._out)
        else:
            patiently(lambda: self._ledger.refuse(piece.path, row), self._out)
        self._step()

    def _keep(self, piece: _Piece, done: Done) -> None:
        """The page first: a grading that is kept has its page."""
        file = file_of(done.row.set, done.row.student)
        page = done.page.encode()
        write(self._out / PAGES / file, page)
        entry = Entry(piece.key, done.row, piece.notebook, piece.questions, self._engine, _now(), self._who)
        self._ledger.record(piece.path, entry, Page(file, self._kind, _digest(page)))


def _digest(contents: bytes) -> str:
    return hashlib.sha256(contents).hexdigest()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container's user without a name
        return "unknown"


def _changed(one: Found) -> datetime:
    try:
        return one.changed()
    except OSError as error:
        raise CannotRead(f"This file cannot be read: {error.strerror or error}.") from None
