"""Calls of a function: what a runner accepts and returns, and the runner for our own programs."""

from __future__ import annotations

import inspect
import math
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, Protocol

from shardwise.markdown.escaping import safe

_PLAIN = (type(None), bool, int, float, str)
VALUE_ERROR = " (a ValueError)"  # after the name of a subclass; a test checks that the sandbox uses the same words

Inputs = Mapping[str, Any]


class Call(Protocol):
    """The outcome of one call. The sandbox's results have the same fields."""

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
    """A function known only by calls that were made elsewhere, one for each of the question's cases."""

    calls: tuple[Call, ...]


@dataclass(frozen=True)
class Printed:
    """A placeholder for a value that is not plain data, such as an object of a student's own class."""

    text: str

    def __repr__(self) -> str:
        return self.text


Program = Callable[..., Any] | str  # a live function, or the source that defines it
Runner = Callable[[Program, str, Sequence[Inputs]], Sequence[Call]]


def run_here(program: Program, name: str, inputs: Sequence[Inputs]) -> Sequence[Call]:
    """Run in this process, without any limit: for our own programs only. Students' programs run in practice or the sandbox."""
    function, failed = function_of(program, name)
    return [failed if function is None else call_once(function, keywords) for keywords in inputs]


def function_of(program: Program, name: str) -> tuple[Callable[..., Any] | None, Call]:
    """Return the function, or the outcome of every call if there is no function."""
    if not isinstance(program, str):
        return program, Made("returned")
    namespace: dict[str, Any] = {"__name__": "__main__", "math": math}
    try:
        exec(compile(program, "<your answer>", "exec"), namespace)
    except (Exception, SystemExit) as error:
        return None, Made("raised", error=in_one_line(error))
    function = namespace.get(name)
    return (function if callable(function) else None), Made("missing", error=f"there is no function {name}")


def call_once(function: Callable[..., Any], keywords: Inputs) -> Call:
    """Make one call, whatever happens. If a student renamed the parameters, the arguments are passed by position.

    The same holds if the function cannot accept them at all: Python's error then says how many it takes.
    """
    try:
        if _rejects_keywords(function, keywords):
            return Made("returned", _data(function(*keywords.values())))
        return Made("returned", _data(function(**keywords)))
    except (Exception, SystemExit) as error:  # a student's exit() must not end the notebook's kernel
        return Made("raised", error=in_one_line(error))


def _data(value: Any) -> Any:
    """Return the result of a function without any student code in it: an endless `__repr__` is stopped along with its call."""
    return _printed(plain(value))


def _printed(value: Any) -> Any:
    if type(value) in _PLAIN:  # isinstance would trust what a class claims to be
        return value
    if type(value) is list:
        return [_printed(part) for part in value]
    if type(value) is dict:
        return {name if type(name) is str else Printed(brief(name)): _printed(part) for name, part in value.items()}
    return Printed(brief(value))


def _rejects_keywords(function: Callable[..., Any], keywords: Inputs) -> bool:
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return False
    try:
        signature.bind(**keywords)
    except TypeError:
        return True
    return False


# Python appends the line to a syntax error, and in a kernel the name of a temporary file.
_WHERE = re.compile(r" \((?:detected at line \d+|(?:<[^>]*>|[^ ()]*\.py), line \d+)\)")


def in_one_line(error: BaseException) -> str:
    """Return an exception in one line, whatever it is."""
    name: str = type.__dict__["__name__"].__get__(type(error))  # a student's metaclass may override it
    if isinstance(error, ValueError) and name != "ValueError":
        name += VALUE_ERROR
    try:
        message = _WHERE.sub("", _itself(str(error)))
        return f"{name}: {message}"[:300] if message else name
    except (Exception, SystemExit):  # a student's exception that cannot even be printed
        return name


def _itself(text: str) -> str:
    """Return a text as a plain str, even if a student subclassed it."""
    return str.__str__(text)


def is_value_error(call: Call) -> bool:
    """Return whether a call raised a ValueError or a subclass, as the sandbox and `in_one_line` write it."""
    return call.status == "raised" and re.match(rf"ValueError\b|[^:]*{re.escape(VALUE_ERROR)}", call.error) is not None


def brief(value: Any) -> str:
    """Return the result of a function for use inside `code`: short and harmless, whatever it is."""
    try:
        return f"{value:.7g}" if isinstance(value, float) else safe(_itself(repr(value)), 120)
    except (Exception, SystemExit):  # over 4,300 digits, nested too deeply, or a student's repr that fails
        return f"something of type {type(value).__name__} that cannot be printed"


def with_telling_digits(given: Any, expected: Any) -> tuple[str, str]:
    """Return the text of two different values, with the digits that distinguish them.

    >>> with_telling_digits(5.960464478e-08, 5.9604644775390625e-08), with_telling_digits(1.0, 2.0)
    (('5.960464478e-08', '5.9604644775e-08'), ('1', '2'))
    """
    shown = brief(given), brief(expected)
    if shown[0] != shown[1] or not (isinstance(given, float) and isinstance(expected, float)):
        return shown
    written = ((f"{given:.{digits}g}", f"{expected:.{digits}g}") for digits in range(8, 18))
    return next(((each, other) for each, other in written if each != other), shown)


def plain(value: Any) -> Any:
    """Return a value as plain Python: results of numpy, sympy, fractions and pint become numbers, lists and text.

    The sandbox does the same with its results, so that an answer means the same in practice and in grading.
    """
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind in (list, tuple):
        return [plain(part) for part in value]
    if kind is dict:
        named = {str(name): plain(part) for name, part in value.items()}
        return named if len(named) == len(value) else {name: plain(part) for name, part in value.items()}
    if hasattr(value, "magnitude") and hasattr(
        value, "units"
    ):  # pint, whose quantities have all methods of numpy's arrays
        return f"{plain(value.magnitude)!r} {value.units}"
    if hasattr(value, "tolist"):  # numpy
        return plain(value.tolist())
    if isinstance(value, Fraction | Decimal):
        return float(value)
    sympy = sys.modules.get("sympy")
    if sympy is not None and isinstance(value, sympy.Basic):
        return int(value) if value.is_Integer else float(value) if value.is_Float else str(value)
    for base in (int, float, str, list, tuple, dict):  # a subclass, such as a namedtuple or a Counter
        if isinstance(value, base):
            convert: Any = base
            return plain(convert(value))
    return value


def refuse(program: Program, name: str, inputs: Sequence[Inputs]) -> Sequence[Call]:
    """Raise an error: the default runner, so that a missing `runner=` is reported as broken."""
    raise RuntimeError(f"no runner was given for {name}")
