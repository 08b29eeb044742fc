"""Formulas: read, evaluated and compared; two that agree everywhere are one, however they are written.

A formula is a rational function of its symbols and of calls such as log2(N), which sympy only ever sees as names of
unknown functions. So it does rational arithmetic and nothing else, and that is bounded by the weight of a formula.
"""

from __future__ import annotations

import hashlib
import math
import operator
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

from shardwise.kinds.formula.advice import quoted
from shardwise.kinds.formula.notation import LARGEST_EXPONENT, FormulaError, Node, read

if TYPE_CHECKING:
    import sympy

__all__ = ["CounterExample", "FormulaError", "difference", "evaluate", "parse"]

AGREEMENT = 1e-9  # relative, between two formulas at a point
HEAVIEST = 4096  # bits of numbers and exponents of symbols, taken together
PRIME = 2**61 - 1  # formulas are compared exactly in whole numbers modulo this
WHOLE = 1e-9  # relative: as near as this to a whole number, ceil and floor take it for that number


@dataclass(frozen=True)
class CounterExample:
    """A point at which two formulas differ, and what each gives there; nan where one is undefined."""

    point: Mapping[str, float]
    theirs: float
    ours: float


def parse(text: str, symbols: Collection[str]) -> sympy.Expr:
    """A formula as a sympy expression. Raises FormulaError, for the student, and nothing else.

    >>> parse("t = 2M(N-1)/N", ("M", "N"))
    2*M*(N - 1)/N
    """
    expression, _ = _built(read(text, symbols), text)
    return expression


def _sympy() -> Any:
    """Sympy, imported when a formula is read and not before; half of its functions are untyped."""
    import sympy

    return sympy


def _built(node: Node, text: str) -> tuple[sympy.Expr, int]:
    """The expression of a node, and its weight: a bound on the bits of any number that arithmetic with it can need."""
    sympy = _sympy()
    if node.kind == "number":
        value = node.value
        weight = value.numerator.bit_length() + value.denominator.bit_length()
        return sympy.Rational(value.numerator, value.denominator), weight
    if node.kind == "symbol":
        # Without assumptions: to find the sign of a sum of positive symbols, sympy factors polynomials for minutes.
        return sympy.Symbol(node.name), 1
    if node.kind == "group":
        return _built(node.parts[0], text)
    built = [_built(part, text) for part in node.parts]
    parts = [expression for expression, _ in built]
    weight = 1 + sum(weight for _, weight in built)
    if node.kind == "power":
        if parts[1].is_Integer:
            # Checked before sympy multiplies anything: 9^9^9 must not be worked out to be refused.
            exponent = min(abs(int(parts[1])), HEAVIEST)
            weight = built[0][1] * max(1, exponent) + 1
        _check_power(parts[0], parts[1], text)
    if weight > HEAVIEST:
        raise _refused(text, "its numbers get too large", "Nothing here needs powers like that. Write smaller ones.")
    if node.kind == "over" and parts[1] == 0:
        raise _refused(text, "it divides by zero", "Check what stands below the line.")
    return _combined(node, parts), weight


def _check_power(base: sympy.Expr, exponent: sympy.Expr, text: str) -> None:
    if exponent.is_number and not abs(evaluate(exponent, {})) <= LARGEST_EXPONENT:
        advice = f"I read constant powers up to {LARGEST_EXPONENT}. Write a smaller one."
        raise _refused(text, "I saw too large a power", advice)
    if base == 0 and exponent.is_number and evaluate(exponent, {}) < 0:
        raise _refused(text, "it divides by zero", "Check what stands under the power.")


def _refused(text: str, saw: str, advice: str) -> FormulaError:
    return FormulaError(f"I couldn't read the formula “{quoted(text.strip())}”: {saw}. {advice}")


def _combined(node: Node, parts: list[Any]) -> sympy.Expr:
    if node.kind == "call":
        found = _head(node.name)(*parts)
    elif node.kind == "power" and not parts[1].is_Integer:
        found = _head("sqrt")(parts[0]) if parts[1] == _sympy().S.Half else _head("pow")(*parts)
    else:
        found = _OPERATIONS[node.kind](*parts)
    return cast("sympy.Expr", found)


_OPERATIONS: Mapping[str, Callable[..., Any]] = {
    "plus": operator.add,
    "minus": operator.sub,
    "times": operator.mul,
    "beside": operator.mul,
    "over": operator.truediv,
    "power": operator.pow,
    "negative": operator.neg,
}


@lru_cache(maxsize=32)
def _head(name: str) -> Any:
    """A function that sympy knows by name only; a power prints as one."""
    import sympy
    from sympy.core.function import UndefinedFunction
    from sympy.printing.precedence import PRECEDENCE

    if name != "pow":
        return sympy.Function(name)

    def printed(power: Any, printer: Any) -> str:
        base, exponent = (printer.parenthesize(part, PRECEDENCE["Pow"]) for part in power.args)
        return f"{base}**{exponent}"

    return UndefinedFunction(name, __dict__={"_sympystr": printed, "precedence": PRECEDENCE["Pow"]})


