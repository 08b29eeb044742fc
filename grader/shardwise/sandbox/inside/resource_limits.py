"""A process's resource limits, under the names that Python's resource module gives them."""

from __future__ import annotations

from collections.abc import Mapping


def set_limits(limits: Mapping[str, int]) -> None:
    """Set limits of this process, soft and hard alike, none higher than what it may have itself."""
    import resource  # which Windows does not have

    for name, bound in limits.items():
        number = getattr(resource, "RLIMIT_" + name)
        _, hard = resource.getrlimit(number)
        allowed = bound if hard == resource.RLIM_INFINITY else min(bound, hard)
        resource.setrlimit(number, (allowed, allowed))
