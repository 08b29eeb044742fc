"""Executing our own listings with a bound on their steps: a mutant of a loop may go on for ever."""

from __future__ import annotations

import builtins
import math
import sys
from collections.abc import Callable
from types import FrameType, ModuleType
from typing import Any

STEPS = 200_000  # lines that one call may execute; each turn of a loop executes its lines anew
_SAFE = ("abs", "all", "any", "bool", "dict", "divmod", "enumerate", "float", "int", "isinstance", "len", "list", "map",
         "max", "min", "pow", "range", "reversed", "round", "set", "sorted", "str", "sum", "tuple", "zip", "ArithmeticError",
         "Exception", "KeyError", "OverflowError", "TypeError", "ValueError", "ZeroDivisionError")  # fmt: skip


class Endless(OverflowError):
    """A call that would have gone on beyond STEPS."""


def load_listing(source: str, name: str) -> Callable[..., object]:
    """The function `name` of one of OUR OWN listings, able to reach `math` and harmless builtins. Never for a student's text.

    A call that would go on beyond STEPS raises Endless. A single operation is not interrupted, however long it takes,
    such as a power of billions of digits.
    """
    safe = {word: getattr(builtins, word) for word in _SAFE}
    namespace: dict[str, Any] = {"__builtins__": {**safe, "__import__": _import_math}}
    exec(compile(source, "<listing>", "exec", dont_inherit=True), namespace)
    call = bounded(namespace[name])
    call.__name__ = name
    return call


def bounded(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that raises Endless where one of our own would go on beyond STEPS."""

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
