"""The process of one job: it walls itself in, and only then reads what the student wrote."""

from __future__ import annotations

import gc
import mmap
import os
import random
import sys
from typing import TYPE_CHECKING, NoReturn

from .notebook import Notebook, OutOfMemory
from .region import EXIT_BROKEN, EXIT_OUT_OF_MEMORY, Writer, take_job

if TYPE_CHECKING:
    from .walls import Walls  # for Linux alone


def become_job(walls: Walls, memory_fd: int, server_pid: int) -> NoReturn:
    """Never returns: the process ends with the job."""
    code = EXIT_BROKEN
    try:
        memory = mmap.mmap(memory_fd, 0)
        _close_all_but(walls.rules)
        walls.put_up(server_pid)
        code = run_job(memory)
    finally:
        os._exit(code)


def run_job(memory: mmap.mmap) -> int:
    """Read the job and run it; the exit status to end with."""
    gc.enable()
    random.seed(0)  # a fork seeds it anew
    try:
        Notebook(take_job(memory), Writer(memory)).run()
    except OutOfMemory:
        return EXIT_OUT_OF_MEMORY
    return 0


def fix_numpys_randomness() -> None:
    """The same job gives the same values every time, and numpy keeps its state over a fork."""
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(0)


def _close_all_but(kept: int) -> None:
    """The control socket first of all: whoever holds it can speak for the server."""
    os.closerange(3, kept if kept >= 0 else 1024)
    if kept >= 0:
        os.closerange(kept + 1, 1024)
