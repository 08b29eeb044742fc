"""Fixtures that many tests share: the bank, and every problem of it."""

from __future__ import annotations

import pytest

from shardwise.bank import Bank, bank


@pytest.fixture(scope="session")
def whole_bank() -> Bank:
    return bank()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that asks for `problem` runs once for each file in problems/: a new one is tested when it is saved."""
    if "problem" in metafunc.fixturenames:
        problems = list(bank().problems.values())
        metafunc.parametrize("problem", problems, ids=[one.id for one in problems])
