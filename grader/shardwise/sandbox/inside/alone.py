"""One job in an ordinary process, without any boundary: for a student's own code on their own machine."""

from __future__ import annotations

import contextlib
import importlib
import json
import mmap
import os

from . import imports
from .region import EXIT_BROKEN, take_job


def main(configuration: str) -> None:
    """Run the job in the file that the configuration names; never returns."""
    from .child import run_job, set_rlimits

    config = json.loads(configuration)
    imports.install(config["packages"])
    code = EXIT_BROKEN
    try:
        with open(config["job"], "r+b") as file:
            memory = mmap.mmap(file.fileno(), 0)
        with contextlib.suppress(ImportError, OSError, ValueError):  # no such limits on every system
            set_rlimits(config["limits"])
        if b"numpy" in take_job(memory):  # its random numbers are fixed before the job, if it is there
            with contextlib.suppress(ImportError):
                importlib.import_module("numpy.random")
        code = run_job(memory)
    finally:
        os._exit(code)
