"""Grading: submitted notebooks run in the sandbox, and are marked outside of it, one by one or as a batch."""

from __future__ import annotations

import atexit
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shardwise.bank import bank, pose, revive
from shardwise.errors import ShardwiseError
from shardwise.kinds import kinds
from shardwise.locks import LOCK_SUFFIX, Lock
from shardwise.marking import broken, check, unreadable
from shardwise.markup import safe
from shardwise.programs import Recorded, Runner
from shardwise.question import Feedback, Outcome, Question
from shardwise.sandboxed import runner_in
from shardwise.submissions import BadSubmission, Submission, find, read

if TYPE_CHECKING:
    from shardwise.sandbox import JobResult, Limits, Sandbox, Step

# What the locked cells of every notebook do; the student's copies of them are never run.
PRELUDE = "import shardwise\nfrom shardwise import another, check, handed_out, hint, practice, solution\n"
_WHY_STOPPED = {
    "timeout": "it ran too long",
    "memory": "it ran out of memory",
    "killed": "it ended its process",
    "skipped": "it was not run, for the notebook had used up its time",
}


@dataclass(frozen=True)
class Graded:
    """What became of one submission. `status` is graded, ungraded (with a reason) or missing."""

    path: str
    student: str
    name: str = ""
    set: str = ""
    status: str = "graded"
    reason: str = ""
    questions: tuple[Question, ...] = ()
    feedback: tuple[Feedback, ...] = ()
    notes: tuple[str, ...] = ()
    late: bool = False
    tier: str = ""

    @property
    def points(self) -> float | None:
        """The points earned; None while anything is ungraded, which is never a zero."""
        if self.status != "graded" or any(one.outcome == Outcome.BROKEN for one in self.feedback):
            return None
        return round(sum(one.points for one in self.feedback), 4)

    @property
    def max_points(self) -> float:
        """The points that could be earned."""
        return round(sum(one.points for one in self.questions), 4)


# One submission -------------------------------------------------------------------------------------------------


def grade_one(
    submission: Submission, questions: Sequence[Question], sandbox: Sandbox
) -> tuple[list[Feedback], list[str]]:
    """Run a submission's code and mark its answers: feedback in the questions' order, and notes for the report."""
    job = sandbox.run(_steps(submission, questions))
    stopped = _stopped(submission, job)
    run = runner_in(sandbox)
    answered = {cell.question: cell for cell in submission.cells if cell.question}
    marked = []
    for place, question in enumerate(questions):
        cell = answered.get(question.id)
        try:
            untouched = cell is None or cell.source.strip() == _starter(question).strip()
            feedback = _mark(question, job, place, run, untouched=untouched)
        except Exception as error:  # ours: the student loses nothing, and the report says so
            feedback = broken(question, error)
        if cell is not None and cell.key in stopped and feedback.outcome != Outcome.CORRECT:
            feedback = _told(feedback, f"The cell with your answer stopped: `{safe(stopped[cell.key])}`")
        elif cell is None and feedback.outcome == Outcome.BLANK:
            feedback = _told(feedback, "The cell for this answer is gone, and no other cell defines it.")
        marked.append(feedback)
    added = {cell.key for cell in submission.cells if not cell.question}
    notes = [f"{key} (added by the student) stopped: {safe(why)}" for key, why in stopped.items() if key in added]
    return marked, [*submission.notes, *notes]


def _steps(submission: Submission, questions: Sequence[Question]) -> list[Step]:
    """The notebook's cells, then one request for each answer."""
    from shardwise.sandbox import Calls, Cell, Value

    steps: list[Step] = [Cell("prelude", PRELUDE)]
    steps += [Cell(cell.key, cell.source) for cell in submission.cells]
    for place, question in enumerate(questions):
        if question.kind == "code":
            steps.append(Calls(f"answer-{place}", _variable(question), tuple(case.inputs for case in _cases(question))))
        else:
            steps.append(Value(f"answer-{place}", _variable(question)))
    return steps


def _variable(question: Question) -> str:
    return kinds()[question.kind].variable(question.form, question.variable)


def _starter(question: Question) -> str:
    return kinds()[question.kind].cells(question.form, _variable(question))


def _cases(question: Question) -> Sequence[Any]:
    return question.key.cases  # type: ignore[attr-defined, no-any-return]


