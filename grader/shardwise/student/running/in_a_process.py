"""A program in a process of its own: what a form or the terminal sends as text, stopped in time whatever it does."""

from __future__ import annotations

import faulthandler
import io
import os
import pickle
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress

from shardwise.kinds.calls import Call, Inputs, Made, call_once, function_of, in_one_line

_BOOT = "import sys; sys.path[:] = {path!r}; from shardwise.student.running.in_a_process import serve; serve()"
_STARTING = 30.0  # seconds for a process to be there, on a machine that has much else to do
_MEMORY = 4 * 2**30  # bytes of address space, where the system can limit it: four times what grading gives
_TIME_UP = 1  # the exit code by which `faulthandler` ends a process


class NoProcess(Exception):
    """This system has no processes, such as a browser, or none that finds shardwise."""


def run_in_process(
    program: str, name: str, inputs: Sequence[Inputs], *, seconds: float, loading: float, patience: int
) -> Sequence[Call]:
    """Call the function that a source defines on every input; the rest is skipped after so many calls that take too long.

    A call that takes too long costs the process, and the others are made in a new one.

    Raises NoProcess, and KeyboardInterrupt when interrupted.
    """
    calls: list[Call] = []
    while patience > 0 and len(calls) < len(inputs):
        left = list(inputs[len(calls) :])
        code, said = _served(pickle.dumps((program, name, left, seconds, loading)), loading + seconds * len(left))
        if not said:  # it has not even begun
            raise NoProcess
        calls += [made for made in said if isinstance(made, Made)]
        if len(calls) < len(inputs):
            calls.append(Made("timeout") if code == _TIME_UP else Made("killed", error="the whole process ended"))
        patience = patience - 1 if "loaded" in said else 0
    return [*calls, *[Made("skipped")] * (len(inputs) - len(calls))]


def _served(request: bytes, most: float) -> tuple[int, list[object]]:
    """Return the exit code of a process that served a request, and what it said. Raises NoProcess."""
    path = [folder for folder in sys.path if isinstance(folder, str)]  # imports pass over everything else, too
    try:
        done = subprocess.run(
            [sys.executable or "", "-c", _BOOT.format(path=path)],
            input=request, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=_STARTING + most,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0), check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        return _TIME_UP, list(_read(error.stdout or b""))
    except (OSError, RuntimeError, ValueError) as error:
        raise NoProcess from error
    return done.returncode, list(_read(done.stdout))


def _read(said: bytes) -> Iterator[object]:
    stream = io.BytesIO(said)
    with suppress(Exception):  # it has ended in the middle, or the program wrote where only we may
        while True:
            yield pickle.load(stream)


def serve() -> None:
    """Serve one program: call its function, and say what became of each call. Takes the request from the standard input."""
    program, name, inputs, seconds, loading = pickle.load(sys.stdin.buffer)
    replies, nowhere = os.fdopen(os.dup(1), "wb", buffering=0), open(os.devnull, "r+", encoding="utf-8")  # noqa: SIM115
    for stream in (0, 1):  # what a program reads or prints is not ours
        os.dup2(nowhere.fileno(), stream)
    sys.stdout = sys.stderr = nowhere
    with suppress(ImportError, OSError, ValueError):  # not on Windows
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))

    def say(what: object) -> None:
        replies.write(pickle.dumps(what))

    say("begun")
    _end_after(loading, nowhere)
    try:
        function, failed = function_of(program, name)
    except BaseException as error:  # a KeyboardInterrupt of the program's own, for one
        function, failed = None, Made("raised", error=in_one_line(error))
    say("loaded")
    for keywords in inputs:
        _end_after(seconds, nowhere)
        try:
            say(failed if function is None else call_once(function, keywords))
        except BaseException as error:
            say(Made("raised", error=in_one_line(error)))
    faulthandler.cancel_dump_traceback_later()


def _end_after(seconds: float, nowhere: io.TextIOBase) -> None:
    """End this process in so many seconds, also where it computes in C and no Python runs any more."""
    faulthandler.dump_traceback_later(seconds, exit=True, file=nowhere)
