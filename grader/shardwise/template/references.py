"""The references and oracles of a bank, loaded from its folder.

"ring.steps" is `steps` in ring.py, and "zero.adam.weight_bytes" is in zero/adam.py.
"""

from __future__ import annotations

import importlib
import importlib.machinery
import importlib.util
import inspect
import math
import sys
import traceback
from collections.abc import Callable, Mapping
from functools import cached_property, lru_cache
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import Any

from shardwise.errors import AUTHORS_CAN_RAISE, Fault, ShardwiseError, said_by

Function = Callable[..., Any]
UNITS = "(units)"  # the system of units among the names of a text, which no author can write
_NUMBERS = count(1)


class Unloadable(ShardwiseError):
    """A module cannot be loaded; the fault is at the line where the error occurred, for every problem that needs it."""

    def __init__(self, file: str, fault: Fault) -> None:
        super().__init__(f"{file} {fault.message}")
        self.fault = fault


class References:
    """The functions in a folder `solutions/`.

    The folder becomes a package with a unique name, so that two banks can both have a zero.py, nothing in a bank is imported
    by accident, and a bank that is opened again is loaded again. Modules import each other relatively.
    """

    def __init__(self, folder: Path, units: str = "") -> None:
        self.folder = folder
        self.units = units  # the system of units in which the bank's texts are written
        self.memo: dict[Any, Any] = {}  # results of references for arguments that recur between draws
        self._found: dict[str, Function] = {}

    @cached_property
    def _package(self) -> str:
        name = f"shardwise_references_{next(_NUMBERS)}"
        spec = importlib.machinery.ModuleSpec(name, None, is_package=True)
        spec.submodule_search_locations = [str(self.folder)]
        sys.modules[name] = importlib.util.module_from_spec(spec)
        importlib.invalidate_caches()  # the folder may have just been written
        return name

    def reference(self, name: str) -> Function:
        """Return the reference of this name, such as "loans.monthly_payment".

        Raises ShardwiseError if there is none, and Unloadable if its module cannot be loaded.
        """
        return self._known(name, "")

    def oracle(self, name: str) -> Function:
        """Return the oracle of this name from solutions/oracles/, with cached results. Raises ShardwiseError."""
        return self._known(name, "oracles.")

    def _known(self, name: str, folder: str) -> Function:
        if folder + name not in self._found:
            found = self._load(name, folder)
            self._found[folder + name] = lru_cache(maxsize=65536)(found) if folder else found
        return self._found[folder + name]

    def module(self, name: str) -> ModuleType:
        """Return the module of this name in the folder, such as "oracles.ring". Raises ShardwiseError or Unloadable."""
        file = f"solutions/{name.replace('.', '/')}.py"
        if not (self.folder / f"{name.replace('.', '/')}.py").is_file():
            raise ShardwiseError(f"{file} does not exist")
        try:
            try:
                return importlib.import_module(f"{self._package}.{name}")
            except EOFError:  # truncated bytecode, from when the disk was full
                for compiled in self.folder.rglob("__pycache__/*.pyc"):
                    compiled.unlink(missing_ok=True)
                return importlib.import_module(f"{self._package}.{name}")
        except AUTHORS_CAN_RAISE as error:  # loading an author's module may raise anything
            fault = Fault(self.line_of(error) or file, f"cannot be loaded: {said_by(error)}")
            raise Unloadable(file, fault) from error

    def _load(self, name: str, folder: str) -> Function:
        module, _, function = name.rpartition(".")
        loaded = self.module(folder + module)
        found = getattr(loaded, function, None)
        if not callable(found):
            raise ShardwiseError(f"solutions/{(folder + module).replace('.', '/')}.py has no function {function!r}")
        return found  # type: ignore[no-any-return]

    def line_of(self, error: BaseException) -> str:
        """Return the innermost line of these modules in a traceback, such as "solutions/loans.py:12", or "" if there is none."""
        lines = [(frame.filename, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
        if isinstance(error, SyntaxError):
            lines.append((error.filename or "", error.lineno))
        for file, line in reversed(lines):
            if Path(file).is_relative_to(self.folder):
                return f"{self.folder.name}/{Path(file).relative_to(self.folder).as_posix()}:{line}"
        return ""

    @cached_property
    def helpers(self) -> Mapping[str, Any]:
        """The functions that expressions can call: `ref("ring.steps", hosts=8)`, and likewise `oracle`; and the system of units."""

        def ref(name: str, /, **values: Any) -> Any:
            return self.reference(name)(**values)

        def oracle(name: str, /, **values: Any) -> Any:
            return self.oracle(name)(**values)

        return {"ref": ref, "oracle": oracle, UNITS: self.units}

    def call(self, function: Function, values: Mapping[str, Any], given: Mapping[str, Any]) -> Any:
        """Call a function with arguments from `given` expressions, or else from the values of the same name.

        Raises ShardwiseError if a required argument has neither.
        """
        from shardwise.template.expressions import (
            evaluate,
        )  # imported here, because it loads Jinja2, which a list of problems does not need

        found: dict[str, Any] = {}
        missing = []
        for name, is_required in keywords(function):
            if name in given:
                found[name] = evaluate(given[name], {**self.helpers, **values})
            elif name in values:
                found[name] = values[name]
            elif is_required:
                missing.append(name)
        if missing:
            raise ShardwiseError(
                f"{function.__name__} needs {', '.join(missing)}, but no parameter has that name. "
                "Rename a parameter, or set the argument under answer.arguments."
            )
        return function(**found)

    def key(self, name: str, values: Mapping[str, Any], given: Mapping[str, Any]) -> float:
        """Return a reference's result. Raises ShardwiseError if it is not a number, because every answer would be marked wrong."""
        found = float(self.call(self.reference(name), values, given))
        if not math.isfinite(found):
            raise ShardwiseError(f"{name} gives {found} for these parameters, which is not a valid key")
        return found


@lru_cache(maxsize=1024)
def keywords(function: Function) -> tuple[tuple[str, bool], ...]:
    """Return the names of a function's parameters, and whether each is required."""
    parameters = inspect.signature(function).parameters.values()
    return tuple((parameter.name, parameter.default is inspect.Parameter.empty) for parameter in parameters)
