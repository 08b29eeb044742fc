"""Executors for a batch: this process, a pool of processes, or a cluster, each a `concurrent.futures` executor."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import Any

from shardwise.bank.processes import held_back, is_of_the_command
from shardwise.errors import ShardwiseError
from shardwise.grading.running import cores, sandboxes

Opener = Callable[[], AbstractContextManager[Executor]]


class Gone(ShardwiseError):
    """The executor of a batch is gone with all pending tasks, and no retry can fix that."""


@contextmanager
def here() -> Iterator[Executor]:
    """Run tasks in this process, one after the other."""
    try:
        yield Here()
    finally:
        sandboxes.close()


class Here(Executor):
    """An executor that runs tasks in the caller."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


class _Pool(ProcessPoolExecutor):
    """A pool that tracks every process it started, because an interrupted start would leave one running."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        with held_back(signal.SIGINT, signal.SIGTERM):
            return super().submit(fn, *args, **kwargs)

    def end(self) -> None:
        """End at once. Notebooks in progress are graded again next time."""
        # Kill the workers: if one died while it held the lock of their queue, the others would wait for ever.
        for process in (self._processes or {}).values():
            process.kill()
        if results := getattr(self, "_result_queue", None):
            # A worker that is killed while writing leaves half a result. The thread that reads it would wait for the other half
            # as long as any process, even this one, could still write it.
            results._writer.close()
        manager: Any = self._executor_manager_thread
        calls: Any = getattr(self, "_call_queue", None)
        self.shutdown(wait=sys.version_info >= (3, 11, 7), cancel_futures=True)
        while manager is not None and manager.is_alive():
            # Before 3.11.7, nobody reads data meant for dead workers, and the thread that writes it would wait for ever
            # (python/cpython#94777). That it closes both ends itself is not an error here.
            with suppress(OSError):
                if calls._reader.poll():
                    os.read(calls._reader.fileno(), 65536)
            manager.join(0.01)


def pool(count: int) -> Opener:
    """Return an opener of a pool of processes on this machine, one per core at most."""
    usable = cores.usable()
    # A forked worker has already loaded its modules. Other systems have no safe fork, and grade only the user's own code.
    context = multiprocessing.get_context("fork" if sys.platform.startswith("linux") else "spawn")

    @contextmanager
    def opened() -> Iterator[Executor]:
        width = min(count, len(usable))
        executor = _Pool(width, mp_context=context, initializer=_begin, initargs=(usable, context.Value("i", 0)))
        try:
            yield executor
        finally:
            executor.end()

    return opened


def _begin(usable: Sequence[int], begun: Any) -> None:
    """Pin a new worker to the next core, and let it end with the process that started it, however that ends."""
    is_of_the_command()
    with begun.get_lock():
        number = begun.value
        begun.value += 1
    cores.keep_to(usable[number % len(usable)])
