"""Values: a formula at a point, in floats."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from shardwise.kinds.formula.tree import ARITHMETIC, Node, bare, terms
from shardwise.units import TRIGONOMETRY

WHOLE = 1e-9  # relative; ceil and floor treat a number this close to a whole one as that number


def value_at(tree: Node, point: Mapping[str, float]) -> float:
    """Return the value at a point; nan if undefined, infinite if larger than any float."""
    try:
        return _value(tree, point)
    except OverflowError:
        return math.inf
    except (ValueError, ZeroDivisionError):
        return math.nan


def _value(node: Node, point: Mapping[str, float]) -> float:
    node = bare(node)
    if node.kind == "number":
        return float(node.value)
    if node.kind == "symbol":
        return float(point.get(node.name, math.nan))
    if node.kind in ("plus", "minus"):  # sums all terms at once, so that nothing is lost if large terms cancel
        return math.fsum([sign * _value(term, point) for sign, term in terms(node)])
    values = [_value(part, point) for part in node.parts]
    if any(map(math.isnan, values)):  # since min, max and 1^x would lose it
        return math.nan
    combine = ARITHMETIC.get(node.kind) or (_CALLS[node.name] if node.kind == "call" else _power)
    return float(combine(*values))


def _power(base: float, exponent: float) -> float:
    power: Any = base**exponent
    return power if isinstance(power, float) else math.nan  # a root of a negative number is complex


def _rounded(towards: Callable[[float], int]) -> Callable[[float], float]:
    def rounding(value: float) -> float:
        near = round(value)
        return float(near if math.isclose(value, near, rel_tol=WHOLE, abs_tol=WHOLE) else towards(value))

    return rounding


_CALLS: Mapping[str, Callable[..., float]] = {
    "sqrt": math.sqrt,
    "log2": math.log2,
    "ln": math.log,
    "log10": math.log10,
    "exp": math.exp,
    "ceil": _rounded(math.ceil),
    "floor": _rounded(math.floor),
    "abs": abs,
    "min": min,
    "max": max,
    **TRIGONOMETRY,
}
