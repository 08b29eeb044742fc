"""Sandboxes of every tier, opened once. On a machine without a boundary, these tests must fail and not be skipped."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from shardwise.sandbox import Cell, CellResult, JobResult, Limits, Sandbox, SandboxUnavailable, Value, ValueResult
from shardwise.sandbox.tiers import open_tier, plans

QUICK = Limits(cell_seconds=1.0, call_seconds=0.5, job_seconds=20.0)

Run = Callable[..., JobResult]


def open_named(tier: str, limits: Limits = QUICK) -> Sandbox:
    """This tier, however this machine provides it."""
    reasons = []
    for plan in plans():
        if plan.tier == tier:
            try:
                return open_tier(plan, limits)
            except SandboxUnavailable as refused:
                reasons.append(str(refused))
    pytest.fail(f"This machine does not offer tier {tier}: {'; '.join(reasons)}")


@pytest.fixture(
    scope="session", params=["1", pytest.param("1b", marks=pytest.mark.slow), pytest.param("2", marks=pytest.mark.slow)]
)
def sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    with open_named(request.param) as opened:
        yield opened


@pytest.fixture(scope="session")
def strongest() -> Iterator[Sandbox]:
    """A sandbox for tests that do not depend on the tier."""
    with open_named("1") as opened:
        yield opened


@pytest.fixture
def source(sandbox: Sandbox) -> Callable[[str], object]:
    """Runs one cell, then fetches the variable `told`, in which a hostile cell reports how far it got."""

    def run(text: str) -> object:
        return tell(sandbox, text)

    return run


def tell(sandbox: Sandbox, text: str) -> object:
    """Return the value of `told`, or the error of the cell if it raised before that."""
    job = sandbox.run([Cell("cell", text), Value("told", "told")])
    cell, told = job.results["cell"], job.results["told"]
    assert isinstance(cell, CellResult)
    assert isinstance(told, ValueResult)
    return told.value if told.status == "ok" else f"{cell.status}: {cell.error}"
