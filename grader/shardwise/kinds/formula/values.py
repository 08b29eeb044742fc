"""Values: a formula at a point, in floats."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from shardwise.kinds.formula.tree import ARITHMETIC, Node, bare, terms

WHOLE = 1e-9  # relative: as near as this to a whole number, ceil and floor take it for that number


def value_at(tree: Node, point: Mapping[str, float]) -> float:
    """The value at a point; nan where undefined, infinite where it is beyond all floats."""
    try:
        return _work(tree)(point)
    except OverflowError:
        return math.inf
    except (ValueError, ZeroDivisionError):
        return math.nan


def _work(node: Node) -> Callable[[Mapping[str, float]], float]:
    """The function that works a node out, made once for each: a formula is worked out at many points."""
    made = vars(node)
    if "work" not in made:
        made["work"] = _made(bare(node))
    work: Callable[[Mapping[str, float]], float] = made["work"]
    return work


def _made(node: Node) -> Callable[[Mapping[str, float]], float]:
    if node.kind == "number":
        value = float(node.value)
        return lambda point: value
    if node.kind == "symbol":
        return lambda point: float(point.get(node.name, math.nan))
    if node.kind in ("plus", "minus"):  # of the whole sum at once: nothing is lost where large terms cancel
        signed = [(sign, _work(term)) for sign, term in terms(node)]
        return lambda point: math.fsum([sign * work(point) for sign, work in signed])
    parts = [_work(part) for part in node.parts]
    combine = ARITHMETIC.get(node.kind) or (_CALLS[node.name] if node.kind == "call" else _power)

    def work(point: Mapping[str, float]) -> float:
        values = [part(point) for part in parts]
        if any(map(math.isnan, values)):  # or min, max and 1^x would lose it
            return math.nan
        return float(combine(*values))

    return work


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
}
