"""Worker processes that end at once when the command that started them is interrupted or killed."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager


@contextmanager
def processes(count: int | None = None) -> Iterator[ProcessPoolExecutor]:
    """Start this many processes, or one per core; they run before the `with` block is entered.

    If the block ends early, they end too, and no pending job starts. An executor alone would first finish all pending jobs,
    which takes minutes.
    """
    executor = ProcessPoolExecutor(count or os.cpu_count(), initializer=is_of_the_command)
    try:
        with held_back(signal.SIGINT):
            executor.submit(int)
        yield executor
    except BaseException:
        end_at_once(executor)
        raise
    executor.shutdown()


def end_at_once(executor: ProcessPoolExecutor) -> None:
    """Kill the processes of an executor, and drop its jobs."""
    for process in (executor._processes or {}).values():
        process.kill()
    executor.shutdown(cancel_futures=True)


def is_of_the_command() -> None:
    """Leave Ctrl-C to the command that started this process, and end with that command, even if it was killed.

    A terminal sends Ctrl-C to all processes, and this process's job must not be blamed for it. Other signals still end it.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):  # not on Windows
        signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGINT, signal.SIGTERM))
    parent = multiprocessing.parent_process()
    assert parent is not None

    def follow() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=follow, daemon=True).start()


@contextmanager
def held_back(*signals: signal.Signals) -> Iterator[None]:
    """Hold these signals back until the block ends. A process forked inside does not receive them until it unblocks them."""
    if not hasattr(signal, "pthread_sigmask"):  # on Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
