"""CPU cores: how many notebooks can run at the same time, with one core per worker.

Workers on the same core would share it by threads, so a notebook with 60 threads would take most of another's time.
"""

from __future__ import annotations

import math
import os
from contextlib import suppress
from pathlib import Path

_CGROUPS, _OWN = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup")


def usable() -> list[int]:
    """Return the cores that this process may use, at most as many as its cgroups grant time for."""
    if not hasattr(os, "sched_getaffinity"):  # macOS and Windows, where users grade only their own code
        return list(range(os.cpu_count() or 1))
    cores = sorted(os.sched_getaffinity(0))
    return cores[: max(1, math.ceil(min([len(cores), *_granted()])))]


def keep_to(core: int) -> None:
    """Pin this process and its future children to a core, which code in the sandbox cannot leave."""
    with suppress(AttributeError, OSError):  # the core may have been taken away
        os.sched_setaffinity(0, {core})


def _granted() -> list[float]:
    """Return the CPU time that each of our cgroups grants, in cores (Linux, Documentation/admin-guide/cgroup-v2.rst, cgroup-v1/)."""
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
    except (OSError, ValueError, ZeroDivisionError):  # the file does not exist, or contains "max"
        return None
