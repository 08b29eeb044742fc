"""Ctrl-C, and a polite kill: at any moment of a command it ends in one line, without a traceback, by exit code 130 or 143.

Imported before anything else, this module imports next to nothing. Until it is, `shardwise.__main__` listens.
"""

from __future__ import annotations

import atexit
import gc
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, NoReturn

_STOPPED = 128  # and the number of the signal: the exit code of a command that was interrupted, as shells have it
_PATIENCE = 2.0  # seconds for which another Ctrl-C leaves a command alone that is ending already
_MOMENT = 0.01  # seconds
_MOST_BEHIND = 50  # errors that an interrupt is looked for behind
# How often cycles are looked for: never while a command loads, since 90,000 objects are there then, and nearly none of them is
# garbage before its end. Grading 200 notebooks makes no cycle.
_SELDOM = (200_000, 20, 50)
_AT_MOST = 10.0  # seconds that a command may take to unwind, and Python to end; usually it is a tenth of one


class Interrupted(BaseException):
    """Ctrl-C or SIGTERM. It is not a KeyboardInterrupt, since typer ends those with the exit code alone."""


class _Command:
    """The command of this process, and how far it is."""

    words: str = "Stopped."  # what is said when it is interrupted
    ending_since: float | None = None
    number: int = 0  # of the signal that interrupted it
    is_unwinding: bool = False  # whether that interrupt has not come to its end yet
    is_apart: bool = False  # whether a Ctrl-C now ends a part of it alone
    is_waited_for: bool = False  # whether something goes on that an interrupt waits for
    waiting: int = 0  # the number of the signal that does
    comes_again: bool = False  # whether Python dropped a KeyboardInterrupt, which an alarm brings back in a moment
    code: Any = 0


_command = _Command()


def say_when_stopped(words: str) -> None:
    """What an interrupt says from now on: what is kept, and how to go on."""
    _command.words = f"Stopped. {words}"


@contextmanager
def apart() -> Iterator[None]:
    """What a Ctrl-C ends alone: it raises KeyboardInterrupt here, and the command goes on. SIGTERM ends the command."""
    _command.is_apart = True
    try:
        yield
    finally:
        _command.is_apart = False


@contextmanager
def waited_for() -> Iterator[None]:
    """Hold Ctrl-C and SIGTERM back until this block has ended. Where it ended well they interrupt the command then.

    Blocking the signals would not do: another thread would take them, and Python would run their handler in the main one.
    """
    _command.is_waited_for = True
    try:
        yield
    finally:
        _command.is_waited_for = False
    if _command.waiting:
        _interrupt(_command.waiting, None)


def pass_on() -> None:
    """Raise the interrupt again, where something has turned it into another error on its way, as pydantic does."""
    if _command.comes_again:  # pydantic may drop it and report a fault at once, before the alarm
        _interrupt(_command.number, None)
    if _command.ending_since is not None:
        raise Interrupted


def run(command: Callable[[], None]) -> NoReturn:
    """Run a command to its end, or to an interrupt, which unwinds it; then end this process."""
    for which in (signal.SIGINT, signal.SIGTERM):
        atexit.register(signal.signal, which, signal.SIG_IGN)  # runs last: after it, Python takes itself apart
    if hasattr(signal, "setitimer"):
        atexit.register(signal.setitimer, signal.ITIMER_REAL, 0)
    gc.set_threshold(*_SELDOM)
    try:
        _listen()
        try:
            command()
            code: Any = 0
        except SystemExit as end:
            code = end.code
        pass_on()
        _command.code = code
        _command.ending_since = time.monotonic()
    except BaseException:  # also what became of an interrupt in somebody's `finally`
        _command.is_unwinding = False
        if _command.ending_since is None:
            raise
        _say()
    gc.freeze()  # else Python looks for cycles at its end, for a tenth of the time that `shardwise check` takes
    sys.exit(_command.code)


def _listen() -> None:
    for which in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(which) is not signal.SIG_IGN:  # as SIGINT is, where a script began this in the background
            signal.signal(which, _interrupt)
    if hasattr(signal, "setitimer"):  # not on Windows
        sys.unraisablehook = _again
        signal.signal(signal.SIGALRM, _interrupt)


def _interrupt(number: int, _: object) -> None:
    """Unwind the command or a part of it, do so again where that was lost, or end a process that has been unwinding for long."""
    if _command.is_waited_for:
        if number in (signal.SIGINT, signal.SIGTERM):
            _command.waiting = number
        return
    if _command.comes_again:
        _command.comes_again = False
        signal.setitimer(signal.ITIMER_REAL, 0)  # it is here; an alarm that comes when Python has gone would kill
    if _command.ending_since is None:
        if number in (signal.SIGINT, signal.SIGTERM):  # else it is the one before, again
            _command.number = number
        if _command.is_apart and _command.number == signal.SIGINT:
            _command.is_apart = False
            raise KeyboardInterrupt
        _command.code, _command.ending_since = _STOPPED + _command.number, time.monotonic()
        _command.is_unwinding = True
        _look_after_it()
        raise Interrupted
    if _command.is_unwinding and number == signal.SIGALRM and not _is_dealt_with():
        raise Interrupted
    if time.monotonic() - _command.ending_since > (_AT_MOST if number == signal.SIGALRM else _PATIENCE):
        _say()
        os._exit(_command.code or 0)


def _look_after_it() -> None:
    """Call `_interrupt` every 10 ms from now on. A library may drop an interrupt, and this process has to end all the same.

    Python drops one that falls while an object is deleted, and turns one that falls while a class is made into a RuntimeError,
    which may be taken for one notebook's. One that falls while Python looks for a module leaves the lock of all imports
    taken, and at its end Python waits for ever for a thread that waits for that lock.
    """
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, _MOMENT, _MOMENT)


def _is_dealt_with() -> bool:
    """Whether the interrupt still has an effect: a `finally`, an `except` or an `__exit__` runs because of it. Else it was lost.

    What is being handled may be another error by now, which Python has chained to the interrupt.
    """
    error = sys.exc_info()[1]
    for _ in range(_MOST_BEHIND):  # a chain of errors may end in itself
        if error is None or isinstance(error, Interrupted):
            break
        error = error.__cause__ or error.__context__
    return isinstance(error, Interrupted)


def _again(unraisable: Any) -> None:
    """Called with an exception that Python drops, since it was raised while an object was deleted.

    A KeyboardInterrupt is raised again in a moment. For the other interrupt the alarm does that, which looks after it already.
    """
    if isinstance(unraisable.exc_value, KeyboardInterrupt):
        _command.is_apart = True
        _command.comes_again = True
        signal.setitimer(signal.ITIMER_REAL, _MOMENT)
    elif _command.ending_since is None:
        sys.__unraisablehook__(unraisable)


def _say() -> None:
    if _command.words and _command.number and _command.code == _STOPPED + _command.number:
        words, _command.words = _command.words, ""
        with suppress(OSError):  # nobody has to hear it
            os.write(2, f"{words}\n".encode(errors="surrogateescape"))  # the interrupt may have come within a `print`