def evaluate(expr: sympy.Expr, point: Mapping[str, float]) -> float:
    """The value at a point in plain floats; nan where undefined, infinite where it is beyond all floats.

    >>> evaluate(parse("ceil(log2(N))", ("N",)), {"N": 5})
    3.0
    """
    try:
        value = _value(expr, point)
    except OverflowError:
        return math.inf
    except (ValueError, ZeroDivisionError):
        return math.nan
    return float(value)


def _value(expr: Any, point: Mapping[str, float]) -> float:
    if expr.is_Rational:
        return float(expr.p / expr.q)
    if expr.is_Symbol:
        return float(point.get(expr.name, math.nan))
    if expr.is_Pow:
        return _value(expr.base, point) ** int(expr.exp)
    if expr.is_Mul:  # divided once at the end, as one would by hand: 1/49*49 is not 1
        above, below = 1.0, 1.0
        for part in expr.args:
            if part.is_Pow and part.exp.is_negative:
                below *= _value(part.base, point) ** int(-part.exp)
            else:
                above *= _value(part, point)
        return above / below
    parts = [_value(part, point) for part in expr.args]
    if any(map(math.isnan, parts)):  # or min and max would lose it
        return math.nan
    return sum(parts) if expr.is_Add else _CALLS[expr.func.__name__](*parts)


def _root(base: float, exponent: float) -> float:
    value = base**exponent
    return value if isinstance(value, float) else math.nan  # a root of a negative number is complex


def _rounded(towards: Callable[[float], int]) -> Callable[[float], float]:
    def rounding(value: float) -> float:
        near = round(value)
        return float(near if math.isclose(value, near, rel_tol=WHOLE, abs_tol=WHOLE) else towards(value))

    return rounding


_CALLS: Mapping[str, Callable[..., Any]] = {
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
    "pow": _root,
}


def difference(theirs: sympy.Expr, ours: sympy.Expr, points: Sequence[Mapping[str, float]]) -> CounterExample | None:
    """The simplest point at which two formulas differ, or None if they are the same formula.

    Equal rational functions are the same, also where one of them divides by zero. All else is decided at the points,
    to 1e-9 relative: formulas that agree at every point count as the same, whatever they do elsewhere. A point where
    both are undefined says nothing; one where only one of them is counts as a difference.
    """
    if _is_same_function(theirs, ours):
        return None
    tried = [
        CounterExample(point, evaluate(theirs, point), evaluate(ours, point)) for point in sorted(points, key=_size)
    ]
    telling = [one for one in tried if math.isfinite(one.theirs) or math.isfinite(one.ours)]
    if not telling:  # no point can tell them apart, so they are not known to be the same
        return tried[0] if tried else CounterExample({}, math.nan, math.nan)
    apart = [one for one in telling if not math.isclose(one.theirs, one.ours, rel_tol=AGREEMENT)]
    defined = [one for one in apart if math.isfinite(one.theirs) and math.isfinite(one.ours)]
    return next(iter([*defined, *apart]), None)


def _size(point: Mapping[str, float]) -> float:
    """How large a point's numbers are: a small example is easier to check by hand."""
    return sum(abs(math.log(abs(value))) if value and math.isfinite(value) else 0.0 for value in point.values())


def _is_same_function(theirs: sympy.Expr, ours: sympy.Expr) -> bool:
    """Whether two formulas are one rational function of their symbols and calls.

    Multiplying out could take for ever, so both are evaluated exactly, modulo a prime, where each symbol and each call
    is a number drawn from its name. Different functions agree there with a probability of degree / prime, below 1e-14.
    """
    try:
        return theirs == ours or all(_residue(theirs, draw) == _residue(ours, draw) for draw in range(2))
    except ValueError:  # a denominator that is zero there: nothing can be said
        return False


def _residue(expr: Any, draw: int) -> int:
    """The value of a formula modulo PRIME. Raises ValueError where it divides by zero."""
    if expr.is_Rational:
        return int(expr.p) * pow(int(expr.q), -1, PRIME) % PRIME
    if expr.is_Symbol:
        return _drawn(draw, expr.name)
    if expr.is_Pow:
        return pow(_residue(expr.base, draw), int(expr.exp), PRIME)
    parts = [_residue(part, draw) for part in expr.args]
    if expr.is_Add or expr.is_Mul:
        return (sum(parts) if expr.is_Add else math.prod(parts)) % PRIME
    name = expr.func.__name__
    return _drawn(draw, name, *(sorted(parts) if name in ("min", "max") else parts))


def _drawn(*identity: object) -> int:
    """The same number for the same identity, in every process."""
    return int.from_bytes(hashlib.sha256(repr(identity).encode()).digest()) % PRIME
