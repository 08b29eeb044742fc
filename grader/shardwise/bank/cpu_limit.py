"""A time limit for the code and the expressions of a bank, so that an endless loop is reported."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

DRAW_SECONDS = 60.0  # a draw takes a second at most; one that takes this long is in an endless loop
ENDLESS = "Is there an endless loop, or a number that is far too large?"


class TooLong(BaseException):
    """The code of a bank took too long. Not an Exception, because an `except Exception` in the bank would swallow it."""


@contextmanager
def at_most(seconds: float = DRAW_SECONDS) -> Iterator[None]:
    """Raise TooLong inside this block when it has used this much CPU time: by default, what a draw is allowed.

    CPU time counts, because on a busy machine a sound draw may wait for a minute.
    The limit works only in the main thread, and not on Windows.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        raise TooLong

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def overdue(line: str) -> str:
    """Return the message for a draw that took too long, with the line of the bank that was running, if it is known."""
    place = line or "an expression or a text"
    return f"a draw has not finished after {DRAW_SECONDS:g} seconds of CPU time; it was stopped in {place}"
