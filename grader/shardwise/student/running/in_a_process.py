"""Programs in a separate process: source code from a form or the terminal, always stopped in time."""

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
_STARTING = 30.0  # seconds for a process to start on a busy machine
_MEMORY = 4 * 2**30  # bytes of address space, if the system can limit it: four times the limit in grading
_LONGEST = 10**7  # bytes of the report on a call; grading reads 100,000 elements
_REACTION = 1.0  # seconds to read the rest of the output after a process ended
_TIME_UP, _ENDED = (
    1,
    0,
)  # exit codes: 1 when `faulthandler` ends a process, but also after a crash; 0 stands for all others
_SAID = {(kind.__module__, kind.__qualname__): kind for kind in (Made, Printed)}  # besides plain data


class NoProcess(Exception):
    """The lack of processes, as in a browser, or of one that can import shardwise."""


class _Reader(pickle.Unpickler):
    """An unpickler for the output of a process. The program may have forged any of it, so none of it may run here."""

    def find_class(self, module: str, name: str) -> Any:
        """Return one of our own classes. Raises UnpicklingError for every other callable."""
        try:
            return _SAID[module, name]
        except KeyError:
            raise pickle.UnpicklingError(f"{module}.{name}") from None


def run_in_process(
    program: str, name: str, inputs: Sequence[Inputs], *, seconds: float, loading: float, patience: int
) -> Sequence[Call]:
    """Call the function that a source defines on every input; after `patience` calls that time out, skip the rest.

    A call that times out ends the process, and a new process makes the remaining calls.

    Raises NoProcess, and KeyboardInterrupt when interrupted.
    """
    calls: list[Call] = []
    while patience > 0 and len(calls) < len(inputs):
        left = list(inputs[len(calls) :])
        request = pickle.dumps((program, name, left, seconds, loading))
        code, said = _served(request, min(seconds, loading), loading + seconds * len(left))
        if not said:  # the process did not even start
            raise NoProcess
        calls += [made for made in said if isinstance(made, Made)][: len(left)]
        if len(calls) < len(inputs):
            calls.append(Made("timeout") if code == _TIME_UP else Made("killed", error="the process exited"))
        patience = patience - 1 if "loaded" in said else 0
    return [*calls, *[Made("skipped")] * (len(inputs) - len(calls))]


def _listen(stream: io.BufferedReader, said: list[bytes]) -> None:
    with stream:
        while part := stream.read1():
            said.append(part)


def _served(request: bytes, least: float, most: float) -> tuple[int, list[object]]:
    """Return the exit code and the output of a process that served a request. Raises NoProcess.

    It cannot time out before `least` seconds, and is killed after `most` seconds plus the time to start.
    """
    path = [folder for folder in sys.path if isinstance(folder, str)]  # the import system ignores everything else, too
    said: list[bytes] = []
    try:
        process = subprocess.Popen(
            [sys.executable or "", "-c", _BOOT.format(path=path)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            process_group=0,  # so that its child processes end with it, and Ctrl-C reaches only us
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
    except (OSError, RuntimeError) as error:  # it cannot start, or this system has no threads
        raise NoProcess from error
    finally:
        _end(process)
        if listener.ident is not None:
            listener.join(_REACTION)  # a child process in another session may still hold the pipe
        else:
            process.stdout.close()
    if code == _TIME_UP and time.monotonic() - began < least:
        code = _ENDED  # too early for a timeout
    return code, list(_read(b"".join(said)))


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and its children, whatever they do."""
    with suppress(AttributeError, OSError):  # AttributeError: a system without process groups
        os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()
    assert process.stdin is not None
    with suppress(OSError):
        process.stdin.close()


def _read(said: bytes) -> Iterator[object]:
    stream = io.BytesIO(said)
    with suppress(Exception):  # the output is cut off, or the program has written to our pipe
        while True:
            made = _Reader(stream).load()  # a new one each time, since it memoizes what it has read
            if isinstance(made, Made) and not (isinstance(made.status, str) and isinstance(made.error, str)):
                return
            yield made


def serve() -> None:
    """Serve one request from standard input: call the program's function, and report the result of each call."""
    program, name, inputs, seconds, loading = pickle.load(sys.stdin.buffer)
    requests, replies, ours = os.dup(0), os.dup(1), os.getpid()
    nowhere = open(os.devnull, "r+", encoding="utf-8")  # noqa: SIM115
    for stream in (0, 1):  # keep what the program reads and prints away from our pipes
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
    except BaseException as error:  # such as a KeyboardInterrupt that the program raises
        function, failed = None, Made("raised", error=in_one_line(error))
    say("loaded")
    for keywords in inputs:
        _end_after(seconds, nowhere)
        try:
            say(failed if function is None else call_once(function, keywords))
        except BaseException as error:
            say(Made("raised", error=in_one_line(error)))
    os._exit(0)  # despite any threads and exit handlers of the program


def _end_with_the_other_end(requests: int) -> None:
    """End this process and its children if the process that waits for it is killed."""
    read, end, end_group = os.read, os._exit, getattr(os, "killpg", None)  # a program may replace them

    def wait() -> None:
        read(requests, 1)  # blocks: nothing more is sent
        if end_group is not None:
            end_group(0, signal.SIGKILL)
        end(1)

    with suppress(RuntimeError):  # on a system without threads
        threading.Thread(target=wait, daemon=True).start()


def _end_after(seconds: float, nowhere: io.TextIOBase) -> None:
    """End this process after `seconds`, even while it computes in C and runs no Python code."""
    faulthandler.dump_traceback_later(seconds, exit=True, file=nowhere)
