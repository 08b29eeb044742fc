"""The wire format of values: how a notebook's variables leave the sandbox and a grader's inputs enter it.

It is JSON, except that a dict is written as {"d": [[key, value], ...]} so that keys keep their types. Values from the sandbox
may be forged, so `unpack` accepts only data that `pack` could have produced.
"""

from __future__ import annotations

import builtins
import json
import re
import sys
from typing import Any

globals()["__builtins__"] = vars(
    builtins
).copy()  # so that a notebook that patches the shared ones does not break this module

MAX_DEPTH = 20
MAX_ELEMENTS = 10_000  # in one list or dict
MAX_ELEMENTS_ALTOGETHER = 100_000
MAX_CHARACTERS = 100_000
MAX_INT_DIGITS = 4000  # below Python's own limit of 4300 on reading an int from text
_MAX_INT_BITS = 13_288  # bits of 10**4000
_MAX_JSON_DEPTH = 3 * MAX_DEPTH + 20  # a dict takes three levels, and the frame around a value a few
# The closing quote is optional: if it were required, the search would restart at each quote inside, in quadratic time.
_STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"?', re.DOTALL)
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))


class Unpackable(Exception):
    """A value cannot be packed; the message says why."""


# Escapes lone surrogates, so that the bytes always decode. Data made by `pack` cannot contain itself.
_encoder = json.JSONEncoder(separators=(",", ":"), check_circular=False)


def to_text(data: object) -> str:
    """Return JSON data as text without spaces."""
    return _encoder.encode(data)


def pack(value: Any) -> object:
    """Return a value as JSON data. Raises Unpackable."""
    try:
        return _pack(value, 0, _Budget())
    except RecursionError:
        raise Unpackable("nested too deeply") from None


class _Budget:
    left = MAX_ELEMENTS_ALTOGETHER

    def spend(self, count: int) -> None:
        self.left -= count
        if count > MAX_ELEMENTS or self.left < 0:
            raise Unpackable(f"more than {MAX_ELEMENTS:,} elements")


def _pack(value: Any, depth: int, budget: _Budget) -> object:
    kind = type(value)
    if value is ...:  # a part of a form without an answer
        return None
    if value is None or kind is bool or kind is float:
        return value
    if kind is int:
        return _checked_int(value)
    if kind is str:
        return _checked_str(value)
    if depth >= MAX_DEPTH:
        raise Unpackable(f"nested more than {MAX_DEPTH} levels deep")
    if kind is list or kind is tuple:
        budget.spend(len(value))
        return [_pack(element, depth + 1, budget) for element in value]
    if kind is dict:
        budget.spend(len(value))
        pairs = [[_pack_key(key), _pack(element, depth + 1, budget)] for key, element in value.items()]
        return {"d": pairs}
    return _pack(_plain(value), depth, budget)


def _pack_key(key: Any) -> object:
    plain = key if type(key) in (int, str, float, bool, type(None)) else _plain(key)
    if isinstance(plain, (list, tuple, dict)):
        raise Unpackable(f"a dict with a key of type {type(key).__name__}")
    return _pack(plain, MAX_DEPTH, _Budget())


def _plain(value: Any) -> object:
    """Return the closest built-in value to a value of another type."""
    numpy, sympy = sys.modules.get("numpy"), sys.modules.get("sympy")
    if numpy is not None and isinstance(value, numpy.ndarray):
        return _from_array(value)
    if numpy is not None and isinstance(value, numpy.generic):
        return _converted(value.item(), value)
    if sympy is not None and isinstance(value, sympy.Basic):
        return _from_sympy(sympy, value)
    pint = sys.modules.get("pint")
    if pint is not None and isinstance(value, pint.Quantity):
        return f"{_bare(value.magnitude)!r} {value.units}"
    for module, name in (("fractions", "Fraction"), ("decimal", "Decimal")):
        kind = getattr(sys.modules.get(module), name, None)
        if kind is not None and isinstance(value, kind):
            return _converted(float(value), value)
    for base in (int, float, str, list, tuple, dict):  # subclasses, such as a namedtuple or a Counter
        if isinstance(value, base):
            convert: Any = base
            return _converted(convert(value), value)
    raise Unpackable(f"a value of type {type(value).__name__}")


