"""How mutants are tried: Hypothesis draws the same examples every time, remembers none and makes none smaller, and nothing is cached."""

from __future__ import annotations

import inspect
import sys

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


def pytest_sessionstart() -> None:
    """Forget what references gave before: mutmut forks from a process that has run all tests, and a mutant would live on its caches."""
    modules = [module for name, module in sys.modules.items() if name.startswith("solutions.")]
    for function in (value for module in modules for value in vars(module).values()):
        if hasattr(function, "cache_clear") and inspect.signature(function).parameters:  # without any it reads a file
            function.cache_clear()
