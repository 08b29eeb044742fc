"""Ctrl-C and SIGTERM: an interrupted command ends with one line, no traceback, and exit code 130 or 143.

Importing this module installs the handlers, so it imports little; until then, `shardwise.__main__` handles interrupts.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, NoReturn

_STOPPED = 128  # plus the number of the signal, the exit code of an interrupted command is the same as in a shell
# A second Ctrl-C within this many seconds counts as the first one: `timeout` sends each signal twice.
_SAME = 1.0


class Interrupted(BaseException):
    """Ctrl-C or SIGTERM. It is not a KeyboardInterrupt, because typer turns those into a bare exit code."""


class _Command:
    """The state of this process's command: whether and how it was interrupted."""

    words: str = "Stopped."  # the message after an interrupt
    number: int = 0  # of the signal that interrupted the command
    since: float = 0.0  # when the signal arrived
    ends_a_part: bool = False  # whether Ctrl-C ends only one block of the command
    is_held_back: bool = False  # whether interrupts are held back until the end of a block
    waiting: int = 0  # the number of the signal that is held back


_command = _Command()


def say_when_stopped(words: str) -> None:
    """Set the message for an interrupt from now on: what is kept, and how to continue."""
    _command.words = f"Stopped. {words}"


@contextmanager
def stoppable() -> Iterator[None]:
    """Let Ctrl-C end only this block: it raises KeyboardInterrupt, and the command continues. SIGTERM ends the command."""
    _command.ends_a_part = True
    try:
        yield
    finally:
        _command.ends_a_part = False


@contextmanager
def waited_for() -> Iterator[None]:
    """Hold back Ctrl-C and SIGTERM until this block has ended without an error; then let them interrupt the command.

    Blocking the signals would not work: another thread would receive them, and Python would run the handler in the main one.
    """
    _command.is_held_back = True
    try:
        yield
    finally:
        _command.is_held_back = False
    if _command.waiting:
        _interrupt(_command.waiting, None)


def pass_on() -> None:
    """Raise the interrupt again if a library has turned it into another error, as pydantic does."""
    if _command.number:
        raise Interrupted


def run(command: Callable[[], None]) -> NoReturn:
    """Run a command until it ends or is interrupted, then end this process."""
    sys.unraisablehook = _drop_interrupts
    code: Any = 0
    try:
        try:
            _listen(_interrupt)
            command()
        except SystemExit as end:
            code = end.code
        _listen(signal.SIG_IGN)  # too late to interrupt: the command has done its work
    except BaseException:  # an interrupt, or an error raised while the interrupt unwound the command
        if not _command.number:
            raise
    if _command.number:  # a library may have swallowed the interrupt, so that the command continued
        _say()
        code = _STOPPED + _command.number
        _listen(signal.SIG_DFL)  # if Python hangs at exit, another Ctrl-C ends it
    sys.exit(code)


def _listen(handler: Any) -> None:
    for which in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(which) != signal.SIG_IGN:  # shells ignore SIGINT for background jobs of a script
            signal.signal(which, handler)


def _interrupt(number: int, _: object) -> None:
    """Unwind the command or the current block; the second time, end this process at once."""
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
    """Print no traceback for an interrupt that Python drops because it arrived in a destructor."""
    if not isinstance(unraisable.exc_value, Interrupted | KeyboardInterrupt):
        sys.__unraisablehook__(unraisable)


def _say() -> None:
    words = f"{_command.words}\n".encode(errors="surrogateescape")
    with suppress(OSError):  # standard error may be closed
        os.write(2, words)  # not with `print`, which may itself have been interrupted