def _bare(number: Any) -> object:
    """Return a number as a built-in type."""
    return number if type(number) in (int, float) else _plain(number)


def _converted(plain: object, original: object) -> object:
    """Return the result of a conversion. Raises Unpackable if its type is not built-in either, to avoid endless conversion."""
    if type(plain) in (bool, int, float, str, list, tuple, dict):
        return plain
    raise Unpackable(f"a value of type {type(original).__name__}")


def _from_array(array: Any) -> object:
    if array.size > MAX_ELEMENTS_ALTOGETHER:
        raise Unpackable(f"more than {MAX_ELEMENTS_ALTOGETHER:,} elements")
    return array.tolist() if array.ndim else _converted(array.item(), array)


def _from_sympy(sympy: Any, value: Any) -> object:
    if isinstance(value, sympy.Integer):
        return int(value)
    if isinstance(value, sympy.Float):
        return float(value)
    return str(value)


def _checked_int(value: int) -> int:
    if value.bit_length() > _MAX_INT_BITS:
        raise Unpackable(f"an integer of more than {MAX_INT_DIGITS} digits")
    return value


def _checked_str(value: str) -> str:
    if len(value) > MAX_CHARACTERS:
        raise Unpackable(f"a string of more than {MAX_CHARACTERS:,} characters")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise Unpackable("a string with an incomplete character (a lone surrogate)") from None
    return value


def from_text(text: bytes) -> object:
    """Parse untrusted bytes as JSON data. Raises ValueError if they are not JSON or too deeply nested."""
    if text.count(b"[") + text.count(b"{") > _MAX_JSON_DEPTH and _is_deep(text):
        raise ValueError("nested too deeply")
    plain = text.decode()
    try:
        data, end = _decoder.raw_decode(plain)
    except (RecursionError, MemoryError):  # json raises RecursionError for too many brackets
        raise ValueError("nested too deeply") from None
    if end != len(plain):
        raise ValueError("more than one value")
    return data


def _is_deep(text: bytes) -> bool:
    """Return whether JSON is nested too deeply or has unbalanced brackets.

    This does not use the json module, whose parser could overflow the stack if the recursion limit was raised.
    """
    brackets = _STRING.sub(b"", text).translate(None, _NO_BRACKETS)
    for _ in range(_MAX_JSON_DEPTH):  # each round removes the innermost level
        before = len(brackets)
        brackets = brackets.replace(b"[]", b"").replace(b"{}", b"")
        if len(brackets) == before:
            break
    return bool(brackets)


def _read_int(digits: str) -> int:
    if len(digits) > MAX_INT_DIGITS + 1:
        raise ValueError("an integer with too many digits")
    return int(digits)


_decoder = json.JSONDecoder(parse_int=_read_int)


def unpack(data: object) -> object:
    """Return the value that `pack` packed. Raises ValueError for data that `pack` would not produce."""
    try:
        return _unpack(data, 0, _Budget())
    except Unpackable as refused:
        raise ValueError(str(refused)) from None


def _unpack(data: object, depth: int, budget: _Budget) -> object:
    if data is None or isinstance(data, (bool, float)):
        return data
    if isinstance(data, int):
        return _checked_int(data)
    if isinstance(data, str):
        return _checked_str(data)
    if depth >= MAX_DEPTH:
        raise ValueError(f"nested more than {MAX_DEPTH} levels deep")
    if isinstance(data, list):
        budget.spend(len(data))
        return [_unpack(element, depth + 1, budget) for element in data]
    return {_unpack_key(key): _unpack(element, depth + 1, budget) for key, element in _pairs(data, budget)}


def _pairs(data: object, budget: _Budget) -> list[list[object]]:
    pairs = data.get("d") if isinstance(data, dict) and len(data) == 1 else None
    if not isinstance(pairs, list) or not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
        raise ValueError("an object that is not a packed dict")
    budget.spend(len(pairs))
    return pairs


def _unpack_key(key: object) -> object:
    return _unpack(key, MAX_DEPTH, _Budget())
