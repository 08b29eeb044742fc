"""Imports of a notebook: the standard library, numpy, sympy and a stand-in for shardwise."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import sys
import types
from collections.abc import Mapping, Sequence

from . import stub

_STAND_IN = "shardwise"


class Packages:
    """A finder for given packages, by directory, that explains why others are unavailable.

    It uses directories instead of adding site-packages to sys.path, so that nothing next to them can be imported.
    """

    def __init__(self, directories: Mapping[str, str]) -> None:
        self._directories = dict(directories)

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Find a module for the import system, if no earlier finder did."""
        top = name.partition(".")[0]
        if top == _STAND_IN:
            return importlib.machinery.ModuleSpec(name, StandIn(), is_package=True)  # type: ignore[arg-type]
        if name in self._directories:
            place = self._directories[name]
            return importlib.util.spec_from_file_location(
                name, os.path.join(place, "__init__.py"), submodule_search_locations=[place]
            )
        if path is None and top not in sys.stdlib_module_names:
            raise ModuleNotFoundError(
                f"{name} is not available while grading; only the standard library, numpy and sympy are",
                name=name,
            )
        return None


class StandIn:
    """A loader of shardwise and its submodules as inert modules.

    It does not inherit from importlib.abc.Loader, which imports sixty modules.
    """

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        """Return an empty module with the stub's behaviour."""
        module = types.ModuleType(spec.name)
        module.__dict__.update(__getattr__=stub.attribute, __all__=list(stub.NAMES))
        module.__dict__.update(dict.fromkeys(stub.NAMES, stub.INERT))
        return module

    def exec_module(self, module: types.ModuleType) -> None:
        """Do nothing: the module is already complete."""


def install(directories: Mapping[str, str]) -> None:
    """Make only these packages, the stand-in and the standard library importable."""
    sys.path[:] = [entry for entry in sys.path if os.path.basename(entry) not in ("site-packages", "dist-packages")]
    sys.meta_path.append(Packages(directories))
