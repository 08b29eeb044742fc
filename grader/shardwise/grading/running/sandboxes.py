"""Sandboxes: one for each thread or worker, and runners that execute functions in them."""

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
    """Return a runner that executes source code in `sandbox`, with a time limit for all of its runs together."""
    left = seconds

    def run(program: Program, name: str, inputs: Sequence[Inputs]) -> Sequence[Call]:
        if not isinstance(program, str):
            raise TypeError("the sandbox can run only the source of a function")
        nonlocal left
        job = sandbox.run([Calls("program", name, tuple(inputs), source=program)], seconds=left)
        left -= job.seconds
        found = job.results["program"]
        assert isinstance(found, CallsResult)
        return found.results

    return run


_MINE = threading.local()  # a sandbox serves a single thread at a time


def mine(limits: Limits | None = None, *, unsafe: bool = False, tier: str | None = None) -> Sandbox:
    """Return this thread's sandbox, which is opened on first use. Raises SandboxUnavailable."""
    wanted = (os.getpid(), limits, unsafe, tier)  # a forked process must not use its parent's sandbox
    if getattr(_MINE, "wanted", None) != wanted:
        close()
        _MINE.sandbox = open_sandbox(limits=limits, unsafe=unsafe, tier=tier)
        _MINE.wanted = wanted
    sandbox: Sandbox = _MINE.sandbox
    return sandbox


def close() -> None:
    """Close this thread's sandbox; the next use opens a new one."""
    wanted, _MINE.wanted = getattr(_MINE, "wanted", None), None
    if wanted is not None and wanted[0] == os.getpid():
        with suppress(ShardwiseError):
            _MINE.sandbox.close()


@contextmanager
def runner(*, unsafe: bool = False) -> Iterator[Runner]:
    """Yield a runner with its own sandbox. Raises SandboxUnavailable."""
    with open_sandbox(unsafe=unsafe) as sandbox:
        yield runner_in(sandbox)
