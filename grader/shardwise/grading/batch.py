"""A batch: every notebook of a class graded, each result kept as it comes, so that nothing is lost and nothing done twice."""

from __future__ import annotations

import getpass
import platform
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, nullcontext, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from shardwise.atomic_files import make_folder, patiently, write_file
from shardwise.course.assigning.lockfile import Lock, read_line
from shardwise.course.collecting.bounds import BOUNDS
from shardwise.course.collecting.identity import means_a_student
from shardwise.course.collecting.submitted_files import (
    BadSubmission,
    CannotRead,
    SubmittedFile,
    Whose,
    find,
    place_of_one,
)
from shardwise.errors import ShardwiseError
from shardwise.grading.dispatch import dispatch
from shardwise.grading.feedback_page import HandIn, file_of, page
from shardwise.grading.intake import Decisions, Intake, Practice, Prepared, digest, locks_near
from shardwise.grading.outcome import PAGES, Batch
from shardwise.grading.record.ledger import LEDGER, Ledger
from shardwise.grading.record.ledger_tables import Grading
from shardwise.grading.results import Result
from shardwise.grading.running.executors import Opener, here, pool
from shardwise.grading.worker import Settings, engine, our_fault
from shardwise.markdown.escaping import printable
from shardwise.text_files import read_bounded

WITH_SOLUTIONS = "with solutions"  # a kind of page
_TRIES = 2  # more, one by one, for what a worker died of or could not be read
_LARGEST_PAGE = 50_000_000  # bytes of a feedback page that is there already; one has about 100,000
_PAUSE = 0.5  # seconds before those

Progress = Callable[[int], None]


class NoNotebook(ShardwiseError):
    """There is nothing to be graded."""


def grade(
    paths: Sequence[Path],
    out: Path,
    *,
    locks: Sequence[Path | Lock] = (),
    key: bytes | None = None,
    practice: Practice | None = None,
    settings: Settings | None = None,
    decisions: Decisions | None = None,
    counted: Path | None = None,
    workers: int = 1,
    executor: Opener | None = None,
    progress: Progress | None = None,
) -> Batch:
    """Grade every notebook among `paths`, below them and in their zip archives, into the folder `out`.

    What the ledger there has already is not graded again. `key` is the course key, else the one beside each lock is taken.
    `counted` is the ledger that knows what counted so far, and so which attempts there were, else this folder's is. `practice` gives the questions of practice notebooks. `executor`
    opens what the work runs on, `workers` wide; without it this is a pool of so many processes. Raises SandboxUnavailable
    when there is no sandbox, NoRoom when the disk is full, and ShardwiseError when nothing is there to be graded or
    another run is writing there.
    """
    near, settings = locks_near(paths, locks, key), settings or Settings()

    def whose(folder: Path) -> bool:
        return any(means_a_student(folder, lock) for lock in near.known.values())

    make_folder(out, mode=0o700)
    keys = [*(lock.key for lock in near.known.values()), *([key] if key else [])]
    with Ledger(out / LEDGER, keys) as ledger, Ledger(counted, keys) if counted else nullcontext(ledger) as known:
        found = patiently(lambda: ledger.begin(map(str, find(paths, whose))), out)
        if not found:
            raise NoNotebook(f"No notebook (*.ipynb) lies in {', '.join(map(str, paths))}.")
        width = max(1, min(workers, found))
        opener = executor or (here if width == 1 else pool(width))
        decisions = decisions or Decisions()
        if decisions.student and (several := sum(not each.is_stray for each in find(paths, whose))) > 1:
            raise ShardwiseError(f"--student says whose one notebook is, and here are {several}.")
        intake = Intake(paths, near, settings, practice, decisions)
        run = _Run(ledger, out, intake, settings, lambda: progress and progress(found), known, whose)
        run.over(find(paths, whose), opener, width)
        run.choose(opener, latest=decisions.latest)
        run.drop_strays()
        run.end()
    if not (out / LEDGER).is_file():  # else the tables would be those of an empty one
        raise ShardwiseError(f"{out / LEDGER} was deleted while it was written. Run the same command again.")
    return Batch(
        out, near.known, run.tried_again, near.unused, tuple(run.failed), intake.claimed, run.gone, tuple(keys)
    )


