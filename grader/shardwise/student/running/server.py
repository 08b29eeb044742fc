"""The other end of `elsewhere`: in a process of its own, reads a program, calls its function, and says what became of each call."""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import sys
import threading

from shardwise.kinds.calls import Made, call_once, function_of, in_one_line
from shardwise.student.running.restore import Kept

_MEMORY = 4 * 2**30  # bytes of address space, where the system can limit it: four times what grading gives
_TIME = 600  # seconds of computing, where the system can limit it: for what nothing else ends any more
_LONGEST = 10**7  # bytes of what is said of a call; grading reads 100,000 elements


def serve() -> None:
    """Serve one program, and end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever waits for this process ends it when that is interrupted
    _limit("RLIMIT_AS", _MEMORY)
    _limit("RLIMIT_CPU", _TIME)
    requests, replies, ours = os.fdopen(os.dup(0), "rb"), os.dup(1), os.getpid()
    for stream in (0, 1):  # what a program reads or prints is not ours
        os.dup2(os.open(os.devnull, os.O_RDWR), stream)
    sys.stdout = sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115

    def say(what: object) -> None:
        if os.getpid() != ours:  # the program has forked, and each call is answered once
            os._exit(0)
        data = pickle.dumps(what)
        if len(data) > _LONGEST:
            data = pickle.dumps(Made("unreadable", error=f"more than {_LONGEST // 10**6} MB"))
        while data:
            data = data[os.write(replies, data) :]

    try:
        folder, program, name, inputs = pickle.load(requests)
    except EOFError:  # nobody needs this process any more
        return
    _end_with_the_other_end(requests.fileno())
    say("begun")
    if folder is not None:
        with contextlib.suppress(OSError):
            os.chdir(folder)
    kept = Kept()
    try:
        function, failed = function_of(program, name)
    except BaseException as error:
        function, failed = None, Made("raised", error=in_one_line(error))
    kept.put_back()
    say("loaded")
    for keywords in inputs:
        try:
            say(failed if function is None else call_once(kept.around(function), keywords))
        except BaseException as error:  # a KeyboardInterrupt of the program's own, for one
            say(Made("raised", error=in_one_line(error)))


def _end_with_the_other_end(requests: int) -> None:
    """See that this process, and what it has started, ends when whoever waits for it was killed."""
    read, end, end_group = os.read, os._exit, getattr(os, "killpg", None)  # which a program may replace

    def wait() -> None:
        read(requests, 1)  # nothing is sent any more
        if end_group is not None:
            end_group(0, signal.SIGKILL)
        end(1)

    with contextlib.suppress(RuntimeError):  # a system without threads
        threading.Thread(target=wait, daemon=True).start()


def _limit(what: str, most: int) -> None:
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        limit = getattr(resource, what)
        resource.setrlimit(limit, (most, most))
