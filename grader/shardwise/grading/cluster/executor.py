"""An executor on the fit workers of a cluster, which notices when no result will come back."""

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
_LOOK = 5.0  # seconds between checks for remaining workers
_PATIENCE = 300.0  # seconds to wait for a worker: a nanny restarts one in ten seconds, a queue may take longer


class OnCluster(Executor):
    """An executor that sends calls to the workers with the resource, and raises Gone if no results can come back.

    With Dask's own executor, a call never ends if the scheduler disappears while its result is in transit.
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
        """Deliver a result. An error is the task's own if Dask says so, and otherwise a transport error."""
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
            f"The scheduler {self._client.scheduler.address} went away ({type(error).__name__}). Grades so far are saved. "
            "Run the same command again, on a cluster or without one."
        )

    def _watch(self) -> None:
        """End pending calls if there has been no worker for a long time."""
        alone = 0.0
        while not self._ended.wait(_LOOK):
            alone = alone + _LOOK if self._pending and not self._hands() else 0.0
            if alone >= _PATIENCE:
                why = "No workers are left. Grades so far are saved. Run the same command again."
                for waiting in list(self._pending):
                    _end(waiting, error=Gone(why))

    def _hands(self) -> float:
        try:
            workers = self._client.scheduler_info()["workers"].values()
        except Exception:  # no answer; if the scheduler is gone, the results will show it
            return 1.0
        return float(sum(worker["resources"].get(self._needs, 0) for worker in workers))

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Release calls in transit: a batch either has none left or no longer needs them."""
        self._ended.set()
        if self._pending and self._client.status == "running":
            self._client.cancel(list(self._pending.values()))


def _end(future: Future[Any], result: Any = None, error: BaseException | None = None) -> None:
    with suppress(InvalidStateError):  # it has already ended, so nobody needs a late result
        if error is None:
            future.set_result(result)
        else:
            future.set_exception(error)


# Defined inside a function, it is pickled by value, not by name, so the scheduler can read it without shardwise.


def _carrier() -> Callable[[bytes], bytes]:
    """Return the function that a worker applies to pickled calls, so that the scheduler never unpickles keys and classes."""

    def graded(parcel: bytes) -> bytes:
        import pickle

        outcome: tuple[Any, Exception | None]
        try:
            call, arguments = pickle.loads(parcel)
            outcome = (call(*arguments), None)
        except Exception as error:  # transported like a result, so that nothing in between has to understand it
            outcome = (None, error)
        return pickle.dumps(outcome)

    return graded
