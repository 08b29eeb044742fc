"""Dispatch: tasks go to an executor in parcels, and come back as results or as the error that ended their worker."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from itertools import islice, zip_longest

from shardwise.errors import ShardwiseError
from shardwise.grading.intake import Prepared
from shardwise.grading.results import Result
from shardwise.grading.running.executors import Gone, Opener
from shardwise.grading.worker import OtherEngine, Settings, engine, ungraded, work

_PARCEL = 2  # tasks a worker is handed at a time: enough to hide the way there, few enough to share the last ones
Returned = tuple[Prepared, Result, str]  # what was sent, what became of it, and its feedback page
_Future = Future[list[tuple[Result, str]]]


def dispatch(
    prepared: Iterable[Prepared], settings: Settings, opener: Opener, width: int
) -> Generator[Returned, None, None]:
    """Send tasks to the workers, never more than they have hands for, and give what comes back, in any order.

    A task whose worker died comes back ungraded, and the others go on with a new executor. Raises what no other try can
    mend: SandboxUnavailable, OtherEngine and Gone. Close it when you leave it early.
    """
    source = iter(prepared)
    size = _PARCEL if width > 1 else 1
    most = 2 * width if width > 1 else 1  # alone means alone: what breaks a worker takes nobody with it
    parcel = list(islice(source, size))
    while parcel:
        pending: dict[_Future, list[Prepared]] = {}
        with opener() as executor:
            while parcel or pending:
                while parcel and len(pending) < most:
                    pending[_sent(executor, settings, parcel)] = parcel
                    parcel = list(islice(source, size))
                done, _ = wait(pending, return_when=FIRST_COMPLETED)
                broken = yield from _returned({future: pending.pop(future) for future in done})
                if broken:
                    yield from _returned(pending)  # an executor that broke breaks all that it was given
                    break


def _sent(executor: Executor, settings: Settings, parcel: Sequence[Prepared]) -> _Future:
    try:
        return executor.submit(work, settings, [prepared.task for prepared in parcel], engine())
    except BrokenExecutor as error:  # it broke since the last result
        future: _Future = Future()
        future.set_exception(error)
        return future


def _returned(parcels: Mapping[_Future, Sequence[Prepared]]) -> Generator[Returned, None, bool]:
    """What came back, parcel by parcel; returns whether the executor broke."""
    from shardwise.sandbox import SandboxUnavailable

    broken, fatal = False, None
    for future, parcel in parcels.items():
        try:
            results = [
                one
                if _is_about(prepared, one)
                else (_lost(prepared, ShardwiseError("a worker gave back what cannot be the result of this")), "")
                for prepared, one in zip_longest(parcel, future.result()[: len(parcel)])
            ]
        except (SandboxUnavailable, OtherEngine, Gone) as error:
            fatal = error  # to be raised when the other parcels were given
            continue
        except Exception as error:  # the worker died, or what was sent or came back did not arrive
            broken = broken or isinstance(error, BrokenExecutor)
            results = [(_lost(prepared, error), "") for prepared in parcel]
        for prepared, (result, page) in zip(parcel, results, strict=True):
            yield prepared, result, page
    if fatal:
        raise fatal
    return broken


def _is_about(prepared: Prepared, returned: object) -> bool:
    """Return whether this is a possible result of the notebook that was sent; within that range the worker is trusted."""
    result, page = returned if isinstance(returned, tuple) and len(returned) == 2 else (None, None)
    return (
        isinstance(result, Result)
        and isinstance(page, str)
        and (result.student, result.set) == (prepared.task.student, prepared.task.set)
        and isinstance(result.scores, Mapping)
        and all(
            points is None or (isinstance(points, float | int) and 0 <= points <= result.max_points + 1e-9)
            for points in (result.points, *result.scores.values())
        )
    )


def _lost(prepared: Prepared, error: Exception) -> Result:
    ended = f"the worker that graded this ended ({type(error).__name__})"
    return ungraded(prepared.task, f"Our fault: {ended if isinstance(error, BrokenExecutor) else error}, every time.")
