"""The command line and environment of the Python interpreter inside the sandbox."""

from __future__ import annotations

import json
from collections.abc import Mapping

FLAGS = ("-P", "-s", "-S", "-B", "-X", "utf8")  # not -I, because that ignores PYTHONHASHSEED
ENVIRONMENT = {
    "PYTHONHASHSEED": "0",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "2",  # an arena per thread would reserve 128 MiB of address space for each
    "LC_ALL": "C.UTF-8",
    "HOME": "/box",
    "PATH": "/nowhere",
}
_BOOT = (  # imports our inner package by its directory, so that nothing next to it becomes importable
    "import sys, importlib.util as u; d = sys.argv[1];"
    "s = u.spec_from_file_location('inside', d + '/__init__.py', submodule_search_locations=[d]);"
    "m = u.module_from_spec(s); sys.modules['inside'] = m; s.loader.exec_module(m);"
    "from importlib import import_module as i; i('inside.' + sys.argv[2]).main(sys.argv[3])"
)


def inner_command(python: str, inside: str, module: str, config: Mapping[str, object]) -> list[str]:
    """Return the command that runs `main` of a module in our inner package."""
    return [python, *FLAGS, "-c", _BOOT, inside, module, json.dumps(config)]
