"""The process of one job: it walls itself in, and only then reads what the student wrote."""

from __future__ import annotations

import gc
import mmap
import os
import random
import signal
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from . import kernel, landlock, packed, seccomp
from .notebook import Notebook, OutOfMemory
from .region import EXIT_BROKEN, EXIT_OUT_OF_MEMORY, Writer, take_job

_BOX_BYTES = 2**20  # enough for a working directory in which nothing can be written anyway


@dataclass(frozen=True)
class Walls:
    """What the server prepared once and every job puts up around itself."""

    tier: str  # 1, 1b, 2 or none
    machine: str
    box: str  # the directory to mount a job's own tmpfs on
    rules: int  # a Landlock ruleset, -1 for none
    filter: bytes  # seccomp, still without the process's own number
    limits: Mapping[str, int]


def become_job(walls: Walls, memory_fd: int, server_pid: int) -> NoReturn:
    """Never returns: the process ends with the job."""
    code = EXIT_BROKEN
    try:
        memory = mmap.mmap(memory_fd, 0)
        _close_all_but(walls.rules)
        if walls.tier != "none":
            _wall_in(walls, server_pid)
        code = run_job(memory)
    finally:
        os._exit(code)


def run_job(memory: mmap.mmap) -> int:
    """Read the job and run it; the exit status to end with."""
    gc.enable()
    _fix_randomness()
    job: dict[str, Any] = packed.from_text(take_job(memory))  # type: ignore[assignment]
    try:
        Notebook(job, Writer(memory)).run()
    except OutOfMemory:
        return EXIT_OUT_OF_MEMORY
    return 0


def _close_all_but(kept: int) -> None:
    """The control socket first of all: whoever holds it can speak for the server."""
    os.closerange(3, kept if kept >= 0 else 1024)
    if kept >= 0:
        os.closerange(kept + 1, 1024)


def _wall_in(walls: Walls, server_pid: int) -> None:
    kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
    if walls.tier == "2":
        if os.getppid() != server_pid:  # it died before the line above
            os._exit(EXIT_BROKEN)
    else:
        kernel.mount("none", "/", None, kernel.MS_REC | kernel.MS_PRIVATE)
        flags = kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC
        kernel.mount("tmpfs", walls.box, "tmpfs", flags, f"size={_BOX_BYTES},nr_inodes=64,mode=0700")
        os.chdir(walls.box)
    kernel.drop_capabilities()
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    set_rlimits(walls.limits)
    if walls.rules >= 0:
        landlock.restrict(walls.rules)
        os.close(walls.rules)
    kernel.load_seccomp(seccomp.for_process(walls.filter, os.getpid()))


def set_rlimits(limits: Mapping[str, int]) -> None:
    """Set limits, by the names that Python's resource module gives them, soft and hard alike."""
    import resource

    for name, value in limits.items():
        limit = getattr(resource, "RLIMIT_" + name)
        _, hard = resource.getrlimit(limit)
        bound = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(limit, (bound, bound))


def _fix_randomness() -> None:
    """The same job gives the same values every time."""
    random.seed(0)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(0)
