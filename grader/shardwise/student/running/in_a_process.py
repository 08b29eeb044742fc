"""A program in a process of its own: what a form or the terminal sends as text, stopped in time whatever it does."""

from __future__ import annotations

import faulthandler
import io
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from shardwise.kinds.calls import Call, Inputs, Made, Printed, call_once, function_of, in_one_line

_BOOT = "import sys; sys.path[:] = {path!r}; from shardwise.student.running.in_a_process import serve; serve()"
_STARTING = 30.0  # seconds for a process to be there, on a machine that has much else to do
_MEMORY = 4 * 2**30  # bytes of address space, where the system can limit it: four times what grading gives
_LONGEST = 10**7  # bytes of what is said of a call; grading reads 100,000 elements
_REACTION = 1.0  # seconds to take in the rest of what an ended process has said
_TIME_UP, _ENDED = (
    1,
    0,
)  # exit codes: by which `faulthandler` ends a process, which is that of a crash too, and any other
_SAID = {(kind.__module__, kind.__qualname__): kind for kind in (Made, Printed)}  # and plain data


class NoProcess(Exception):
    """This system has no processes, such as a browser, or none that finds shardwise."""


class _Reader(pickle.Unpickler):
    """Reads what a process says, of which a program may have written any part: none of it is to run here."""

    def find_class(self, module: str, name: str) -> Any:
        """Return a class of ours. Raises UnpicklingError for everything else that could be called."""
        try:
            return _SAID[module, name]
        except KeyError:
            raise pickle.UnpicklingError(f"{module}.{name}") from None


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
        request = pickle.dumps((program, name, left, seconds, loading))
        code, said = _served(request, min(seconds, loading), loading + seconds * len(left))
        if not said:  # it has not even begun
            raise NoProcess
        calls += [made for made in said if isinstance(made, Made)][: len(left)]
        if len(calls) < len(inputs):
            calls.append(Made("timeout") if code == _TIME_UP else Made("killed", error="the whole process ended"))
        patience = patience - 1 if "loaded" in said else 0
    return [*calls, *[Made("skipped")] * (len(inputs) - len(calls))]


def _listen(stream: io.BufferedReader, said: list[bytes]) -> None:
    with stream:
        while part := stream.read1():
            said.append(part)


def _served(request: bytes, least: float, most: float) -> tuple[int, list[object]]:
    """Return the exit code of a process that served a request, and what it said. Raises NoProcess.

    `least` and `most` are the seconds after which it may have run out of time, and after which it has.
    """
    path = [folder for folder in sys.path if isinstance(folder, str)]  # imports pass over everything else, too
    said: list[bytes] = []
    try:
        process = subprocess.Popen(
            [sys.executable or "", "-c", _BOOT.format(path=path)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            process_group=0,  # so that what the program starts ends with it, and Ctrl-C is for us alone
        )  # fmt: skip
    except (OSError, RuntimeError, ValueError) as error:
        raise NoProcess from error
    assert process.stdin is not None
    assert process.stdout is not None
    listener = threading.Thread(target=_listen, args=(process.stdout, said), daemon=True)
    began = time.monotonic()
    try:
        listener.start()
        process.stdin.write(request)
        process.stdin.flush()
        code = process.wait(_STARTING + most)
    except subprocess.TimeoutExpired:
        code = _TIME_UP
    except (OSError, RuntimeError) as error:  # it cannot run, or this system has no threads
        raise NoProcess from error
    finally:
        _end(process)
        if listener.ident is not None:
            listener.join(_REACTION)  # what the program has started in a session of its own may hold the pipe
        else:
            process.stdout.close()
    if code == _TIME_UP and time.monotonic() - began < least:
        code = _ENDED  # by itself
    return code, list(_read(b"".join(said)))


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill a process, whatever it does, and what it has started."""
    with suppress(AttributeError, OSError):  # AttributeError: a system without groups
        os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()
    assert process.stdin is not None
    with suppress(OSError):
        process.stdin.close()


def _read(said: bytes) -> Iterator[object]:
    stream = io.BytesIO(said)
    with suppress(Exception):  # it has ended in the middle, or the program wrote where only we may
        while True:
            made = _Reader(stream).load()  # a new one for each, since it remembers what it has read
            if isinstance(made, Made) and not (isinstance(made.status, str) and isinstance(made.error, str)):
                return
            yield made


def serve() -> None:
    """Serve one program: call its function, and say what became of each call. Takes the request from the standard input."""
    program, name, inputs, seconds, loading = pickle.load(sys.stdin.buffer)
    requests, replies, ours = os.dup(0), os.dup(1), os.getpid()
    nowhere = open(os.devnull, "r+", encoding="utf-8")  # noqa: SIM115
    for stream in (0, 1):  # what a program reads or prints is not ours
        os.dup2(nowhere.fileno(), stream)
    sys.stdout = sys.stderr = nowhere
    _end_with_the_other_end(requests)
    with suppress(ImportError, OSError, ValueError):  # not on Windows
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))

    def say(what: object) -> None:
        if os.getpid() != ours:  # the program has forked, and each call is answered once
            os._exit(0)
        data = pickle.dumps(what)
        if len(data) > _LONGEST:
            data = pickle.dumps(Made("unreadable", error=f"more than {_LONGEST // 10**6} MB"))
        while data:
            data = data[os.write(replies, data) :]

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
    os._exit(0)  # whatever threads and exit handlers the program has left


def _end_with_the_other_end(requests: int) -> None:
    """See that this process, and what it has started, ends when whoever waits for it was killed."""
    read, end, end_group = os.read, os._exit, getattr(os, "killpg", None)  # which a program may replace

    def wait() -> None:
        read(requests, 1)  # nothing is sent any more
        if end_group is not None:
            end_group(0, signal.SIGKILL)
        end(1)

    with suppress(RuntimeError):  # a system without threads
        threading.Thread(target=wait, daemon=True).start()


def _end_after(seconds: float, nowhere: io.TextIOBase) -> None:
    """End this process in so many seconds, also where it computes in C and no Python runs any more."""
    faulthandler.dump_traceback_later(seconds, exit=True, file=nowhere)
