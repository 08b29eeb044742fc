"""The other end of `elsewhere`: in a process of its own, reads a program, calls its function, and says what became of each call."""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import sys

from shardwise.kinds.calls import Made, call_once, function_of, in_one_line
from shardwise.student.restored import Kept

_MEMORY = 4 * 2**30  # bytes of address space, where the system can limit it: four times what grading gives


def serve() -> None:
    """Serve one program, and end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever waits for this process ends it when that is interrupted
    _limit_memory()
    requests, replies = os.fdopen(os.dup(0), "rb"), os.dup(1)
    for stream in (0, 1):  # what a program reads or prints is not ours
        os.dup2(os.open(os.devnull, os.O_RDWR), stream)
    sys.stdout = sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115

    def say(what: object) -> None:
        data = pickle.dumps(what)
        while data:
            data = data[os.write(replies, data) :]

    try:
        folder, program, name, inputs = pickle.load(requests)
    except EOFError:  # nobody needs this process any more
        return
    say("begun")
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


def _limit_memory() -> None:
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
