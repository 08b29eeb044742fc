"""An answer means the same in practice and in grading: whatever type a notebook gave it."""

from __future__ import annotations

import math
from collections import Counter, namedtuple
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pint
import pytest
import sympy

from shardwise.kinds.calls import Made, call_once, is_value_error, plain
from shardwise.sandbox.inside import wire_format
from shardwise.sandbox.inside.notebook import _describe, _rejects_keywords, _run_guarded
from shardwise.student.running.in_a_thread import run_limited
from shardwise.units import read

Pair = namedtuple("Pair", "low high")
VALUES: list[Any] = [
    7, 1.75, True, None, "1.75 GB", [1, (2, 3)], {"line": 2, "input": {"gpus": 8}},
    np.float64(1.75), np.int64(7), np.bool_(True), np.array([1, 2]), np.array(3.5), [np.float32(0.5)],
    Fraction(7, 4), Decimal("1.75"), sympy.Integer(7), sympy.Float(1.75), sympy.Rational(7, 4), sympy.Symbol("M") * 2,
    Pair(1, 2), Counter("a"),
]  # fmt: skip


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_practice_takes_a_value_for_what_the_sandbox_hands_out(value: Any) -> None:
    handed_out = wire_format.unpack(wire_format.pack(value))
    assert plain(value) == handed_out
    assert type(plain(value)) is type(handed_out)


@pytest.mark.parametrize("written", ["1.75 GB", "7/4 GB", "1750 MB"])
def test_a_quantity_of_pint_is_the_same_in_both(written: str) -> None:
    registry = pint.UnitRegistry()
    value = registry.Quantity(Fraction(7, 4), "GB") if "/" in written else registry.Quantity(written)
    handed_out = wire_format.unpack(wire_format.pack(value))
    assert plain(value) == handed_out
    assert math.isclose(read(handed_out, "GB").value, 1.75e9)


class OwnError(ValueError):
    """What a student may raise where a ValueError is asked for."""


def _raises(kind: type[Exception]) -> Any:
    def function(n: int) -> None:
        raise kind("n is negative")

    return function


@pytest.mark.parametrize(
    ("kind", "counts"), [(ValueError, True), (OwnError, True), (UnicodeError, True), (KeyError, False)]
)
def test_a_subclass_of_value_error_is_one_in_both(kind: type[Exception], counts: bool) -> None:
    [practised] = run_limited(_raises(kind), "f", [{"n": -1}])
    try:
        _raises(kind)(-1)
    except Exception as error:
        graded = Made("raised", error=_describe(error, "f"))
    assert is_value_error(practised) is is_value_error(graded) is counts


def _keywords(a: int, b: int) -> int:
    return 10 * a + b


def _renamed(x: int, y: int) -> int:
    return 10 * x + y


def _half_renamed(a: int, y: int) -> int:
    return 10 * a + y


def _defaults(x: int, y: int = 3) -> int:
    return 10 * x + y


def _swapped(b: int, a: int) -> int:
    return 10 * a + b


def _starred(*both: int) -> int:
    return 10 * both[0] + both[1]


def _one_too_few(a: int) -> int:
    return a


@pytest.mark.parametrize(
    "function", [_keywords, _renamed, _half_renamed, _defaults, _swapped, _starred, _one_too_few, partial(_renamed)]
)
def test_renamed_arguments_count_the_same_in_both(function: Any) -> None:
    keywords = {"a": 1, "b": 2}
    practised = call_once(function, keywords)
    by_position = _rejects_keywords(function, keywords)
    status, error, value = (
        _run_guarded("f", function, *keywords.values()) if by_position else _run_guarded("f", function, **keywords)
    )
    assert (practised.status, practised.value) == (status or "returned", value)
    assert practised.value == (None if function is _one_too_few else 12)
    if function is _one_too_few:
        for said in (practised.error, error):
            assert "_one_too_few() takes 1 positional argument but 2 were given" in said
