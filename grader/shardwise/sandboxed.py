"""The sandbox as a runner of functions: where student code runs that is not one's own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from shardwise.programs import Call, Inputs, Program, Runner

if TYPE_CHECKING:
    from shardwise.sandbox import Sandbox


def runner_in(sandbox: Sandbox) -> Runner:
    """A runner that runs sources, and nothing else, in `sandbox`."""
    from shardwise.sandbox import Calls, CallsResult

    def run(program: Program, name: str, inputs: Sequence[Inputs]) -> Sequence[Call]:
        if not isinstance(program, str):
            raise TypeError("only the source of a function can be run in the sandbox")
        found = sandbox.run([Calls("program", name, tuple(inputs), source=program)]).results["program"]
        assert isinstance(found, CallsResult)
        return found.results

    return run


@contextmanager
def runner(*, unsafe: bool = False) -> Iterator[Runner]:
    """A runner with a sandbox of its own. Raises SandboxUnavailable."""
    from shardwise.sandbox import open_sandbox

    with open_sandbox(unsafe=unsafe) as sandbox:
        yield runner_in(sandbox)