def _stopped(submission: Submission, job: JobResult) -> dict[str, str]:
    """The cells that did not run to their end, and why."""
    found = {}
    for cell in submission.cells:
        result: Any = job.results[cell.key]
        if result.status != "ok":
            found[cell.key] = result.error or _WHY_STOPPED.get(result.status, result.status)
    return found


def _mark(question: Question, job: JobResult, place: int, run: Runner, *, untouched: bool) -> Feedback:
    result: Any = job.results[f"answer-{place}"]
    if question.kind == "code":
        calls = result.results
        if all(call.status == "missing" for call in calls):
            why = f"After your cells had run there was no function called {_variable(question)}."
            return check(question, None) if untouched else unreadable(question, why)
        if untouched and all(call.status == "returned" and call.value is None for call in calls):
            return check(question, None)
        return check(question, Recorded(tuple(calls)))
    if result.status == "ok":
        return check(question, result.value, runner=run)
    if result.status == "missing":
        return check(question, None)
    if result.status == "unreadable":
        return unreadable(question, f"I couldn't read the answer: {safe(result.reason or result.type_name)}")
    return unreadable(question, f"The answer could not be fetched: {_WHY_STOPPED.get(result.status, result.status)}.")


def _told(feedback: Feedback, words: str) -> Feedback:
    return feedback.model_copy(update={"say": f"{words}\n\n{feedback.say}".strip()})


# A batch --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Job:
    """One notebook to be graded, and the lock files that may know it."""

    path: Path
    root: Path  # the folder that was named on the command line
    locks: Mapping[str, Path]


def locks_near(paths: Iterable[Path], given: Sequence[Path] = ()) -> dict[str, Path]:
    """Lock files by set: those given, else those beside the submissions or up to three folders above them.

    Raises ShardwiseError when one cannot be read.
    """
    if not given:
        folders = {
            folder for path in paths for folder in [path.resolve(), *path.resolve().parents[:3]] if folder.is_dir()
        }
        given = sorted(one for folder in folders for one in folder.glob(f"*{LOCK_SUFFIX}"))
    return {Lock(path).set_name: path for path in given}


Finish = Callable[[Graded], None]
_WORKER: dict[str, Any] = {}  # of this process: its sandbox, the lock files it has open, and what finishes a result


def _start_worker(limits: Limits | None, unsafe: bool, tier: str | None, finish: Finish | None) -> None:
    from shardwise.sandbox import Limits, open_sandbox

    _WORKER["finish"] = finish
    _WORKER["sandbox"] = open_sandbox(limits=limits or Limits(), unsafe=unsafe, tier=tier).__enter__()
    _WORKER["locks"] = {}
    atexit.register(_stop_worker)


def _stop_worker() -> None:
    sandbox = _WORKER.pop("sandbox", None)
    if sandbox is not None:
        sandbox.__exit__(None, None, None)


def _lock(path: Path) -> Lock:
    locks: dict[Path, Lock] = _WORKER["locks"]
    if path not in locks:
        locks[path] = Lock(path)
    return locks[path]


def _work(job: Job) -> Graded:
    """Grade one notebook in this worker, and finish it there."""
    graded = _graded(job)
    if _WORKER["finish"]:
        _WORKER["finish"](graded)
    return graded


def _graded(job: Job) -> Graded:
    """Grade one notebook; whatever goes wrong becomes a line of the report."""
    sandbox: Sandbox = _WORKER["sandbox"]
    graded = Graded(path=str(job.path), student=job.path.stem, tier=sandbox.tier)
    try:
        submission = read(job.path)
        graded = replace(graded, student=submission.student, set=submission.set or submission.practice or "")
        questions, name, due = _questions(submission, job)
        feedback, notes = grade_one(submission, questions, sandbox)
        late = due is not None and datetime.fromtimestamp(job.path.stat().st_mtime, UTC) > due
        return replace(
            graded, name=name, questions=tuple(questions), feedback=tuple(feedback), notes=tuple(notes), late=late
        )
    except ShardwiseError as error:
        return replace(graded, status="ungraded", reason=str(error))
    except Exception as error:
        return replace(graded, status="ungraded", reason=f"Our fault: {type(error).__name__}: {str(error)[:300]}")


