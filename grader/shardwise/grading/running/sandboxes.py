"""One sandbox for each thread or worker, begun before it is needed, and the sandbox as a runner of functions."""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from shardwise.errors import ShardwiseError
from shardwise.grading.running.cores import kept_to
from shardwise.kinds.calls import Call, Inputs, Program, Runner

if TYPE_CHECKING:
    from shardwise.sandbox import Limits, Opening, Sandbox


def runner_in(sandbox: Sandbox, seconds: float = math.inf) -> Runner:
    """A runner that runs sources, and nothing else, in `sandbox`; all its runs together take so many seconds at most."""
    from shardwise.sandbox import Calls, CallsResult

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
_Wanted = tuple["Limits | None", bool, str | None]
_begun: list[tuple[_Wanted, Opening]] = []  # and not asked for yet
# Not this process's own. They are kept all the same: one that is dropped deletes the folder that its server starts from.
_handed_over: list[Opening] = []


@contextmanager
def begun(
    limits: Limits | None = None,
    *,
    unsafe: bool = False,
    tier: str | None = None,
    cores: Iterable[int | None] = (None,),
) -> Iterator[None]:
    """Begin to open a sandbox on each of these cores, and go on with something else meanwhile; at the end all of them end.

    The first is this thread's when it asks for one. Workers that are forked from this process take theirs with `take_over`.
    """
    from shardwise.sandbox import Opening

    try:
        for core in cores:
            with kept_to(core):
                _begun.append(((limits, unsafe, tier), Opening(limits=limits, unsafe=unsafe, tier=tier)))
        yield
    finally:
        for opening in (*_handed_over, *(opening for _, opening in _begun)):
            opening.end()
        _handed_over.clear()
        _begun.clear()


def take_over(number: int) -> None:
    """In a worker that was just forked: of those that were begun the one of this number is its own, if there are so many."""
    own = _begun[number : number + 1]
    _begun[:] = [one for one in _begun if one not in own]
    hand_over()
    _begun[:] = own


def hand_over() -> None:
    """When workers were forked from this process: what was begun is theirs, and ends with them."""
    for _, opening in _begun:
        opening.hand_over()
        _handed_over.append(opening)
    _begun.clear()


def mine(limits: Limits | None = None, *, unsafe: bool = False, tier: str | None = None) -> Sandbox:
    """This thread's sandbox, opened when it is first asked for. Raises SandboxUnavailable."""
    wanted = (os.getpid(), limits, unsafe, tier)  # that of the process which forked this one is not ours
    if getattr(_MINE, "wanted", None) != wanted:
        close()
        _MINE.sandbox = _opening(*wanted[1:]).sandbox()
        _MINE.wanted = wanted
    sandbox: Sandbox = _MINE.sandbox
    return sandbox


def _opening(*wanted: Any) -> Opening:
    from shardwise.sandbox import Opening

    for place, (one, _) in enumerate(_begun):
        if one == wanted:
            return _begun.pop(place)[1]
    limits, unsafe, tier = wanted
    return Opening(limits=limits, unsafe=unsafe, tier=tier)


def close() -> None:
    """Close this thread's sandbox; the next time it is asked for, a fresh sandbox is opened."""
    wanted, _MINE.wanted = getattr(_MINE, "wanted", None), None
    if wanted is not None and wanted[0] == os.getpid():
        with suppress(ShardwiseError):
            _MINE.sandbox.close()


@contextmanager
def runner(*, unsafe: bool = False) -> Iterator[Runner]:
    """A runner with a sandbox of its own. Raises SandboxUnavailable."""
    from shardwise.sandbox import open_sandbox

    with open_sandbox(unsafe=unsafe) as sandbox:
        yield runner_in(sandbox)
