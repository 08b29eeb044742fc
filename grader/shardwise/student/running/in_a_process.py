"""A program in a process of its own: what a form or the terminal sends as text, stopped in time whatever it does.

A process serves one program, so that nothing which that has changed is met by the next. One can be started before it is needed.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from typing import Any

from shardwise.kinds.calls import Call, Inputs, Made, Printed

_BOOT = "import sys; sys.path[:] = {path!r}; from shardwise.student.running.server import serve; serve()"
_STARTING = 30.0  # seconds for a process to be there, on a machine that has much else to do
_KILLED = "killed"
_SAID = {(kind.__module__, kind.__qualname__): kind for kind in (Made, Printed)}  # and plain data


class NoProcess(Exception):
    """This system has no processes, such as a browser, or none that finds shardwise."""


class _Lost(Exception):
    """A process has ended before it has said what was waited for."""


class _Reader(pickle.Unpickler):
    """Reads what a process says, of which a program may have written any part: none of it is to run here."""

    def find_class(self, module: str, name: str) -> Any:
        """A class of ours. Raises UnpicklingError for everything else that could be called."""
        try:
            return _SAID[module, name]
        except KeyError:
            raise pickle.UnpicklingError(f"{module}.{name}") from None


class _Server:
    """A process that runs a program, and a thread that takes in what it says.

    It leads a group, so that what the program starts is ended with it.
    """

    def __init__(self) -> None:
        path = [folder for folder in sys.path if isinstance(folder, str)]  # imports pass over everything else, too
        command = [sys.executable or "", "-c", _BOOT.format(path=path)]
        window = getattr(subprocess, "CREATE_NO_WINDOW", 0)  # Windows would show one
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                creationflags=window,
                process_group=0,
            )
        except (OSError, RuntimeError, ValueError) as error:
            raise NoProcess from error
        self._said: queue.SimpleQueue[Any] = queue.SimpleQueue()
        try:
            threading.Thread(target=self._listen, daemon=True).start()
        except RuntimeError as error:  # a system without threads
            self.end()
            assert self._process.stdout is not None
            self._process.stdout.close()
            raise NoProcess from error

    def _listen(self) -> None:
        stream = self._process.stdout
        assert stream is not None
        with stream:
            try:
                while True:
                    self._said.put(_Reader(stream).load())
            except Exception:  # it has ended, or the program wrote where only we may
                self._said.put(_Lost())

    def begin(self, request: Any) -> None:
        """Send a program. Raises _Lost where the process was ended from outside, or cannot run."""
        assert self._process.stdin is not None
        try:
            pickle.dump(request, self._process.stdin)
            self._process.stdin.flush()
            self.answer(_STARTING)
        except (OSError, queue.Empty):
            raise _Lost from None

    def answer(self, seconds: float) -> Any:
        """What it says next. Raises queue.Empty after so many seconds, and _Lost where it has ended."""
        said = self._said.get(timeout=seconds)
        if isinstance(said, _Lost):
            raise said
        return said

    def end(self) -> None:
        """Kill it, whatever it does, and what it has started."""
        with contextlib.suppress(AttributeError, OSError):  # AttributeError: a system without groups
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        self._process.wait()


_waiting: list[_Server] = []  # for a program


def start() -> None:
    """See that a process waits for the next program, which then need not wait for it."""
    if not _waiting:
        with contextlib.suppress(NoProcess):
            _waiting.append(_Server())


@atexit.register
def _end() -> None:
    while _waiting:
        _waiting.pop().end()


def _begun(request: Any) -> _Server:
    """A process that has a program. Raises NoProcess."""
    for server in (*_waiting[:1], None):
        with contextlib.suppress(ValueError, _Lost):
            if server is not None:
                _waiting.remove(server)  # ValueError: another thread has taken it
            begun = server or _Server()
            try:
                begun.begin(request)
            except BaseException:
                begun.end()
                raise
            return begun
    raise NoProcess


def run_elsewhere(
    program: str, name: str, inputs: Sequence[Inputs], *, seconds: float, loading: float, patience: int
) -> Sequence[Call]:
    """Call the function that a source defines on every input; the rest is skipped after so many calls that take too long.

    Raises NoProcess, and KeyboardInterrupt when interrupted.
    """
    calls: list[Call] = []
    left = patience if inputs else 0
    waited = bool(_waiting)
    while left > 0:
        server = _begun((_folder(), program, name, list(inputs[len(calls) :])))
        try:
            is_loaded = _collect(server, calls, len(inputs), seconds, loading)
        finally:
            server.end()
        left = left - 1 if is_loaded and len(calls) < len(inputs) else 0
    if waited:
        start()
    return [*calls, *[Made("skipped")] * (len(inputs) - len(calls))]


def _call(said: Any) -> Call:
    """What became of a call. Raises _Lost where a program has said something of its own instead."""
    if isinstance(said, Made) and isinstance(said.status, str) and isinstance(said.error, str):
        return said
    raise _Lost


def _folder() -> str | None:
    """The working directory; nothing where it was deleted."""
    try:
        return os.getcwd()
    except OSError:
        return None


def _collect(server: _Server, calls: list[Call], count: int, seconds: float, loading: float) -> bool:
    """Add what becomes of each call, up to one that costs the process. Whether the source was loaded."""
    is_loaded = False
    try:
        server.answer(loading)
        is_loaded = True
        while len(calls) < count:
            calls.append(_call(server.answer(seconds)))
    except queue.Empty:
        calls.append(Made("timeout"))
    except _Lost:
        calls.append(Made(_KILLED, error="the whole process ended"))
    return is_loaded
