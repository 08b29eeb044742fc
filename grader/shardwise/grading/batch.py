"""A batch: grades every notebook of a class and saves each result at once, so that no work is lost or repeated."""

from __future__ import annotations

import getpass
import platform
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, nullcontext, suppress
from dataclasses import replace
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
from shardwise.grading.attempts import Candidate, by_receipt, different_ones, select_attempt, unvouched
from shardwise.grading.dispatch import dispatch
from shardwise.grading.feedback_page import WITH_SOLUTIONS, HandIn, file_of, page
from shardwise.grading.intake import Decisions, Intake, Locks, Practice, Prepared, digest, locks_near
from shardwise.grading.outcome import PAGES, Batch
from shardwise.grading.record.ledger import LEDGER, Ledger
from shardwise.grading.record.ledger_tables import Grading
from shardwise.grading.results import Result
from shardwise.grading.running.executors import Opener, here, pool
from shardwise.grading.worker import Settings, engine, our_fault
from shardwise.markdown.escaping import printable
from shardwise.text_files import read_bounded

_TRIES = 2  # retries, one by one, of notebooks that killed a worker or could not be read
_LARGEST_PAGE = 50_000_000  # bytes of an existing feedback page; a page has about 100,000
_PAUSE = 0.5  # seconds before each retry

Progress = Callable[[int], None]


class NoNotebook(ShardwiseError):
    """There are no notebooks to grade."""


def grade(
    paths: Sequence[Path],
    out: Path,
    *,
    locks: Locks | Sequence[Path | Lock] = (),
    key: bytes | None = None,
    practice: Practice | None = None,
    settings: Settings | None = None,
    decisions: Decisions | None = None,
    counted: Path | None = None,
    workers: int = 1,
    executor: Opener | None = None,
    progress: Progress | None = None,
) -> Batch:
    """Grade every notebook in `paths`, including folders and zip archives, into the folder `out`.

    Notebooks that the folder's ledger already has are not graded again. `key` is the course key; by default, the key next to
    each lock file. `counted` is the ledger with the earlier attempts; by default, the folder's. `practice` returns the questions
    of practice notebooks. `executor` opens the executor with `workers` workers; by default, a pool of processes. Raises
    SandboxUnavailable if there is no sandbox, NoRoom if the disk is full, and ShardwiseError if there is nothing to grade or
    another run is writing to the folder.
    """
    near, settings, decisions = locks_near(paths, locks, key), settings or Settings(), decisions or Decisions()
    decisions.overrides.check(near.known.values())

    def whose(folder: Path) -> bool:
        return any(means_a_student(folder, lock) for lock in near.known.values())

    make_folder(out, mode=0o700)
    keys = [*(lock.key for lock in near.known.values()), *([key] if key else [])]
    with Ledger(out / LEDGER, keys) as ledger, Ledger(counted, keys) if counted else nullcontext(ledger) as known:
        found = patiently(lambda: ledger.begin(map(str, find(paths, whose))), out)
        if not found:
            raise NoNotebook(f"Cannot find a notebook (*.ipynb) in {', '.join(map(str, paths))}.")
        width = max(1, min(workers, found))
        opener = executor or (here if width == 1 else pool(width))
        if counted is None:
            ledger.decide(decisions.overrides.documents(), now_in_utc(), who_runs())
        if decisions.student and (several := sum(not each.is_stray for each in find(paths, whose))) > 1:
            raise ShardwiseError(f"--student names the owner of a single notebook, but there are {several}.")
        intake = Intake(paths, near, settings, practice, decisions)
        run = _Run(ledger, out, intake, settings, lambda: progress and progress(found), known, whose)
        run.over(find(paths, whose), opener, width)
        run.choose(opener)
        run.drop_strays()
        run.end()
    if not (out / LEDGER).is_file():  # otherwise the tables would be empty
        raise ShardwiseError(f"{out / LEDGER} was deleted while it was being written. Run the same command again.")
    return Batch(
        out,
        near.known,
        run.tried_again,
        near.unused,
        tuple(run.failed),
        intake.claimed,
        run.gone,
        tuple(keys),
        decisions.overrides,
    )


