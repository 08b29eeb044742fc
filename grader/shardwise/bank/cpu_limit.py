"""A bound on the time that the code and the expressions of a bank may take, so that a loop without an end is said."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

DRAW_SECONDS = 60.0  # one draw computes for a second at most; what computes for so long does not end
ENDLESS = "Is there a loop that does not end, or a number that is far too large?"


class TooLong(BaseException):
    """What was to be done has taken too long. No Exception, since a bank's own `except Exception` would swallow it."""


@contextmanager
def at_most() -> Iterator[None]:
    """Raise TooLong where the code inside stands after it has computed for the time that a draw is given.

    Time of the processor is what counts, since on a busy machine a sound draw may wait for a minute.
    Only where the system can: not on Windows, and not beside a main thread.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        raise TooLong

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, DRAW_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def overdue(line: str) -> str:
    """What is said of a draw that took too long, with the line of the bank at which it stood, where that is known."""
    place = line or "an expression or a text"
    return f"a draw is not done after {DRAW_SECONDS:g} seconds of computing; it stood in {place} by then"
