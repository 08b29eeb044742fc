"""How Hypothesis draws while mutants are tried: the same examples every time, none remembered, and none made smaller."""

from __future__ import annotations

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
