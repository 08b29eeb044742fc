"""A bound on the time that the code and the expressions of a bank may take, so that a loop without an end is said."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

DRAW_SECONDS = 60.0  # one draw takes a second at most; what takes so long does not end
ENDLESS = "Is there a loop that does not end, or a number that is far too large?"


class TooLong(BaseException):
    """What was to be done has taken too long. No Exception, since a bank's own `except Exception` would swallow it."""


@contextmanager
def at_most() -> Iterator[None]:
    """Raise TooLong where the code inside stands after the time that a draw is given.

    Only where the system can: not on Windows, and not beside a main thread.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        raise TooLong

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, DRAW_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def overdue(line: str) -> str:
    """What is said of a draw that took too long, with the line of the bank at which it stood, where that is known."""
    return f"a draw is not done after {DRAW_SECONDS:g} seconds; it stood in {line or 'an expression or a text'} by then"
