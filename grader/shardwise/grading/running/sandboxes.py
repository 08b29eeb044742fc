"""One sandbox for each thread or worker, and the sandbox as a runner of functions."""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from shardwise.errors import ShardwiseError
from shardwise.kinds.calls import Call, Inputs, Program, Runner
from shardwise.sandbox import Calls, CallsResult, Limits, Sandbox, open_sandbox


def runner_in(sandbox: Sandbox, seconds: float = math.inf) -> Runner:
    """A runner that runs sources, and nothing else, in `sandbox`; all its runs together take so many seconds at most."""
    left = seconds

    def run(program: Program, name: str, inputs: Sequence[Inputs]) -> Sequence[Call]:
        if not isinstance(program, str):
            raise TypeError("only the source of a function can be run in the sandbox")
        nonlocal left
        job = sandbox.run([Calls("program", name, tuple(inputs), source=program)], seconds=left)
        left -= job.seconds
        found = job.results["program"]
        assert isinstance(found, CallsResult)
        return found.results

    return run


_MINE = threading.local()  # a sandbox serves a single thread at a time


def mine(limits: Limits | None = None, *, unsafe: bool = False, tier: str | None = None) -> Sandbox:
    """This thread's sandbox, opened when it is first asked for. Raises SandboxUnavailable."""
    wanted = (os.getpid(), limits, unsafe, tier)  # that of the process which forked this one is not ours
    if getattr(_MINE, "wanted", None) != wanted:
        close()
        _MINE.sandbox = open_sandbox(limits=limits, unsafe=unsafe, tier=tier)
        _MINE.wanted = wanted
    sandbox: Sandbox = _MINE.sandbox
    return sandbox


def close() -> None:
    """Close this thread's sandbox; the next time it is asked for, a fresh sandbox is opened."""
    wanted, _MINE.wanted = getattr(_MINE, "wanted", None), None
    if wanted is not None and wanted[0] == os.getpid():
        with suppress(ShardwiseError):
            _MINE.sandbox.close()


@contextmanager
def runner(*, unsafe: bool = False) -> Iterator[Runner]:
    """A runner with a sandbox of its own. Raises SandboxUnavailable."""
    with open_sandbox(unsafe=unsafe) as sandbox:
        yield runner_in(sandbox)
