"""An answer means the same in practice and in grading: whatever type a notebook gave it."""

from __future__ import annotations

from collections import Counter, namedtuple
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy

from shardwise.kinds.calls import plain
from shardwise.sandbox.inside import wire_format

Pair = namedtuple("Pair", "low high")
VALUES: list[Any] = [
    7, 1.75, True, None, "1.75 GB", [1, (2, 3)], {"line": 2, "input": {"gpus": 8}},
    np.float64(1.75), np.int64(7), np.bool_(True), np.array([1, 2]), np.array(3.5), [np.float32(0.5)],
    Fraction(7, 4), Decimal("1.75"), sympy.Integer(7), sympy.Float(1.75), sympy.Rational(7, 4), sympy.Symbol("M") * 2,
    Pair(1, 2), Counter("a"),
]  # fmt: skip


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_practice_takes_a_value_for_what_the_sandbox_hands_out(value: Any) -> None:
    handed_out = wire_format.round_trip(value)
    assert plain(value) == handed_out
    assert type(plain(value)) is type(handed_out)
