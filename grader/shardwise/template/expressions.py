"""Expressions and prose in templates: sandboxed Jinja2 with the drawn numbers.

Expressions (`where`, `derived`, the values of mistakes) see plain base-unit numbers. Prose (prompts, hints, solutions)
sees the same numbers as `ShownInt` and `ShownFloat`, which print themselves in the unit that the author gave.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache, lru_cache
from typing import Any

import jinja2
from jinja2.sandbox import SandboxedEnvironment

from shardwise.errors import ShardwiseError
from shardwise.template.references import UNITS
from shardwise.units import THIN_SPACE, TRIGONOMETRY, Direction, lowered, qualified, regrouped, show_amount, show_number


class ShownInt(int):
    """An integer in base units that prints itself in its author's unit."""

    text: str

    def __str__(self) -> str:
        return self.text


class ShownFloat(float):
    """A float in base units that prints itself in its author's unit."""

    text: str

    def __str__(self) -> str:
        return self.text


def number_in_unit(value: Any, unit_text: str | None, direction: Direction = "none") -> Any:
    """Return a number in base units that prints itself in `unit_text`; return any other value unchanged."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    number = ShownInt(value) if isinstance(value, int) else ShownFloat(value)
    number.text = show_amount(value, unit_text or "", direction)
    return number


def _finalize(value: Any) -> Any:
    """Return what `{{ value }}` prints: a number in its author's unit, or with four digits if it has no unit."""
    if isinstance(value, ShownInt | ShownFloat):
        return value.text
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    return show_number(value)


def _tex(value: Any) -> str:
    """Return a number, with its unit if it has one, as TeX for use between dollar signs."""
    text = str(_finalize(value))
    number, _, unit_text = text.partition(" ") if " × " not in text else text.partition("\0")
    if " × 10" in number:
        mantissa, _, power = number.partition(" × 10")
        exponent, _, unit_text = power.partition(" ")
        number = rf"{mantissa} \times 10^{{{lowered(exponent)}}}"
    number = number.replace("°", r"^\circ").replace(THIN_SPACE, r"\,").replace("$", r"\$").replace("%", r"\%")
    return number + (rf"\,\text{{{unit_text.replace('%', chr(92) + '%')}}}" if unit_text else "")


@jinja2.pass_context
def _in_unit(context: jinja2.runtime.Context, value: float, unit_text: str, digits: int = 4) -> str:
    return show_amount(value, qualified(unit_text, context.get(UNITS, "")), digits=_digits(digits))


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "sqrt": math.sqrt, "log2": math.log2, "log10": math.log10, "ln": math.log, "exp": math.exp,
    "ceil": math.ceil, "floor": math.floor, "round": round, "abs": abs, "min": min, "max": max,
    "int": int, "float": float, "sum": sum, **TRIGONOMETRY,
}  # fmt: skip


_MOST_BITS = 4_096  # in a power; more than 1,000 digits
_MOST_CHARACTERS = 100_000  # in a text, and elements in a list; the longest prompt in the shipped bank has under 5,000
_WIDE = re.compile(r"%(\(\w*\))?[-+ #0.\d]*(\d{4}|\*)")  # in a format string for %
_MOST_DIGITS = 17  # a float has at most 17
# What a template can use: nothing that makes a long value out of a large number, as "x".center(10**9) does.
_FILTERS = (
    "abs", "capitalize", "default", "first", "float", "int", "join", "last", "length", "list", "lower", "max", "min", "replace",
    "reverse", "round", "sort", "string", "sum", "title", "trim", "unique", "upper",
)  # fmt: skip
_METHODS: Mapping[type, Collection[str]] = {
    str: (
        "capitalize", "casefold", "count", "endswith", "find", "index", "isdigit", "islower", "isupper", "join", "lower",
        "lstrip", "partition", "removeprefix", "removesuffix", "replace", "rfind", "rpartition", "rsplit", "rstrip", "split",
        "startswith", "strip", "swapcase", "title", "upper",
    ),
    int: ("bit_count", "bit_length", "denominator", "numerator"),
    float: ("is_integer",),
    list: ("count", "index"),
    tuple: ("count", "index"),
    dict: ("get", "items", "keys", "values"),
}  # fmt: skip


class _Environment(SandboxedEnvironment):
    """Jinja's sandbox with bounded values: 9**9**9 would not end, and "x" * 10**9 would use up the memory."""

    intercepted_binops = frozenset(["**", "*", "%", "+"])

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        if operator == "**":
            if isinstance(left, int) and isinstance(right, int) and abs(right) * left.bit_length() > _MOST_BITS:
                raise ShardwiseError("a power in this expression has thousands of digits")
            return left**right
        if operator == "*":
            if isinstance(left, str | list | tuple) and isinstance(right, int):
                _bounded(len(left) * right)
            elif isinstance(right, str | list | tuple) and isinstance(left, int):
                _bounded(len(right) * left)
            return left * right
        if operator == "+":
            if isinstance(left, str | list | tuple):
                _bounded(len(left) + len(right))
            return left + right
        if isinstance(left, str) and _WIDE.search(left):
            raise ValueError("% formats cannot have a width of four digits or *")
        return left % right

    def wrap_str_format(self, value: Any) -> None:
        """Leave str.format to is_safe_attribute, which rejects it."""

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        known = next((methods for kind, methods in _METHODS.items() if isinstance(obj, kind)), None)
        return (known is None or attr in known) and super().is_safe_attribute(obj, attr, value)


