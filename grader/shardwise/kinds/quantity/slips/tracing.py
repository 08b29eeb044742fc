"""Tracing: running a reference with numbers that record how they were computed, and with what they were compared.

They are neither floats nor ints, so no operation goes unnoticed. An unknown operation gets the plain number, and from
then on the trace is valid for that number only. The numbers decide which branch is taken, so each draw has its own
trace; most draws of a problem have the same one.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache, partial
from numbers import Real
from types import BuiltinFunctionType, FunctionType, SimpleNamespace
from typing import Any, NamedTuple

from shardwise.kinds.quantity.slips.expressions import FUNCTIONS, TracedNode, argument, node, number, traced_nodes
from shardwise.template.expressions import evaluate
from shardwise.template.references import Function, References, keywords
from shardwise.template.results import RESULTS, Results


class Guard(NamedTuple):
    """A comparison that held during a trace."""

    first: TracedNode
    relation: str  # one of <, <=, >, >=, ==, !=
    last: TracedNode


Guards = dict[tuple[int, str, int], Guard]  # each comparison once, by its operands


class Traced:
    """A number that records its operations."""

    __slots__ = ("guards", "node", "value")

    def __init__(self, value: int | float, known: TracedNode, guards: Guards | None) -> None:
        self.value, self.node, self.guards = value, known, guards

    def record(self, relation: str, other: TracedNode) -> None:
        """Record a comparison if guards are kept. Comparisons with infinity mean nothing, since no result is infinite."""
        if self.guards is None:
            return
        if other is not self.node and not (other.is_number and math.isinf(other.value)):
            key = self.node.shape, relation, other.shape
            self.guards.setdefault(key, Guard(self.node, relation, other))

    def pinned(self) -> int | float:
        """Return the plain number, for which alone the trace is valid from now on."""
        self.record("==", number(self.value))
        return self.value

    def become(self, value: Any, known: TracedNode) -> Any:
        """Return the result of an operation, traced if it is a number."""
        return Traced(value, known, self.guards) if type(value) in (int, float) else value

    def __round__(self, digits: int | None = None) -> Any:
        if digits is not None:
            return round(self.pinned(), digits)
        self.become(self.value, node("rest", self.node, number(1))).record("!=", number(0.5))  # rounded to even
        return self.become(round(self.value), node("round", self.node))

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


def _pinned(value: Any) -> Any:
    return value.pinned() if type(value) is Traced else value


def node_of(value: Any) -> TracedNode:
    """Return the expression of a number; a plain number is a constant."""
    return value.node if type(value) is Traced else number(value)


Build = Callable[[TracedNode, TracedNode], TracedNode]


def _operation(work: Callable[[Any, Any], Any], build: Build, *, is_turned: bool = False) -> Callable[..., Any]:
    """Return an operation of two numbers, as a method of the left one or of the right one."""

    def run(self: Traced, other: Any) -> Any:
        first, last = (other, self) if is_turned else (self, other)
        if type(other) not in _NUMBERS:
            return work(_pinned(first), _pinned(last)) if type(other) is Fraction else NotImplemented
        return self.become(work(_plain(first), _plain(last)), build(node_of(first), node_of(last)))

    return run


_NUMBERS = frozenset((Traced, float, int))
_OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}


def _compared(relation: str, work: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    def compare(self: Traced, other: Any) -> Any:
        if type(other) not in _NUMBERS:
            return work(self.pinned(), other) if type(other) is Fraction else NotImplemented
        holds = work(self.value, _plain(other))
        self.record(relation if holds else _OPPOSITE[relation], node_of(other))
        return holds

    return compare


def _floor_of_ratio(above: TracedNode, below: TracedNode) -> TracedNode:
    return node("floor", node("over", above, below))


def _arm(made: Any) -> None:
    """Give a number its operations."""
    for name, method in (("plus", "add"), ("minus", "sub"), ("times", "mul"), ("over", "truediv"), ("power", "pow"),
                         ("rest", "mod"), ("floor", "floordiv")):  # fmt: skip
        work = getattr(operator, method)
        build: Build = _floor_of_ratio if name == "floor" else partial(node, name)
        setattr(made, f"__{method}__", _operation(work, build))
        setattr(made, f"__r{method}__", _operation(work, build, is_turned=True))
    for relation, method in (("<", "lt"), ("<=", "le"), (">", "gt"), (">=", "ge"), ("==", "eq"), ("!=", "ne")):
        setattr(made, f"__{method}__", _compared(relation, getattr(operator, method)))
    made.__neg__ = lambda self: self.become(-self.value, node("negative", self.node))
    made.__pos__ = lambda self: self
    made.__ceil__ = lambda self: self.become(math.ceil(self.value), node("ceil", self.node))
    made.__floor__ = lambda self: self.become(math.floor(self.value), node("floor", self.node))
    made.is_integer = lambda self: math.floor(self) == self


_arm(Traced)


def _type_like(plain: type, make: Callable[[Any], Any]) -> type:
    """Return a type for traced references that converts plain numbers as usual and keeps the trace of others."""

    class Meta(type):
        def __instancecheck__(cls, value: Any) -> bool:
            return isinstance(_plain(value), plain)

        def __call__(cls, *given: Any, **named: Any) -> Any:
            if len(given) == 1 and type(given[0]) is Traced:
                return make(given[0])
            return plain(*map(_pinned, given), **named)

    return Meta(plain.__name__, (), {})


def _whole(value: Any) -> Any:
    if isinstance(value.value, int):
        return value
    return math.floor(value) if value >= 0 else -math.floor(-value)


def _call(name: str) -> Callable[..., Any]:
    work = getattr(math, name)

    def run(value: Any, *more: Any) -> Any:
        if more or type(value) is not Traced:
            return work(value, *more)
        return value.become(work(value.value), node(name, value.node))

    return run


def _isfinite(value: Any) -> bool:
    return math.isfinite(_plain(value))


_FRACTION = _type_like(Fraction, lambda value: Fraction(value.pinned()))
_TYPES = {
    "int": _type_like(int, _whole),
    "float": _type_like(float, lambda value: value.become(float(value.value), value.node)),
}
_CALLS = {name: _call(name) for name in FUNCTIONS}
_MATH = SimpleNamespace(**{**vars(math), **_CALLS, "isfinite": _isfinite})
_BY_THEMSELVES = {
    getattr(math, name): work for name, work in {**_CALLS, "isfinite": _isfinite}.items()
}  # from math import sqrt
_IN_EXPRESSIONS = {
    **_TYPES,
    **{name: work for name, work in _CALLS.items() if name != "log"},
    "ln": _CALLS["log"],
}


class Tracing(References):
    """The references of a bank, run with traced numbers, and the comparisons made during the run.

    Without guards, no comparison is kept, and default values are also arguments of the trace.
    """

    def __init__(self, references: References, *, guards: bool = True) -> None:
        super().__init__(references.folder, references.units)
        self._references = references
        self._guards: Guards | None = {} if guards else None

    @property
    def guards(self) -> Sequence[Guard]:
        """Each comparison once."""
        return tuple((self._guards or {}).values())

    def values(self, values: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
        """Return the values of a draw, with the numbers of these names traced."""
        found = {**values, **_IN_EXPRESSIONS}
        for name in names:
            found[name] = _argument(name, values[name], self._guards)
        results = values.get(RESULTS)
        if isinstance(results, Results):
            found[RESULTS] = results.replaced(found)
        return found

    def reference(self, name: str) -> Function:
        function = self._references.reference(name)
        if not isinstance(function, FunctionType):
            return function
        return _remembering(function, defaults=self._guards is None)

    def oracle(self, name: str) -> Function:
        return self._references.oracle(name)


def _argument(name: str, value: Any, guards: Guards | None) -> Any:
    return Traced(value, argument(name, value), guards) if type(value) in (int, float) else value


@lru_cache(maxsize=1024)
def _remembering(function: FunctionType, *, defaults: bool) -> FunctionType:
    """Return a copy of a reference whose `math`, `int` and `float` accept traced numbers, as in the functions of its bank that it calls.

    Its defaults may be traced, too, except a default of 0, which stands for a feature that the question does not use.
    """
    package = function.__module__.partition(".")[0]
    copies: dict[int, dict[str, Any]] = {}  # by the id of a module's names

    def copied(names: dict[str, Any]) -> dict[str, Any]:
        if id(names) not in copies:
            copies[id(names)] = copy = {**_TYPES, **names}
            for name, value in names.items():
                if value is math:
                    copy[name] = _MATH
                elif value is Fraction:
                    copy[name] = _FRACTION
                elif isinstance(value, BuiltinFunctionType) and value in _BY_THEMSELVES:
                    copy[name] = _BY_THEMSELVES[value]
                elif isinstance(value, FunctionType) and value.__module__.partition(".")[0] == package:
                    copy[name] = rebound(value, copied(value.__globals__))
        return copies[id(names)]

    def rebound(given: FunctionType, names: dict[str, Any]) -> FunctionType:
        copy = FunctionType(given.__code__, names, given.__name__, given.__defaults__, given.__closure__)
        copy.__kwdefaults__ = given.__kwdefaults__
        if defaults and given.__kwdefaults__:
            copy.__kwdefaults__ = {
                name: _argument(name, value, None) if value else value for name, value in given.__kwdefaults__.items()
            }
        return copy

    return rebound(function, copied(function.__globals__))


def traced(references: References, name: str, values: Mapping[str, Any], given: Mapping[str, Any]) -> TracedNode | None:
    """Run a reference on these values, and return its result as an expression of its arguments.

        None if the result is a plain number, as that of a search is, or if the run fails. Never raises, since
    the key does not depend on slips.
    """
    tracing = Tracing(references, guards=False)
    try:
        function = tracing.reference(name)
        read = _names_in(function, tuple(map(str, given.values())))
        known = tracing.values(values, [name for name in values if name in read])
        result = tracing.call(function, known, given)
    except Exception:  # a reference may do anything with its numbers; the key does not depend on this
        return None
    if type(result) is not Traced or _is_taken_for_another(result.node, values):
        return None
    return result.node


def traced_expression(references: References, written: str, values: Mapping[str, Any]) -> TracedNode | None:
    """Evaluate an author's expression on these values, and return its result as an expression of them; None likewise."""
    tracing = Tracing(references, guards=False)
    try:
        read = set(re.findall(rf"\b(?:{RESULTS}\.)?\w+", written))
        known = tracing.values(values, [name for name in values if name in read])
        result = evaluate(written, {**tracing.helpers, **known})
    except Exception:  # as above
        return None
    return result.node if type(result) is Traced else None


def _is_taken_for_another(root: TracedNode, values: Mapping[str, Any]) -> bool:
    """Return whether a function uses the default of an argument although the question has a parameter of that name."""
    leaves = (here for here in traced_nodes(root) if here.operation == "argument")
    return any(values.get(leaf.name, leaf.value) != leaf.value for leaf in leaves)


@lru_cache(maxsize=1024)
def _names_in(function: Function, expressions: tuple[str, ...]) -> frozenset[str]:
    """Return the names of the values that a call can read: the function's parameters, and the names in the expressions for them."""
    words = re.findall(rf"\b(?:{RESULTS}\.)?\w+", " ".join(expressions))
    return frozenset((*(name for name, _ in keywords(function)), *words))
