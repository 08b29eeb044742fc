"""Dispatch: sends tasks to an executor and yields results, or the error that ended the worker."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait

from shardwise.errors import ShardwiseError
from shardwise.grading.intake import Prepared
from shardwise.grading.results import Result
from shardwise.grading.running.executors import Gone, Opener
from shardwise.grading.worker import OtherEngine, Settings, engine, ungraded, work
from shardwise.sandbox import SandboxUnavailable

Returned = tuple[Prepared, Result, str]  # the task, its result, and its feedback page
_Future = Future[tuple[Result, str]]


def dispatch(
    prepared: Iterable[Prepared], settings: Settings, opener: Opener, width: int
) -> Generator[Returned, None, None]:
    """Send tasks to the workers, at most two each, and yield the results in any order.

    A task whose worker died comes back ungraded, and the others continue with a new executor. Raises the errors that no retry
    can fix: SandboxUnavailable, OtherEngine and Gone. Close the generator if you stop early.
    """
    source = iter(prepared)
    most = (
        2 * width if width > 1 else 1
    )  # a single worker gets one task at a time, so that a task that breaks it affects no other
    task = next(source, None)
    while task:
        pending: dict[_Future, Prepared] = {}
        with opener() as executor:
            while task or pending:
                while task and len(pending) < most:
                    pending[_sent(executor, settings, task)] = task
                    task = next(source, None)
                done, _ = wait(pending, return_when=FIRST_COMPLETED)
                broken = yield from _returned({future: pending.pop(future) for future in done})
                if broken:
                    yield from _returned(pending)  # a broken executor breaks all of its tasks
                    break


def _sent(executor: Executor, settings: Settings, prepared: Prepared) -> _Future:
    try:
        return executor.submit(work, settings, prepared.task, engine())
    except BrokenExecutor as error:  # it broke after the last result
        future: _Future = Future()
        future.set_exception(error)
        return future


def _returned(sent: Mapping[_Future, Prepared]) -> Generator[Returned, None, bool]:
    """Yield the results, and return whether the executor broke."""
    broken, fatal = False, None
    for future, prepared in sent.items():
        try:
            returned = future.result()
            if not _is_about(prepared, returned):
                raise ShardwiseError("a worker returned an impossible result")
            result, page = returned
        except (SandboxUnavailable, OtherEngine, Gone) as error:
            fatal = error  # raised after the other results
            continue
        except Exception as error:  # the worker died, or the task or its result was lost
            broken = broken or isinstance(error, BrokenExecutor)
            result, page = _lost(prepared, error), ""
        yield prepared, result, page
    if fatal:
        raise fatal
    return broken


def _is_about(prepared: Prepared, returned: object) -> bool:
    """Return whether this is a possible result for the notebook; the worker is trusted within that range."""
    result, page = returned if isinstance(returned, tuple) and len(returned) == 2 else (None, None)
    has_rulings = bool(prepared.task.rulings)  # an instructor may give more points than a question has
    return (
        isinstance(result, Result)
        and isinstance(page, str)
        and (result.student, result.set) == (prepared.task.student, prepared.task.set)
        and isinstance(result.scores, Mapping)
        and all(
            points is None
            or (isinstance(points, float | int) and points >= 0 and (has_rulings or points <= result.max_points + 1e-9))
            for points in (result.points, *result.scores.values())
        )
    )


def _lost(prepared: Prepared, error: Exception) -> Result:
    ended = f"the worker that graded it died ({type(error).__name__})"
    return ungraded(
        prepared.task,
        f"Error in the grader, not in the notebook: {ended if isinstance(error, BrokenExecutor) else error}, every time.",
    )
