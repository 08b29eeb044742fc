"""Ctrl-C: at any moment of a command it ends in one line and exit code 130, without a traceback."""

from __future__ import annotations

import atexit
import os
import signal
import sys
from collections.abc import Callable
from typing import Any, NoReturn

STOPPED = 130  # the exit code of a command that was interrupted
_MOMENT = 0.01  # seconds
_said = "Stopped."
_received = False


class Interrupted(BaseException):
    """Ctrl-C. It is not a KeyboardInterrupt, since typer ends those with the exit code alone."""


def say_when_stopped(words: str) -> None:
    """What an interrupt says from now on: what is kept, and how to go on."""
    global _said
    _said = f"Stopped. {words}"


def run(command: Callable[[], None]) -> NoReturn:
    """Run a command to its end. An interrupt unwinds it, once; another one ends the process at once."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # started in the background by a script
        command()
        sys.exit()
    atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)  # runs last: what follows it is Python's own end
    code: Any = None
    try:
        _listen()
        try:
            command()
        except SystemExit as end:
            code = end.code
        signal.signal(signal.SIGINT, lambda *_: os._exit(code if isinstance(code, int) else 0))
    except BaseException:  # also what became of an interrupt in somebody's `finally`
        if not _received:
            raise
        code = STOPPED
        _say()
        signal.signal(signal.SIGINT, lambda *_: os._exit(STOPPED))
    sys.exit(code)


def _listen() -> None:
    signal.signal(signal.SIGINT, _interrupt)
    if hasattr(signal, "setitimer"):  # not on Windows
        sys.unraisablehook = _again
        signal.signal(signal.SIGALRM, _interrupt)


def _interrupt(*_: object) -> NoReturn:
    global _received
    if _received:
        _say()
        os._exit(STOPPED)
    _received = True
    raise Interrupted


def _again(unraisable: Any) -> None:
    """Python drops what is raised while an object is deleted; an interrupt that fell there comes again in a moment."""
    global _received
    if isinstance(unraisable.exc_value, Interrupted):
        _received = False
        signal.setitimer(signal.ITIMER_REAL, _MOMENT)
    elif not _received:
        sys.__unraisablehook__(unraisable)


def _say() -> None:
    os.write(2, f"{_said}\n".encode(errors="surrogateescape"))  # a handler may have interrupted a `print`
