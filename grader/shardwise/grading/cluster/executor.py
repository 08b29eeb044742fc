"""An executor over the fit workers of a cluster: calls go there, and results or the news that nothing will come back."""

from __future__ import annotations

import pickle
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future, InvalidStateError
from contextlib import suppress
from functools import partial
from typing import Any

from shardwise.errors import ShardwiseError
from shardwise.grading.cluster.scheduler import Client
from shardwise.grading.running.executors import Gone

Theirs = Any  # Dask's future
_LOOK = 5.0  # seconds between two looks at whether a worker is left
_PATIENCE = 300.0  # seconds that a batch waits for one: a nanny's new worker is there in ten, a queue may take longer


class OnCluster(Executor):
    """Sends calls to the workers that have the resource; when nothing will come back any more, says so with Gone.

    Dask has an executor as well; with that one a call whose scheduler goes while its result is on its way never ends.
    """

    def __init__(self, client: Client, needs: str) -> None:
        self._client, self._needs = client, needs
        self._carry = _carrier()
        self._pending: dict[Future[Any], Theirs] = {}
        self._ended = threading.Event()
        threading.Thread(target=self._watch, daemon=True).start()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        parcel = pickle.dumps((partial(fn, **kwargs) if kwargs else fn, args))
        ours: Future[Any] = Future()
        try:
            theirs = self._client.submit(self._carry, parcel, pure=False, resources={self._needs: 1})
            self._pending[ours] = theirs
            theirs.add_done_callback(lambda done: self._back(done, ours))
        except Exception as error:
            raise self._gone(error) from None
        return ours

    def _back(self, theirs: Theirs, ours: Future[Any]) -> None:
        """Hand over a result. An error is the task's own when Dask says so, and else one of the way here."""
        from distributed import KilledWorker

        try:
            result, raised = pickle.loads(theirs.result())
            _end(ours, result, raised)
        except KilledWorker:
            _end(ours, error=ShardwiseError("every worker that graded this died"))
        except BaseException as error:
            _end(ours, error=error if theirs.status == "error" else self._gone(error))
        finally:
            self._pending.pop(ours, None)

    def _gone(self, error: BaseException) -> Gone:
        return Gone(
            f"The scheduler {self._client.scheduler.address} went away ({type(error).__name__}). What was graded is kept: "
            "run the same command again, there or without a cluster."
        )

    def _watch(self) -> None:
        """End what waits when for a long time no worker is left that could do it."""
        alone = 0.0
        while not self._ended.wait(_LOOK):
            alone = alone + _LOOK if self._pending and not self._hands() else 0.0
            if alone >= _PATIENCE:
                why = "No worker is left that could go on. What was graded is kept: run the same command again."
                for waiting in list(self._pending):
                    _end(waiting, error=Gone(why))

    def _hands(self) -> float:
        try:
            workers = self._client.scheduler_info()["workers"].values()
        except Exception:  # not answering; should it be gone, the results say so
            return 1.0
        return float(sum(worker["resources"].get(self._needs, 0) for worker in workers))

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Let go of what is on its way; the batch leaves with nothing there, or does not want it any more."""
        self._ended.set()
        if self._pending and self._client.status == "running":
            self._client.cancel(list(self._pending.values()))


def _end(future: Future[Any], result: Any = None, error: BaseException | None = None) -> None:
    with suppress(InvalidStateError):  # it ended before: nobody waits for a result that comes after all
        if error is None:
            future.set_result(result)
        else:
            future.set_exception(error)


# Defined within a function, it travels as it is and not by its name: a scheduler need not have shardwise to read it.


def _carrier() -> Callable[[bytes], bytes]:
    """What a worker does with a parcel, which nobody opens on the way: the scheduler has no use for keys and classes."""

    def graded(parcel: bytes) -> bytes:
        import pickle

        outcome: tuple[Any, Exception | None]
        try:
            call, arguments = pickle.loads(parcel)
            outcome = (call(*arguments), None)
        except Exception as error:  # travels as a result does: nothing on the way has to understand it
            outcome = (None, error)
        return pickle.dumps(outcome)

    return graded