def _questions(submission: Submission, job: Job) -> tuple[list[Question], str, datetime | None]:
    """The questions of a submission, from the lock or, for practice, drawn anew; never from the student's file."""
    if submission.set is None:
        chapter = submission.practice or ""
        if chapter not in bank().chapters:
            raise BadSubmission(f"This notebook practises the chapter {chapter!r}, which this bank does not have.")
        return [pose(problem, submission.seed) for problem in bank().of_chapter(chapter)], submission.student, None
    if submission.set not in job.locks:
        known = ", ".join(job.locks) or "none"
        raise BadSubmission(
            f"I found no lock file for the set {submission.set!r} (found: {known}). Name it with --lock."
        )
    lock = _lock(job.locks[submission.set])
    if submission.student not in lock.places:
        raise BadSubmission(f"This notebook names the student {submission.student!r}, who is not in {lock.path.name}.")
    folders = set(job.path.relative_to(job.root).parts[:-1]) if job.path.is_relative_to(job.root) else set()
    others = sorted(folders & set(lock.places) - {submission.student})
    if others:
        raise BadSubmission(f"This is {submission.student}'s notebook in {others[0]}'s folder.")
    due = lock.header.get("due")
    line = lock.line(submission.student)
    questions = [revive(one) for one in line["questions"]]
    return questions, str(line.get("name", "")), datetime.fromisoformat(due) if due else None


def grade(
    paths: Sequence[Path],
    *,
    locks: Sequence[Path] = (),
    workers: int,
    unsafe: bool = False,
    tier: str | None = None,
    limits: Limits | None = None,
    finish: Finish | None = None,
    progress: Callable[[int], None] | None = None,
) -> list[Graded]:
    """Grade every notebook below `paths`, in an order that depends on nothing but their names.

    `finish` is called with each result in the process that graded it, for work that can be done side by side.
    Students of a lock file who handed in nothing come last, as missing. Raises SandboxUnavailable when there is no
    sandbox, and ShardwiseError when nothing is there to be graded.
    """
    known = locks_near(paths, locks)
    jobs = [Job(path, root, known) for root in paths for path in find([root])]
    jobs = list({job.path.resolve(): job for job in jobs}.values())
    if not jobs:
        raise ShardwiseError(f"No notebook (*.ipynb) lies in {', '.join(map(str, paths))}.")
    results = []
    workers = max(1, min(workers, len(jobs)))
    with _workers(workers, limits, unsafe, tier, finish) as run:
        for result in run(jobs):
            results.append(result)
            if progress:
                progress(len(jobs))
    return [*_without_doubles(results), *_missing(results, known)]


@contextmanager
def _workers(
    count: int, limits: Limits | None, unsafe: bool, tier: str | None, finish: Finish | None
) -> Iterator[Callable[[Sequence[Job]], Iterable[Graded]]]:
    """Processes with a sandbox each, or this process with one; gives what maps jobs to results, in order."""
    from shardwise.sandbox import open_sandbox

    if count == 1:
        _start_worker(limits, unsafe, tier, finish)
        yield lambda jobs: map(_work, jobs)
        _stop_worker()
        return
    with open_sandbox(unsafe=unsafe, tier=tier):  # so that its absence is said once and clearly, before any process starts
        pass
    with ProcessPoolExecutor(count, initializer=_start_worker, initargs=(limits, unsafe, tier, finish)) as pool:
        yield lambda jobs: pool.map(_work, jobs, chunksize=max(1, min(16, len(jobs) // (4 * count))))


def _without_doubles(results: Sequence[Graded]) -> Iterator[Graded]:
    """Two notebooks of one student for one set: neither counts until somebody chooses."""
    counts = Counter((one.set, one.student) for one in results if one.status == "graded")
    for one in results:
        if one.status == "graded" and counts[one.set, one.student] > 1:
            several = sorted(other.path for other in results if (other.set, other.student) == (one.set, one.student))
            reason = f"{len(several)} notebooks of {one.student} for this set: {', '.join(several)}. Keep the one that counts."
            one = replace(one, status="ungraded", reason=reason)
        yield one


def _missing(results: Sequence[Graded], locks: Mapping[str, Path]) -> Iterator[Graded]:
    """Students who were handed a set that others handed in, and who did not."""
    for name in sorted({one.set for one in results} & set(locks)):
        here = {one.student for one in results if one.set == name}
        lock = Lock(locks[name])
        for student in lock.students():
            if student not in here:
                yield Graded(path="", student=student, set=name, status="missing", reason="nothing was handed in")
