"""Fixtures that many tests share: the bank, and every problem of it."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

from shardwise.bank.bank import Bank, bank

# CI draws the same examples every time, so that a red run is about the change; elsewhere new ones are looked for.
# No deadline: the machine may be busy, and a slow example is no failure.
settings.register_profile("here", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")


@pytest.fixture(scope="session")
def whole_bank() -> Bank:
    return bank()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that asks for `problem` runs once for each file in problems/: a new one is tested when it is saved."""
    if "problem" in metafunc.fixturenames:
        problems = list(bank().problems.values())
        metafunc.parametrize("problem", problems, ids=[one.id for one in problems])
