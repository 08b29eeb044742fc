"""The process of a job: it confines itself first, and only then reads what the student wrote."""

from __future__ import annotations

import mmap
import os
import random
import sys
from typing import TYPE_CHECKING, NoReturn

from .notebook import Notebook, OutOfMemory
from .shared_memory import EXIT_BROKEN, EXIT_OUT_OF_MEMORY, Writer, read_job

if TYPE_CHECKING:
    from .confinement import Confinement  # for Linux alone


def run_confined(confinement: Confinement, memory_fd: int, server_pid: int) -> NoReturn:
    """Run the job in this memory. The process ends with it."""
    code = EXIT_BROKEN
    try:
        memory = mmap.mmap(memory_fd, 0)
        _close_all_but(confinement.ruleset)
        confinement.apply(server_pid)
        code = run_job(memory)
    finally:
        os._exit(code)


def run_job(memory: mmap.mmap) -> int:
    """Read the job and run it; the exit status to end with."""
    random.seed(0)  # Python seeds it anew in a forked process
    try:
        Notebook(read_job(memory), Writer(memory)).run()
    except OutOfMemory:
        return EXIT_OUT_OF_MEMORY
    return 0


def seed_numpy() -> None:
    """Fix numpy's random state, which a fork keeps, so that a job gives the same values every time."""
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(0)


def _close_all_but(kept: int) -> None:
    """Close every inherited file, above all the control socket: who holds it can report results as the server."""
    os.closerange(3, kept if kept >= 0 else 1024)
    if kept >= 0:
        os.closerange(kept + 1, 1024)
