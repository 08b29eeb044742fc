"""Cores: how many notebooks may run at the same time, and one core for each worker.

Two workers on one core would share it thread by thread, so that a notebook with 60 threads took nearly all the time of another.
"""

from __future__ import annotations

import math
import os
from contextlib import suppress
from pathlib import Path

_CGROUPS, _OWN = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup")


def usable() -> list[int]:
    """The numbers of the cores that this process may use: no more than its cgroups grant the time of."""
    if not hasattr(os, "sched_getaffinity"):  # macOS and Windows, where only one's own code is ever graded
        return list(range(os.cpu_count() or 1))
    cores = sorted(os.sched_getaffinity(0))
    return cores[: max(1, math.ceil(min([len(cores), *_granted()])))]


def keep_to(core: int) -> None:
    """Keep this process, and all that it starts from now on, to a core. What runs in the sandbox cannot leave it."""
    with suppress(AttributeError, OSError):  # taken away meanwhile
        os.sched_setaffinity(0, {core})


def _granted() -> list[float]:
    """How many cores' time each of our cgroups grants (Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/ of Linux)."""
    found = []
    with suppress(OSError):
        for line in _OWN.read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            if not controllers or "cpu" in controllers.split(","):
                mount = _CGROUPS / "cpu" if controllers else _CGROUPS
                place = mount / path.strip("/")
                found += [limit for folder in (place, *place.parents) if (limit := _limit(folder)) is not None]
    return found


def _limit(folder: Path) -> float | None:
    try:
        if (folder / "cpu.max").is_file():
            quota, period = (folder / "cpu.max").read_text().split()
        else:
            quota, period = ((folder / f"cpu.cfs_{name}_us").read_text().strip() for name in ("quota", "period"))
        return int(quota) / int(period) if int(quota) > 0 else None
    except (OSError, ValueError, ZeroDivisionError):  # no such file here, or "max"
        return None
