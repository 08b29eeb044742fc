"""Running a student's function on inputs: what a run gives back, and the runner for one's own machine."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from shardwise.markdown.html import safe

Inputs = Mapping[str, Any]


class Call(Protocol):
    """What became of one call. The sandbox's results have the same fields."""

    @property
    def status(self) -> str: ...  # returned, raised, timeout, memory, killed, unreadable, missing or skipped
    @property
    def value(self) -> Any: ...
    @property
    def error(self) -> str: ...


@dataclass(frozen=True)
class Made:
    """A call made in this process."""

    status: str
    value: Any = None
    error: str = ""


@dataclass(frozen=True)
class Recorded:
    """A function known by the calls that were made of it elsewhere, one for each of the question's cases."""

    calls: tuple[Call, ...]


Program = Callable[..., Any] | str  # a live function, or the source that defines it
Runner = Callable[[Program, str, Sequence[Inputs]], Sequence[Call]]


def here(program: Program, name: str, inputs: Sequence[Inputs]) -> Sequence[Call]:
    """Run in this process: for students on their own machines, whose code this is anyway. Never for grading."""
    if isinstance(program, str):
        namespace: dict[str, Any] = {"__name__": "__main__", "math": math}
        try:
            exec(compile(program, "<your answer>", "exec"), namespace)
        except (Exception, SystemExit) as error:
            return [Made("raised", error=said(error))] * len(inputs)
        function = namespace.get(name)
    else:
        function = program
    if not callable(function):
        return [Made("missing", error=f"there is no function {name}")] * len(inputs)
    return [_call(function, one) for one in inputs]


def _call(function: Callable[..., Any], inputs: Inputs) -> Call:
    try:
        return Made("returned", plain(function(**inputs)))
    except (Exception, SystemExit) as error:  # an exit() of the student's must not end the notebook's kernel
        return Made("raised", error=said(error))


def said(error: BaseException) -> str:
    """An exception in one line, whatever it is."""
    try:
        return f"{type(error).__name__}: {error}"[:300]
    except Exception:  # the student's own exception, which cannot even be printed
        return type(error).__name__


def brief(value: Any) -> str:
    """What a function returned, for use inside `code`: short, and harmless whatever it is."""
    try:
        return f"{value:.7g}" if isinstance(value, float) else safe(repr(value), 120)
    except Exception:  # over 4,300 digits, nested too deeply, or a repr of the student's own that fails
        return f"something of type {type(value).__name__} that cannot be printed"


def plain(value: Any) -> Any:
    """A value as plain Python: numpy's numbers and arrays become numbers and lists, tuples become lists."""
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, tuple | list):
        return [plain(one) for one in value]
    if isinstance(value, dict):
        return {str(name): plain(one) for name, one in value.items()}
    return value


def refuse(program: Program, name: str, inputs: Sequence[Inputs]) -> Sequence[Call]:
    """The runner where no student code may run. Whoever asks it has forgotten to pass a runner: our fault, no zero."""
    raise RuntimeError(f"no runner was given for {name}")