class _Run:
    """One run of a batch: sends new notebooks to the workers and writes results into the ledger."""

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
        self._who = who_runs()
        self._last = False  # whether this is the last retry
        self._unread: list[SubmittedFile] = []  # to retry
        self._failed: list[Prepared] = []  # to retry: the grader failed, or no result came back
        self._known = known
        self._taken: dict[tuple[str, str], dict[str, Candidate]] = {}  # by set and student, and path
        self._strays: dict[str, Result] = {}  # by path
        self._refused: set[tuple[str, str]] = set()  # the sets and students of notebooks that cannot be graded
        self._whose = whose
        self._sent: Counter[Path] = Counter()  # number of notebooks by a student's folder or archive
        self._seconds: defaultdict[Path, float] = defaultdict(float)  # worker time by a student's folder or archive
        self._later: list[SubmittedFile] = []  # from students who submitted many, after everybody else's
        self.tried_again = 0  # number of notebooks that were retried
        self.failed: list[str] = []  # why, for notebooks that no retry could grade
        self.gone: Counter[str] = Counter()  # see Batch

    def over(self, found: Iterable[SubmittedFile], opener: Opener, width: int) -> None:
        """Grade all notebooks, then retry, one by one, those that failed."""
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

    def choose(self, opener: Opener) -> None:
        """Choose the notebook that counts among several of a student: the first of copies, or the latest if a person said so.

        A notebook beyond the permitted attempts gets the grade of the last attempt, so nobody has to choose between the two.
        """
        for whose, found in list(self._taken.items()):
            taken, latest = by_receipt([*found.values()]), self._intake.latest_counts(*whose)
            if latest:
                taken = self._theirs(whose, taken)
            if len(taken) > 1 or any(each.came_after for each in taken):
                self._choose(whose, taken, opener, latest=latest)

    def _theirs(self, whose: tuple[str, str], taken: Sequence[Candidate]) -> list[Candidate]:
        """Report the notebooks that somebody else may have submitted, and return the others."""
        others, (name_of_set, student) = unvouched(taken), whose
        is_known = any(each.is_vouched for each in taken)
        row = Result("" if is_known else student, name_of_set, status="ungraded")
        why = f"This notebook names {student}, but nothing shows that {student} submitted it. Name its owner with --student."
        for each in others:
            self._refuse(replace(row, reason=why, path=each.path))
        return [each for each in taken if each not in others]

    def _choose(self, whose: tuple[str, str], taken: Sequence[Candidate], opener: Opener, *, latest: bool) -> None:
        """Let one of these notebooks count, given in the order of receipt, or keep all different ones if the choice is unclear."""
        name_of_set, student = whose
        if self._intake.are_attempts(*whose):
            for each in different_ones(taken)[: self._intake.attempts(name_of_set)]:
                self._ledger.count(each.path, now_in_utc(), self._who)
            taken = [replace(each, stands_for=self._stands_for(*whose, each.notebook)) for each in taken]
        selection = select_attempt(taken, latest=latest)
        chosen = selection.chosen
        for each in taken:
            if each not in ([chosen] if chosen else selection.different):
                self._ledger.drop(each.path)
            elif each.came_after:
                self._let_last_allowed_count(whose, each, decided=chosen is not None)
        if chosen is None or chosen.came_after:
            return
        if not self._is_done(chosen.key, name_of_set, student):  # the page shows another notebook
            self._grade(self._new([chosen.file]), opener, 1)
        if selection.after and (selection.rivals == 1 or selection.different[-1].came_after):
            self._ledger.reuse(chosen.path, chosen.key, self._after_the_last(name_of_set, selection.after[-1]))
        elif len(selection.different) > 1:
            note = f"{student} submitted {len(selection.different)} different notebooks; the latest counts."
            if unknown := [each.path for each in selection.different if each.received is None]:
                note += f" It is unknown when {' and '.join(unknown)} was received; it is treated as the earliest."
            self._ledger.reuse(chosen.path, chosen.key, note)

    def _let_last_allowed_count(self, whose: tuple[str, str], each: Candidate, *, decided: bool) -> None:
        """Give a notebook beyond the permitted attempts the grade of the last attempt, which is not in this run."""
        grading = self._known.grading_of(*whose, each.stands_for, each.questions)
        note, is_todays = self._after_the_last(whose[0], "this"), grading.questions == each.questions
        if not is_todays:
            note += " That notebook is not here, and it was graded with older questions: put it back to grade it again."
        is_stage = (
            self._known is not self._ledger
        )  # pages from the stage would replace pages that show the student's code
        if decided and is_todays and not is_stage and not self._is_done(grading.key, *whose):
            self._show(each, grading)
        self._ledger.adopt(each.path, grading, note)
        if decided and (grading.questions, grading.engine) != (each.questions, engine()):
            self.gone[whose[1]] += len(grading.result.scores)

    def _show(self, each: Candidate, grading: Grading) -> None:
        """Write the page of a grading whose notebook is not here, from the ledger and therefore without the student's code."""
        with suppress(BadSubmission):  # the file has just disappeared; a missing page must not end the run
            task = self._intake.prepare(each.file).task
            handed_in, solutions = HandIn(task.title, task.due), self._settings.solutions
            _, questions = read_line(task.questions)
            shown = page(grading.result, questions, grading.result.feedback, handed_in=handed_in, solutions=solutions)
            patiently(lambda: self._keep(each.path, grading, shown.encode()), self._out)

    def _after_the_last(self, name_of_set: str, which: str) -> str:
        allowed = self._intake.attempts(name_of_set)
        if allowed == 1:
            return f"Only one notebook may be handed in, and {which} came later; the first one counts."
        return f"Only {allowed} different notebooks may be handed in, and {which} came later; the last one within the limit counts."

    def drop_strays(self) -> None:
        """Drop files that are not notebooks if their student submitted a notebook, even one that could not be graded."""
        for path, stray in self._strays.items():
            whose = (stray.set, stray.student)
            if stray.student and (whose in self._taken or whose in self._refused):
                self._ledger.drop(path)

    def end(self) -> None:
        """Record which gradings count now; these also use up attempts."""
        self._ledger.end(now_in_utc(), self._who)

    def _grade(self, prepared: Iterable[Prepared], opener: Opener, width: int) -> None:
        with closing(dispatch(prepared, self._settings, opener, width)) as returned:
            for sent, result, shown in returned:
                self._settle(sent, result, shown)

    def _new(self, found: Iterable[SubmittedFile], *, are_late: bool = False) -> Iterator[Prepared]:
        """Yield the notebooks that are still to be graded, and settle the others.

        A student's notebooks beyond the first few are postponed until everybody else's are done; then `are_late` is set.
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
                if notebook.path.is_file() and not notebook.path.is_symlink():  # reading a pipe would block
                    with suppress(BadSubmission, OSError):
                        self._ledger.receive(
                            refused.path, self._intake.received(notebook, refused.student, refused.set)
                        )
            except Exception as error:  # one file must not end the batch
                self._refuse(self._intake.refused(notebook, printable(our_fault(error))))
            else:
                task = prepared.task
                taken = Candidate(
                    notebook, prepared.path, prepared.key, prepared.notebook, self._stands_for(task.set, task.student, prepared.notebook), prepared.questions, prepared.received.at, prepared.is_vouched
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

    def _stands_for(self, name_of_set: str, student: str, notebook: str) -> str:
        """Return the notebook that counts if this one is chosen: itself, or the last attempt if there are none left.

        A graded notebook is not an attempt yet: anybody can put a notebook next to a student's, and then none of them counts.
        """
        allowed = self._intake.attempts(name_of_set)
        if allowed is None:
            return notebook
        counted = self._known.notebooks(name_of_set, student)[:allowed]
        return counted[-1] if len(counted) == allowed and notebook not in counted else notebook

    def _is_done(self, key: str, name_of_set: str, student: str) -> bool:
        """Return whether the ledger has this grading and its page is unchanged."""
        file = file_of(name_of_set, student)
        expected = self._ledger.page_digest(key, file, self._kind_of_page)
        try:
            return expected is not None and expected == digest(read_bounded(self._out / PAGES / file, _LARGEST_PAGE))
        except OSError:
            return False

    def _settle(self, sent: Prepared, result: Result, shown: str) -> None:
        """Save a result, or schedule a retry if it has no points because of an error in the grader."""
        if place := place_of_one(sent.file, self._whose):
            self._seconds[place] += result.seconds
        if not result.complete and not self._last:
            self._failed.append(sent)
        elif result.status == "graded":
            try:
                made = Grading(result, sent.key, sent.notebook, sent.questions, engine(), now_in_utc(), self._who)
                patiently(lambda: self._keep(sent.path, made, shown.encode()), self._out)
                self._step()
            except OSError as error:  # only this page is affected
                self.failed.append(our_fault(error))
                self._refuse(replace(result, status="ungraded", reason=our_fault(error), path=sent.path))
        else:
            self.failed += [] if result.complete else [result.reason]
            self._refuse(replace(result, path=sent.path))

    def _keep(self, path: str, grading: Grading, shown: bytes) -> None:
        """Save a page and then its grading, so that every saved grading has its page."""
        file = file_of(grading.result.set, grading.result.student)
        write_file(self._out / PAGES / file, shown, private=True)
        self._ledger.record(path, grading, page=file, kind=self._kind_of_page, digest=digest(shown))

    def _refuse(self, result: Result) -> None:
        patiently(lambda: self._ledger.refuse(result), self._out)
        self._step()


def _used_up(place: Path) -> str:
    return (
        f"Not run: the other notebooks in {place} have used the {BOUNDS.seconds:.0f} seconds that one student has in a run. "
        "Run the same command again to continue, or keep only the notebook that counts."
    )


def now_in_utc() -> str:
    """Return the time, for the record."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def who_runs() -> str:
    """Return who runs this, for the record."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # in a container, the user may have no name
        user = "unknown"
    return f"{user}@{platform.node()}"