def _bounded(length: int) -> None:
    if length > _MOST_CHARACTERS:
        raise OverflowError(
            f"this makes a value of {length:,} characters or elements, but the limit is {_MOST_CHARACTERS:,}"
        )


def _digits(digits: int) -> int:
    if not 0 <= digits <= _MOST_DIGITS:
        raise ValueError(f"a number can be shown with up to {_MOST_DIGITS} digits, not {digits}")
    return digits


@cache
def _environment() -> SandboxedEnvironment:
    environment = _Environment(
        undefined=jinja2.StrictUndefined, autoescape=False, keep_trailing_newline=False, finalize=_finalize
    )
    environment.globals = {"range": environment.globals["range"], "dict": dict, "pi": math.pi, **FUNCTIONS}
    environment.filters = {name: environment.filters[name] for name in _FILTERS}
    environment.filters["unit"] = _in_unit
    environment.filters["number"] = lambda value, digits=4: show_number(value, _digits(digits))
    environment.filters["percent"] = lambda value, digits=3: f"{show_number(100 * value, _digits(digits))} %"
    environment.filters["tex"] = _tex
    return environment


class BadExpression(ShardwiseError):
    """An expression or a text in a template that cannot be evaluated; its author has to fix it.

    `written` is the author's text, which locates it in the file.
    """

    def __init__(self, why: str, written: str) -> None:
        super().__init__(why)
        self.written = written


@lru_cache(maxsize=8192)
def _compiled(source: str) -> Callable[[Mapping[str, Any]], Any]:
    try:
        return _environment().compile_expression(source, undefined_to_none=False)
    except jinja2.TemplateSyntaxError as error:
        raise BadExpression(f"“{source}” is not an expression: {error.message}", source) from None


@lru_cache(maxsize=8192)
def _prose(source: str) -> jinja2.Template:
    try:
        return _environment().from_string(source)
    except jinja2.TemplateSyntaxError as error:
        raise BadExpression(f"line {error.lineno} of this text: {error.message}", source) from None


# Exceptions of an expression or a text for unsuitable numbers
_BAD_HERE = (
    jinja2.TemplateError, ArithmeticError, AttributeError, LookupError, MemoryError, RecursionError, TypeError, ValueError,
)  # fmt: skip


def evaluate(source: str | int | float | bool, names: Mapping[str, Any]) -> Any:
    """Return the value of an expression over numbers in base units.

    >>> evaluate("2 * message_bytes * (hosts - 1) / hosts", {"message_bytes": 1e9, "hosts": 8})
    1750000000.0

    Raises BadExpression for an unknown name, a division by zero, or text that is not an expression.
    """
    if not isinstance(source, str):
        return source
    try:
        value = _compiled(source)(names)
    except _BAD_HERE as error:
        raise BadExpression(f"“{source}” has no value here: {str(error) or type(error).__name__}", source) from None
    if isinstance(value, jinja2.Undefined):
        raise BadExpression(f"“{source}” is not one of {', '.join(sorted(filter(str.isidentifier, names)))}.", source)
    return value


def is_true(condition: str | bool, names: Mapping[str, Any]) -> bool:
    """Return whether a condition holds for these numbers. Raises BadExpression, also if it gives text or a list.

    >>> is_true("hosts > 4 and hosts % 2", {"hosts": 7})
    True
    """
    value = evaluate(condition, names)
    if value is None or isinstance(value, Collection):  # in Python, any non-empty text is true
        raise BadExpression(f"“{condition}” gives {value!r:.40} here, which is neither true nor false", str(condition))
    return bool(value)


def prose(source: str, names: Mapping[str, Any]) -> str:
    """Render prose and format all numbers alike: an author's 16,384 looks like a drawn number.

    >>> prose("{{ hosts }} of 16,384 hosts", {"hosts": 22016}).split(THIN_SPACE)
    ['22', '016 of 16', '384 hosts']

    Raises BadExpression.
    """
    return regrouped(with_values(source, names))


def with_values(source: str, names: Mapping[str, Any]) -> str:
    """Fill in a text that is not prose, such as a formula.

    >>> with_values("{{ hosts }} hosts send {{ (1.75e9) | unit('GB') }} each", {"hosts": 1875})
    '1875 hosts send 1.75 GB each'

    Raises BadExpression.
    """
    if "{" not in source:  # nothing to fill in, as in most hints and in the feedback for most mistakes
        return source.strip()
    try:
        return _joined(_prose(source).generate(names)).strip()
    except (*_BAD_HERE, ShardwiseError) as error:  # a ShardwiseError of `unit` or `ref` has no place
        raise BadExpression(f"this text cannot be rendered: {str(error) or type(error).__name__}", source) from None


def _joined(pieces: Iterable[str]) -> str:
    found, length = [], 0
    for piece in pieces:
        length += len(piece)
        _bounded(length)
        found.append(piece)
    return "".join(found)


def check_syntax(source: str, *, is_prose: bool) -> None:
    """Raise BadExpression if `source` is not an expression, or not prose if `is_prose`."""
    if is_prose:
        if "{" in source:  # otherwise there is nothing to compile
            _prose(source)
    else:
        _compiled(source)
