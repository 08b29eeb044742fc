"""Tracing: a reference is run with numbers that remember how they came about, and what they were compared with.

They are no floats and no ints, so nothing works with them behind their back. What is not known as an operation takes the
plain number, and the trace is good for that very number alone from then on.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache
from numbers import Real
from types import BuiltinFunctionType, FunctionType, SimpleNamespace
from typing import Any, NamedTuple

from shardwise.kinds.quantity.trace import Node, argument, node, number
from shardwise.template.references import Function, References
from shardwise.template.results import RESULTS, Results


class Guard(NamedTuple):
    """A comparison that holds on the way that a trace took."""

    first: Node
    relation: str  # one of <, <=, >, >=, ==, !=
    last: Node


class Traced:
    """A number that remembers."""

    def __init__(self, value: int | float, known: Node, guards: dict[tuple[int, str, int], Guard]) -> None:
        self.value, self.node, self.guards = value, known, guards

    def record(self, relation: str, other: Node) -> None:
        """Note a comparison; nothing infinite is gone on with, so one with that tells nothing."""
        if other is not self.node and not (other.is_number and math.isinf(other.value)):
            key = self.node.shape, relation, other.shape
            self.guards.setdefault(key, Guard(self.node, relation, other))

    def pinned(self) -> int | float:
        """The plain number, which the trace is good for alone from now on."""
        self.record("==", number(self.value))
        return self.value

    def become(self, value: Any, known: Node) -> Any:
        """What an operation makes of it."""
        return Traced(value, known, self.guards) if type(value) in (int, float) else value

    def __round__(self, digits: int | None = None) -> Any:
        if digits is not None:
            return round(self.pinned(), digits)
        self.become(self.value, node("rest", self.node, number(1))).record("!=", number(0.5))  # rounded to even
        return self.become(round(self.value), node("floor", node("plus", self.node, number(0.5))))

    def __abs__(self) -> Any:
        return -self if self < 0 else self  # type: ignore[operator]

    def __bool__(self) -> bool:
        self.record("!=" if self.value else "==", number(0))
        return bool(self.value)

    def __hash__(self) -> int:
        return hash(self.pinned())

    def __repr__(self) -> str:
        return repr(self.pinned())

    def __format__(self, how: str) -> str:
        return format(self.pinned(), how)

    def __int__(self) -> int:
        return int(self.pinned())

    def __float__(self) -> float:
        return float(self.pinned())

    def __trunc__(self) -> int:
        return math.trunc(self.pinned())

    def __index__(self) -> int:
        return operator.index(self.pinned())  # type: ignore[arg-type]

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other


Real.register(Traced)


def _plain(value: Any) -> Any:
    return value.value if type(value) is Traced else value


def node_of(value: Any) -> Node:
    """How a number came about; one that does not remember stands for itself."""
    return value.node if type(value) is Traced else number(value)


def _two(name: str, work: Callable[[Any, Any], Any]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """An operation of two numbers, for the left one and for the right one of them."""

    def forward(self: Traced, other: Any) -> Any:
        if type(other) not in _NUMBERS:
            return NotImplemented
        return self.become(work(self.value, _plain(other)), node(name, self.node, node_of(other)))

    def backward(self: Traced, other: Any) -> Any:
        if type(other) not in _NUMBERS:
            return NotImplemented
        return self.become(work(other, self.value), node(name, node_of(other), self.node))

    return forward, backward


_NUMBERS = frozenset((Traced, float, int))
_OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}


def _compared(relation: str, work: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    def compare(self: Traced, other: Any) -> Any:
        if type(other) not in _NUMBERS:
            return NotImplemented
        holds = work(self.value, _plain(other))
        self.record(relation if holds else _OPPOSITE[relation], node_of(other))
        return holds

    return compare


def _floor_divided(self: Traced, other: Any) -> Any:
    if type(other) not in _NUMBERS:
        return NotImplemented
    return self.become(self.value // _plain(other), node("floor", node("over", self.node, node_of(other))))


def _floor_divides(self: Traced, other: Any) -> Any:
    if type(other) not in _NUMBERS:
        return NotImplemented
    return self.become(other // self.value, node("floor", node("over", node_of(other), self.node)))


def _arm(made: Any) -> None:
    """Give a number its operations."""
    for name, method, work in (
        ("plus", "add", operator.add),
        ("minus", "sub", operator.sub),
        ("times", "mul", operator.mul),
        ("over", "truediv", operator.truediv),
        ("power", "pow", operator.pow),
        ("rest", "mod", operator.mod),
    ):
        forward, backward = _two(name, work)
        setattr(made, f"__{method}__", forward)
        setattr(made, f"__r{method}__", backward)
    for relation, method in (("<", "lt"), ("<=", "le"), (">", "gt"), (">=", "ge"), ("==", "eq"), ("!=", "ne")):
        setattr(made, f"__{method}__", _compared(relation, getattr(operator, method)))
    made.__floordiv__, made.__rfloordiv__ = _floor_divided, _floor_divides
    made.__neg__ = lambda self: self.become(-self.value, node("negative", self.node))
    made.__pos__ = lambda self: self
    made.__ceil__ = lambda self: self.become(math.ceil(self.value), node("ceil", self.node))
    made.__floor__ = lambda self: self.become(math.floor(self.value), node("floor", self.node))
    made.is_integer = lambda self: math.floor(self) == self


_arm(Traced)


class _Whole(type):
    """The type `int` for references that are traced: what it makes of a number that remembers remembers, too."""

    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(_plain(value), int)

    def __call__(cls, *given: Any, **named: Any) -> Any:
        if len(given) != 1 or type(given[0]) is not Traced:
            return int(*given, **named)
        value: Any = given[0]
        if isinstance(value.value, int):
            return value
        return math.floor(value) if value >= 0 else -math.floor(-value)


class _Fraction(type):
    """The type `float` likewise."""

    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(_plain(value), float)

    def __call__(cls, *given: Any) -> Any:
        if len(given) != 1 or type(given[0]) is not Traced:
            return float(*given)
        return given[0].become(float(given[0].value), given[0].node)


def _call(name: str) -> Callable[..., Any]:
    work = getattr(math, name)

    def run(value: Any, *more: Any) -> Any:
        if more or type(value) is not Traced:
            return work(value, *more)
        return value.become(work(value.value), node(name, value.node))

    return run


def _isfinite(value: Any) -> bool:
    return math.isfinite(_plain(value))


_TYPES = {"int": _Whole("int", (), {}), "float": _Fraction("float", (), {})}
_CALLS = {name: _call(name) for name in ("log", "log2", "log10", "sqrt", "exp", "cos")}
_MATH = SimpleNamespace(**{**vars(math), **_CALLS, "isfinite": _isfinite})
_BY_THEMSELVES = {
    getattr(math, name): work for name, work in {**_CALLS, "isfinite": _isfinite}.items()
}  # from math import sqrt
_IN_EXPRESSIONS = {
    **_TYPES,
    **{name: work for name, work in _CALLS.items() if name not in ("log", "cos")},
    "ln": _CALLS["log"],
}


class Tracing(References):
    """The references of a bank, run with numbers that remember, and the comparisons that were made on the way."""

    def __init__(self, references: References) -> None:
        super().__init__(references.folder, references.kept)
        self._references = references
        self._guards: dict[tuple[int, str, int], Guard] = {}

    @property
    def guards(self) -> Sequence[Guard]:
        """Each comparison once."""
        return tuple(self._guards.values())

    def values(self, values: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
        """The values of a draw, of which those of these names remember."""
        found = {**values, **_IN_EXPRESSIONS}
        for name in names:
            found[name] = Traced(values[name], argument(name, values[name]), self._guards)
        results = values.get(RESULTS)
        if isinstance(results, Results):
            found[RESULTS] = results.replaced(found)
        return found

    def reference(self, name: str) -> Function:
        function = self._references.reference(name)
        return _remembering(function) if isinstance(function, FunctionType) else function

    def oracle(self, name: str) -> Function:
        return self._references.oracle(name)


@lru_cache(maxsize=1024)
def _remembering(function: FunctionType) -> FunctionType:
    """A copy of a reference whose `math`, `int` and `float` know numbers that remember, as in the functions of its bank that it calls."""
    package = function.__module__.rpartition(".")[0]
    copies: dict[int, dict[str, Any]] = {}  # by the id of a module's names

    def copied(names: dict[str, Any]) -> dict[str, Any]:
        if id(names) not in copies:
            copies[id(names)] = copy = {**_TYPES, **names}
            for name, value in names.items():
                if value is math:
                    copy[name] = _MATH
                elif isinstance(value, BuiltinFunctionType) and value in _BY_THEMSELVES:
                    copy[name] = _BY_THEMSELVES[value]
                elif isinstance(value, FunctionType) and value.__module__.rpartition(".")[0] == package:
                    copy[name] = rebound(value, copied(value.__globals__))
        return copies[id(names)]

    def rebound(given: FunctionType, names: dict[str, Any]) -> FunctionType:
        copy = FunctionType(given.__code__, names, given.__name__, given.__defaults__, given.__closure__)
        copy.__kwdefaults__ = given.__kwdefaults__
        return copy

    return rebound(function, copied(function.__globals__))
