"""How mutants are tried: Hypothesis draws the same examples every time, remembers none and makes none smaller, and nothing is cached."""

from __future__ import annotations

import sys

import pytest
from hypothesis import HealthCheck, Phase, settings


def pytest_configure() -> None:
    settings.register_profile(
        "mutants",
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),  # a busy machine must not kill a mutant
    )
    settings.load_profile("mutants")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuse names with a backslash: pytest finds no test by such a name, so mutants that it is asked for by mutmut would all seem killed."""
    if odd := [item.nodeid for item in items if "\\" in item.nodeid]:
        raise pytest.UsageError(f"give these tests other ids: {', '.join(odd)}")


def pytest_runtest_setup() -> None:
    """Forget what references gave before: a mutant would live on what its original gave, and a test that only meets a cache would not
    count as one of a function behind it."""
    modules = [module for name, module in sys.modules.items() if name.startswith("solutions.")]
    for function in (value for module in modules for value in vars(module).values()):
        if hasattr(function, "cache_clear") and function.__module__ != "solutions.facts.tables":  # it reads files
            function.cache_clear()
