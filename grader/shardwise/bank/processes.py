"""Processes that a whole bank is proved in, and that end at once when the command that started them is interrupted."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager


@contextmanager
def processes(count: int | None = None) -> Iterator[ProcessPoolExecutor]:
    """So many processes, or one a core. Whatever ends the `with` early ends them, and no job that waits is begun.

    An executor alone would first do all that it was given, which takes minutes.
    """
    executor = ProcessPoolExecutor(max_workers=count or os.cpu_count(), initializer=_leave_ctrl_c_to_the_command)
    try:
        yield executor
    except BaseException:
        for process in (executor._processes or {}).values():
            process.kill()
        executor.shutdown(cancel_futures=True)
        raise
    executor.shutdown()


def _leave_ctrl_c_to_the_command() -> None:
    """A terminal sends Ctrl-C to every process, and a problem must not be blamed for it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
