"""Fixtures for the planner: the file of runs, read once, and the command in this process."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import NamedTuple

import pytest

from bench.planner.predictions import Row, readable
from bench.planner.run_files import load
from bench.planner.runs import Runs
from shardwise.cli.main import main


@pytest.fixture(scope="session")
def runs() -> Runs:
    return load()


@pytest.fixture(scope="session")
def rows(runs: Runs) -> list[Row]:
    return readable(runs)[0]


class Ran(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Run `shardwise plan` in this process."""

    def ran(*words: str) -> Ran:
        monkeypatch.setattr(sys, "argv", ["shardwise", "plan", *words])
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capsys.readouterr()
        return Ran(int(ended.value.code or 0), captured.out, captured.err)

    return ran


Run = Callable[..., Ran]
