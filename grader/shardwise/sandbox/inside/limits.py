"""A job's resource limits, under the names that Python's resource module gives them."""

from __future__ import annotations

from collections.abc import Mapping


def bounds(limits: Mapping[str, int]) -> list[tuple[int, int]]:
    """Numbers of resources and their bounds, none higher than what this process may have itself."""
    import resource

    found = []
    for name, value in limits.items():
        number = getattr(resource, "RLIMIT_" + name)
        _, hard = resource.getrlimit(number)
        found.append((number, value if hard == resource.RLIM_INFINITY else min(value, hard)))
    return found


def set_limits(limits: Mapping[str, int]) -> None:
    """Set limits of this process, soft and hard alike."""
    import resource

    for number, bound in bounds(limits):
        resource.setrlimit(number, (bound, bound))
