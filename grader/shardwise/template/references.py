"""Reference functions and oracles by name: `ring.bytes_sent_per_gpu` is that function of shardwise.solutions.ring."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from shardwise.errors import ShardwiseError
from shardwise.template.expressions import evaluate

Function = Callable[..., Any]


@lru_cache(maxsize=1024)
def _find(name: str, package: str) -> Function:
    module_name, _, function_name = name.partition(".")
    try:
        module = importlib.import_module(f"shardwise.{package}.{module_name}")
    except ModuleNotFoundError:
        raise ShardwiseError(f"{package.replace('.', '/')}/{module_name}.py does not exist") from None
    found = getattr(module, function_name, None)
    if not callable(found):
        raise ShardwiseError(f"{package.replace('.', '/')}/{module_name}.py has no function {function_name!r}")
    return found  # type: ignore[no-any-return]


def reference(name: str) -> Function:
    """The reference function of that name, such as "ring.all_reduce_seconds"."""
    return _find(name, "solutions")


@lru_cache(maxsize=1024)
def oracle(name: str) -> Function:
    """The oracle of that name, from solutions/oracles/; it remembers what it has counted."""
    return lru_cache(maxsize=65536)(_find(name, "solutions.oracles"))


@lru_cache(maxsize=1024)
def keywords(function: Function) -> tuple[tuple[str, bool], ...]:
    """The names of a function's parameters, and whether each is required."""
    parameters = inspect.signature(function).parameters.values()
    return tuple((one.name, one.default is inspect.Parameter.empty) for one in parameters)


def arguments(function: Function, values: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """The keyword arguments of `function`: from `given` expressions, else from the parameters of the same name.

    Raises ShardwiseError when a required one has neither.
    """
    found: dict[str, Any] = {}
    missing = []
    for name, required in keywords(function):
        if name in given:
            found[name] = evaluate(given[name], {**values, **HELPERS})
        elif name in values:
            found[name] = values[name]
        elif required:
            missing.append(name)
    if missing:
        raise ShardwiseError(
            f"{function.__name__} needs {', '.join(missing)}; no parameter has that name. "
            "Rename a parameter, or say where it comes from under answer.arguments."
        )
    return found


def _call_reference(name: str, /, **values: Any) -> Any:
    return reference(name)(**values)


def _call_oracle(name: str, /, **values: Any) -> Any:
    return oracle(name)(**values)


HELPERS: Mapping[str, Function] = {"ref": _call_reference, "oracle": _call_oracle}
