"""One sandbox for each thread, and the sandbox as a runner of functions."""

from __future__ import annotations

import atexit
import math
import os
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from shardwise.errors import ShardwiseError
from shardwise.kinds.calls import Call, Inputs, Program, Runner

if TYPE_CHECKING:
    from shardwise.sandbox import Limits, Sandbox


def runner_in(sandbox: Sandbox, seconds: float = math.inf) -> Runner:
    """A runner that runs sources, and nothing else, in `sandbox`; all its runs together take so many seconds at most."""
    from shardwise.sandbox import Calls, CallsResult

    left = seconds

    def run(program: Program, name: str, inputs: Sequence[Inputs]) -> Sequence[Call]:
        if not isinstance(program, str):
            raise TypeError("only the source of a function can be run in the sandbox")
        nonlocal left
        began = time.monotonic()
        job = sandbox.run([Calls("program", name, tuple(inputs), source=program)], seconds=left)
        left -= time.monotonic() - began
        found = job.results["program"]
        assert isinstance(found, CallsResult)
        return found.results

    return run


_MINE = threading.local()  # a sandbox serves a single thread at a time


def begin(limits: Limits | None = None, *, unsafe: bool = False, tier: str | None = None) -> None:
    """Begin to open this thread's sandbox, and go on with something else meanwhile."""
    from shardwise.sandbox import open_meanwhile

    wanted = (os.getpid(), limits, unsafe, tier)  # that of the process which forked this one is not ours
    if getattr(_MINE, "wanted", None) != wanted:
        close()
        atexit.unregister(close)
        atexit.register(close)  # a command may end before anything was graded
        _MINE.opening = open_meanwhile(limits=limits, unsafe=unsafe, tier=tier)
        _MINE.wanted = wanted


def mine(limits: Limits | None = None, *, unsafe: bool = False, tier: str | None = None) -> Sandbox:
    """This thread's sandbox, opened when it is first asked for. Raises SandboxUnavailable."""
    begin(limits, unsafe=unsafe, tier=tier)
    try:
        sandbox: Sandbox = _MINE.opening()
    except BaseException:
        _MINE.wanted = None
        raise
    return sandbox


def close() -> None:
    """Close this thread's sandbox; the next time it is asked for, a fresh sandbox is opened."""
    wanted, _MINE.wanted = getattr(_MINE, "wanted", None), None
    if wanted is not None and wanted[0] == os.getpid():
        with suppress(ShardwiseError):
            _MINE.opening().close()


@contextmanager
def runner(*, unsafe: bool = False) -> Iterator[Runner]:
    """A runner with a sandbox of its own. Raises SandboxUnavailable."""
    from shardwise.sandbox import open_sandbox

    with open_sandbox(unsafe=unsafe) as sandbox:
        yield runner_in(sandbox)
