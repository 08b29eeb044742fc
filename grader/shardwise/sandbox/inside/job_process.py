"""The process of a job: it first confines itself, and only then reads the student's code."""

from __future__ import annotations

import mmap
import os
import random
import sys
from typing import TYPE_CHECKING, NoReturn

from .notebook import Notebook, OutOfMemory
from .shared_memory import EXIT_BROKEN, EXIT_OUT_OF_MEMORY, Writer, read_job

if TYPE_CHECKING:
    from .confinement import Confinement  # only for Linux


def run_confined(confinement: Confinement, memory_fd: int, server_pid: int) -> NoReturn:
    """Run the job in this memory, then end the process."""
    code = EXIT_BROKEN
    try:
        memory = mmap.mmap(memory_fd, 0)
        _close_all_but(confinement.ruleset)
        confinement.apply(server_pid)
        code = run_job(memory)
    finally:
        os._exit(code)


def run_job(memory: mmap.mmap) -> int:
    """Read and run the job; return the exit status."""
    random.seed(0)  # Python reseeds it in a forked process
    try:
        Notebook(read_job(memory), Writer(memory)).run()
    except OutOfMemory:
        return EXIT_OUT_OF_MEMORY
    return 0


def seed_numpy() -> None:
    """Seed numpy's random state, which a fork inherits, so that a job always gives the same values."""
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(0)


def _close_all_but(kept: int) -> None:
    """Close every inherited file, above all the control socket, through which code could report results as the server."""
    os.closerange(3, kept if kept >= 0 else 1024)
    if kept >= 0:
        os.closerange(kept + 1, 1024)
