"""Where a batch runs: in this process, in a pool of processes, or on a cluster; each is a `concurrent.futures` executor."""

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
    """What a batch ran on went away for good, with all that was on its way; no other try can mend that."""


@contextmanager
def here() -> Iterator[Executor]:
    """This process, one task after the other."""
    try:
        yield Here()
    finally:
        sandboxes.close()


class Here(Executor):
    """An executor that is the caller itself."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


class _Pool(ProcessPoolExecutor):
    """A pool that knows of every process that it started: an interrupted start would leave one that nobody kills."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        with held_back(signal.SIGINT, signal.SIGTERM):
            return super().submit(fn, *args, **kwargs)

    def end(self) -> None:
        """End at once. What was being graded is graded again next time."""
        # Killed, not asked to end: a worker that died while it held the lock of their queue would let the others wait for ever.
        for process in (self._processes or {}).values():
            process.kill()
        if results := getattr(self, "_result_queue", None):
            # A worker that was killed while it wrote leaves half of a result, and the thread that reads it would wait for the
            # other half as long as anybody, even this process, could still write it.
            results._writer.close()
        manager: Any = self._executor_manager_thread
        calls: Any = getattr(self, "_call_queue", None)
        self.shutdown(wait=sys.version_info >= (3, 11, 7), cancel_futures=True)
        while manager is not None and manager.is_alive():
            # Before 3.11.7 nobody reads what dead workers have not, and the thread that writes it would wait for ever
            # (python/cpython#94777). It closes both ends itself, which is no error here.
            with suppress(OSError):
                if calls._reader.poll():
                    os.read(calls._reader.fileno(), 65536)
            manager.join(0.01)


def pool(count: int) -> Opener:
    """Processes on this machine, each on a core of its own, and no more than there are cores."""
    usable = cores.usable()
    # What is forked has loaded already what it needs. Other systems have no safe fork, and grade only one's own code.
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
    """A worker keeps to a core, the next in turn, and ends with the process that started it, however that ends."""
    is_of_the_command()
    with begun.get_lock():
        number = begun.value
        begun.value += 1
    cores.keep_to(usable[number % len(usable)])
