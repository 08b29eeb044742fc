"""Fixtures with the published runs, which are read once."""

from __future__ import annotations

import pytest

from bench.planner.predictions import Row, readable
from bench.planner.run_files import load
from bench.planner.runs import Runs


@pytest.fixture(scope="session")
def runs() -> Runs:
    return load()


@pytest.fixture(scope="session")
def rows(runs: Runs) -> list[Row]:
    return readable(runs)[0]
