"""One job in an ordinary process, without any boundary: for a student's own code on their own machine."""

from __future__ import annotations

import contextlib
import importlib
import json
import mmap
import os

from . import imports, notebook
from .child import fix_numpys_randomness, run_job
from .limits import set_limits
from .region import EXIT_BROKEN


def main(configuration: str) -> None:
    """Run the job in the file that the configuration names; never returns."""
    config = json.loads(configuration)
    imports.install(config["packages"])
    notebook.add_builtins()
    code = EXIT_BROKEN
    try:
        with open(config["job"], "r+b") as file:
            memory = mmap.mmap(file.fileno(), 0)
        with contextlib.suppress(ImportError, OSError, ValueError):  # no such limits on every system
            set_limits(config["limits"])
        if config["numpy"]:  # its random numbers are fixed before the job
            with contextlib.suppress(ImportError):
                importlib.import_module("numpy.random")
            fix_numpys_randomness()
        code = run_job(memory)
    finally:
        os._exit(code)
