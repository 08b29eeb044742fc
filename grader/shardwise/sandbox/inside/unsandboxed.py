"""Execution of a job in an ordinary process without isolation, for the user's own code on their own machine."""

from __future__ import annotations

import contextlib
import importlib
import json
import mmap
import os

from . import imports, notebook
from .job_process import run_job, seed_numpy
from .resource_limits import set_limits
from .shared_memory import EXIT_BROKEN


def main(configuration: str) -> None:
    """Run the job in the file that the configuration names; never return."""
    config = json.loads(configuration)
    imports.install(config["packages"])
    notebook.add_builtins()
    code = EXIT_BROKEN
    try:
        with open(config["job"], "r+b") as file:
            memory = mmap.mmap(file.fileno(), 0)
        with contextlib.suppress(ImportError, OSError, ValueError):  # some systems do not have these limits
            set_limits(config["limits"])
        with contextlib.suppress(ImportError):
            importlib.import_module("numpy.random")
        seed_numpy()
        code = run_job(memory)
    finally:
        os._exit(code)