@dataclass(frozen=True)
class _Taken:
    """A notebook that was taken in for a student."""

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
        """Whether it came after all that may be handed in, so that the last of those counts."""
        return self.stands_for != self.notebook


class _Run:
    """One run of a batch: what is new goes to the workers, what comes back goes into the ledger."""

    def __init__(
        self,
        ledger: Ledger,
        out: Path,
        intake: Intake,
        settings: Settings,
        step: Callable[[], object],
        known: Ledger,
        whose: Whose,
    ) -> None:
        self._ledger, self._out, self._intake, self._settings, self._step = ledger, out, intake, settings, step
        self._kind_of_page = WITH_SOLUTIONS if settings.solutions else "plain"
        self._who = f"{_user()}@{platform.node()}"
        self._last = False  # whether this is the last try
        self._unread: list[SubmittedFile] = []  # to be tried again
        self._failed: list[Prepared] = []  # to be tried again: our side failed at them, or they did not come back
        self._known = known
        self._taken: dict[tuple[str, str], dict[str, _Taken]] = {}  # by set and student, and path
        self._strays: dict[str, Result] = {}  # by path
        self._refused: set[tuple[str, str]] = set()  # the sets and students of notebooks that cannot be graded
        self._whose = whose
        self._sent: Counter[Path] = Counter()  # notebooks by the folder or archive of a student
        self._seconds: defaultdict[Path, float] = defaultdict(float)  # that these took
        self._later: list[SubmittedFile] = []  # of who handed in many, when everybody else had their turn
        self.tried_again = 0  # notebooks, for either reason
        self.failed: list[str] = []  # why, for those of which no try came to an end
        self.gone: Counter[str] = Counter()  # as in the batch

    def over(self, found: Iterable[SubmittedFile], opener: Opener, width: int) -> None:
        """Grade all of them, and then, one by one, those that need another try."""
        self._grade(self._new(found), opener, width)
        later, self._later = self._later, []
        self._grade(self._new(later, are_late=True), opener, 1)
        for tries_left in reversed(range(_TRIES)):
            self._last = tries_left == 0
            unread, self._unread = self._unread, []
            failed, self._failed = self._failed, []
            if unread or failed:
                self.tried_again = max(self.tried_again, len(unread) + len(failed))
                time.sleep(_PAUSE)
                self._grade([*failed, *self._new(unread)], opener, 1)

    def choose(self, opener: Opener, *, latest: bool) -> None:
        """Let one of several notebooks of a student count: of copies the first, and with `latest` the latest of all.

        One that came after all that may be handed in stands for the last of those, so nobody need choose between the two.
        """
        for whose, found in list(self._taken.items()):
            taken = sorted(found.values(), key=lambda each: each.received.timestamp() if each.received else 0.0)
            taken = self._theirs(whose, taken) if latest else taken
            if len(taken) > 1 or any(each.came_after for each in taken):
                self._choose(whose, taken, opener, latest=latest)

    def _theirs(self, whose: tuple[str, str], taken: Sequence[_Taken]) -> list[_Taken]:
        """Return the notebooks of which the latest counts: those in a folder named after their student, if there are any.

        The others may be somebody else's hand-in, and are reported.
        """
        known = {each.notebook for each in taken if each.is_vouched}
        others = [each for each in taken if not each.is_vouched and each.notebook not in known]
        if not known and len({each.file.path.parent for each in others}) < 2:
            return list(taken)
        name_of_set, student = whose
        row = Result("" if known else student, name_of_set, status="ungraded")
        why = f"This notebook names {student}, and nothing says that {student} handed it in. Say whose it is with --student."
        for each in others:
            self._refuse(replace(row, reason=why, path=each.path))
        return [each for each in taken if each not in others]

    def _choose(self, whose: tuple[str, str], taken: Sequence[_Taken], opener: Opener, *, latest: bool) -> None:
        """Let one of these count, or all that differ if nobody can tell which; they stand in the order of their receipt."""
        name_of_set, student = whose
        different = {each.notebook: each for each in reversed(taken)}  # of copies the first
        by_place = sorted(different.values(), key=taken.index)
        standing = {each.stands_for: each for each in by_place} | {
            each.stands_for: each for each in by_place if not each.came_after
        }
        chosen = standing[by_place[-1].stands_for] if latest or len(standing) == 1 else None
        for each in taken:
            if each not in ([chosen] if chosen else by_place):
                self._ledger.drop(each.path)
            elif each.came_after:
                self._let_last_allowed_count(whose, each, decided=chosen is not None)
        if chosen is None or chosen.came_after:
            return
        if not self._is_done(chosen.key, name_of_set, student):  # the page is that of another
            self._grade(self._new([chosen.file]), opener, 1)
        after = [each.path for each in by_place if each.came_after]
        if after and (len(standing) == 1 or by_place[-1].came_after):
            self._ledger.reuse(chosen.path, chosen.key, self._after_the_last(name_of_set, after[-1]))
        elif len(different) > 1:
            note = f"The latest of {len(different)} different notebooks of {student} counts."
            if unknown := [each.path for each in by_place if each.received is None]:
                note += f" Nobody knows when {' and '.join(unknown)} came; it was taken for the earliest."
            self._ledger.reuse(chosen.path, chosen.key, note)

    def _let_last_allowed_count(self, whose: tuple[str, str], each: _Taken, *, decided: bool) -> None:
        """Let a notebook that came after all that may be handed in have the grade of the last of those, which is not here."""
        grading = self._known.grading_of(*whose, each.stands_for, each.questions)
        note, is_todays = self._after_the_last(whose[0], "this"), grading.questions == each.questions
        if not is_todays:
            note += " It is not here, and was graded by other questions than today's: put it back to grade it again."
        is_stage = self._known is not self._ledger  # whose pages would replace some that show the student's code
        if decided and is_todays and not is_stage and not self._is_done(grading.key, *whose):
            self._show(each, grading)
        self._ledger.adopt(each.path, grading, note)
        if decided and (grading.questions, grading.engine) != (each.questions, engine()):
            self.gone[whose[1]] += len(grading.result.scores)

    def _show(self, each: _Taken, grading: Grading) -> None:
        """Write the page of a grading whose notebook is not here: what is on record, and so without the student's own code."""
        with suppress(BadSubmission):  # the one in its place was there a moment ago; a page is no reason to end here
            task = self._intake.prepare(each.file).task
            handed_in, solutions = HandIn(task.title, task.due), self._settings.solutions
            _, questions = read_line(task.questions)
            shown = page(grading.result, questions, grading.result.feedback, handed_in=handed_in, solutions=solutions)
            patiently(lambda: self._keep(each.path, grading, shown.encode()), self._out)

    def _after_the_last(self, name_of_set: str, which: str) -> str:
        allowed = self._intake.attempts(name_of_set)
        if allowed == 1:
            return f"One notebook may be handed in, and {which} came after it; that one counts."
        return f"{allowed} different notebooks may be handed in, and {which} came after them; the last of those counts."

    def drop_strays(self) -> None:
        """Leave out what is no notebook where its student handed in one, whatever became of that."""
        for path, stray in self._strays.items():
            whose = (stray.set, stray.student)
            if whose in self._taken or whose in self._refused:
                self._ledger.drop(path)

    def end(self) -> None:
        """Keep on record what counts now, which is also what uses up attempts."""
        self._ledger.end(_now(), self._who)

    def _grade(self, prepared: Iterable[Prepared], opener: Opener, width: int) -> None:
        with closing(dispatch(prepared, self._settings, opener, width)) as returned:
            for sent, result, shown in returned:
                self._settle(sent, result, shown)

    def _new(self, found: Iterable[SubmittedFile], *, are_late: bool = False) -> Iterator[Prepared]:
        """The notebooks that are still to be graded; the others are settled on the way.

        A student's beyond the first few wait for everybody else, and are then `are_late`.
        """
        for notebook in found:
            try:
                prepared = self._intake.prepare(notebook)
            except CannotRead as error:
                if self._last:
                    self.failed.append(str(error))
                    self._refuse(self._intake.refused(notebook, str(error)))
                else:
                    self._unread.append(notebook)
            except BadSubmission as error:
                refused = self._intake.refused(notebook, error)
                if notebook.is_stray:
                    self._strays[refused.path] = refused
                else:
                    self._refused.add((refused.set, refused.student))
                self._refuse(refused)
                if notebook.path.is_file() and not notebook.path.is_symlink():  # a pipe would be waited for
                    with suppress(BadSubmission, OSError):
                        self._ledger.receive(
                            refused.path, self._intake.received(notebook, refused.student, refused.set)
                        )
            except Exception as error:  # one file must not end the batch of all
                self._refuse(self._intake.refused(notebook, printable(our_fault(error))))
            else:
                task = prepared.task
                taken = _Taken(
                    notebook, prepared.path, prepared.key, prepared.notebook, self._stands_for(prepared), prepared.questions, prepared.received.at, prepared.is_vouched
                )  # fmt: skip
                self._ledger.receive(prepared.path, prepared.received)
                self._taken.setdefault((task.set, task.student), {})[taken.path] = taken
                if taken.came_after:
                    self._step()
                elif self._is_done(prepared.key, task.set, task.student):
                    self._ledger.reuse(prepared.path, prepared.key)
                    self._step()
                elif place := place_of_one(notebook, self._whose):
                    if self._seconds[place] >= BOUNDS.seconds:
                        self._refuse(self._intake.refused(notebook, _used_up(place)))
                    elif self._sent[place] >= BOUNDS.at_once and not are_late:
                        self._later.append(notebook)
                    else:
                        self._sent[place] += 1
                        yield prepared
                else:
                    yield prepared

    def _stands_for(self, prepared: Prepared) -> str:
        """The notebook that counts if this one is chosen: itself, or the last allowed if it came after all that may be handed in.

        What is graded is no attempt yet: anybody can put a notebook beside a student's, and then none of them counts.
        """
        allowed = self._intake.attempts(prepared.task.set)
        if allowed is None:
            return prepared.notebook
        counted = self._known.notebooks(prepared.task.set, prepared.task.student)[:allowed]
        return counted[-1] if len(counted) == allowed and prepared.notebook not in counted else prepared.notebook

    def _is_done(self, key: str, name_of_set: str, student: str) -> bool:
        """Whether the ledger has this grading, and its page lies in its place as it was written."""
        file = file_of(name_of_set, student)
        expected = self._ledger.page_digest(key, file, self._kind_of_page)
        try:
            return expected is not None and expected == digest(read_bounded(self._out / PAGES / file, _LARGEST_PAGE))
        except OSError:
            return False

    def _settle(self, sent: Prepared, result: Result, shown: str) -> None:
        """Keep a result, or set it aside for another try when it is our fault that there are no points."""
        if place := place_of_one(sent.file, self._whose):
            self._seconds[place] += result.seconds
        if not result.complete and not self._last:
            self._failed.append(sent)
        elif result.status == "graded":
            try:
                made = Grading(result, sent.key, sent.notebook, sent.questions, engine(), _now(), self._who)
                patiently(lambda: self._keep(sent.path, made, shown.encode()), self._out)
                self._step()
            except OSError as error:  # it concerns this page alone
                self.failed.append(our_fault(error))
                self._refuse(replace(result, status="ungraded", reason=our_fault(error), path=sent.path))
        else:
            self.failed += [] if result.complete else [result.reason]
            self._refuse(replace(result, path=sent.path))

    def _keep(self, path: str, grading: Grading, shown: bytes) -> None:
        """The page first: a grading that is kept has its page."""
        file = file_of(grading.result.set, grading.result.student)
        write_file(self._out / PAGES / file, shown, private=True)
        self._ledger.record(path, grading, page=file, kind=self._kind_of_page, digest=digest(shown))

    def _refuse(self, result: Result) -> None:
        patiently(lambda: self._ledger.refuse(result), self._out)
        self._step()


def _used_up(place: Path) -> str:
    return (
        f"The other notebooks in {place} took {BOUNDS.seconds:.0f} seconds, which is all that one student's may take in a run, so "
        "this one was not run. Run the same command again to go on, or keep the notebook that counts."
    )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container's user without a name
        return "unknown"
