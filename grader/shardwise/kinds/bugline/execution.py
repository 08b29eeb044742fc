"""Execution of our own listings with a bound on their steps, since a mutated loop may never end."""

from __future__ import annotations

import builtins
import math
import sys
from collections.abc import Callable
from types import FrameType, ModuleType
from typing import Any

STEPS = 200_000  # lines that one call may execute, counting each iteration of a loop
_SAFE = ("abs", "all", "any", "bool", "dict", "divmod", "enumerate", "float", "int", "isinstance", "len", "list", "map",
         "max", "min", "pow", "range", "reversed", "round", "set", "sorted", "str", "sum", "tuple", "zip", "ArithmeticError",
         "Exception", "KeyError", "OverflowError", "TypeError", "ValueError", "ZeroDivisionError")  # fmt: skip


class Endless(OverflowError):
    """A call that needed more than STEPS steps."""


def load_listing(source: str, name: str) -> Callable[..., object]:
    """Return the function `name` of one of OUR OWN listings, with `math` and harmless builtins. Never for a student's text.

    A call that needs more than STEPS steps raises Endless. A single operation is not interrupted, however long it takes,
    such as a power of billions of digits.
    """
    safe = {word: getattr(builtins, word) for word in _SAFE}
    namespace: dict[str, Any] = {"__builtins__": {**safe, "__import__": _import_math}}
    exec(compile(source, "<listing>", "exec", dont_inherit=True), namespace)
    call = bounded(namespace[name])
    call.__name__ = name
    return call


def bounded(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return one of our own functions, changed to raise Endless after STEPS steps."""

    def call(*args: object, **kwargs: object) -> object:
        steps = 0

        def count(_frame: FrameType, _event: str, _argument: object) -> Callable[..., Any]:
            nonlocal steps
            steps += 1
            if steps > STEPS:
                raise Endless(f"over {STEPS:,} steps")
            return count

        before = sys.gettrace()
        sys.settrace(count)
        try:
            return function(*args, **kwargs)
        finally:
            sys.settrace(before)

    return call


def _import_math(name: str, *_: object) -> ModuleType:
    if name != "math":
        raise ImportError(f"a listing can import math, but not {name}")
    return math
