"""Ctrl-C and SIGTERM: a command that is interrupted ends in one line, without a traceback, with exit code 130 or 143.

Interrupts are handled from the moment this module is imported, so it imports little; until then, `shardwise.__main__` handles them.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, NoReturn

_STOPPED = 128  # plus the number of the signal: the exit code of a command that was interrupted, as in a shell
# Another Ctrl-C within so many seconds of the first counts as the same one: `timeout` sends each signal twice.
_SAME = 1.0


class Interrupted(BaseException):
    """Ctrl-C or SIGTERM. It is not a KeyboardInterrupt, since typer ends those with the exit code alone."""


class _Command:
    """The command of this process, and whether it was interrupted."""

    words: str = "Stopped."  # the message when it is interrupted
    number: int = 0  # of the signal that interrupted it
    since: float = 0.0  # when that was
    ends_a_part: bool = False  # whether Ctrl-C ends only a part of it
    is_held_back: bool = False  # whether interrupts wait for the end of a block
    waiting: int = 0  # the number of the signal that waits


_command = _Command()


def say_when_stopped(words: str) -> None:
    """Set what an interrupt says from now on: what is kept, and how to go on."""
    _command.words = f"Stopped. {words}"


@contextmanager
def stoppable() -> Iterator[None]:
    """Let Ctrl-C end this block alone: it raises KeyboardInterrupt here, and the command goes on. SIGTERM ends the command."""
    _command.ends_a_part = True
    try:
        yield
    finally:
        _command.ends_a_part = False


@contextmanager
def waited_for() -> Iterator[None]:
    """Hold Ctrl-C and SIGTERM back until this block has ended. If it ended without an error, they interrupt the command then.

    Blocking the signals would not do: another thread would take them, and Python would run their handler in the main one.
    """
    _command.is_held_back = True
    try:
        yield
    finally:
        _command.is_held_back = False
    if _command.waiting:
        _interrupt(_command.waiting, None)


def pass_on() -> None:
    """Raise the interrupt again where a library has turned it into another error, as pydantic does."""
    if _command.number:
        raise Interrupted


def run(command: Callable[[], None]) -> NoReturn:
    """Run a command to its end, or to an interrupt, which unwinds it; then end this process."""
    sys.unraisablehook = _drop_interrupts
    code: Any = 0
    try:
        try:
            _listen(_interrupt)
            command()
        except SystemExit as end:
            code = end.code
        _listen(signal.SIG_IGN)  # too late: the command has done its work
    except BaseException:  # an interrupt, or an error that was raised while it unwound the command
        if not _command.number:
            raise
    if _command.number:  # a library may have dropped it, and the command gone on
        _say()
        code = _STOPPED + _command.number
        _listen(signal.SIG_DFL)  # should Python not come to its end, another Ctrl-C ends it
    sys.exit(code)


def _listen(handler: Any) -> None:
    for which in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(which) != signal.SIG_IGN:  # as SIGINT is in a script's background job
            signal.signal(which, handler)


def _interrupt(number: int, _: object) -> None:
    """Unwind the command or a part of it; the second time, end this process at once."""
    if _command.is_held_back:
        _command.waiting = number
    elif _command.ends_a_part and number == signal.SIGINT:
        raise KeyboardInterrupt
    elif not _command.number:
        _command.number, _command.since = number, time.monotonic()
        raise Interrupted
    elif time.monotonic() - _command.since > _SAME:
        _say()
        os._exit(_STOPPED + _command.number)


def _drop_interrupts(unraisable: Any) -> None:
    """Print no traceback of an interrupt that Python drops because an object was just being deleted."""
    if not isinstance(unraisable.exc_value, Interrupted | KeyboardInterrupt):
        sys.__unraisablehook__(unraisable)


def _say() -> None:
    words = f"{_command.words}\n".encode(errors="surrogateescape")
    with suppress(OSError):  # nobody may be listening
        os.write(2, words)  # not by `print`, which may itself have been interrupted
