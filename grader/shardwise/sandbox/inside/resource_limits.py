"""A process's resource limits, with the names of Python's resource module."""

from __future__ import annotations

from collections.abc import Mapping


def set_limits(limits: Mapping[str, int]) -> None:
    """Set this process's soft and hard limits, none above its current hard limit."""
    import resource  # Windows does not have this module

    for name, bound in limits.items():
        number = getattr(resource, "RLIMIT_" + name)
        _, hard = resource.getrlimit(number)
        allowed = bound if hard == resource.RLIM_INFINITY else min(bound, hard)
        resource.setrlimit(number, (allowed, allowed))
