"""A bound on the time that the code and the expressions of a bank may take, so that a loop without an end is said."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class TooLong(BaseException):
    """What was to be done has taken too long. No Exception, since a bank's own `except Exception` would swallow it."""


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Raise TooLong where the code inside stands after so many seconds.

    Only where the system can: not on Windows, and not beside a main thread.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        raise TooLong

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
