"""Traces: what a reference computed, as an expression of its arguments, so that slips in it can be worked out.

The reference is run with numbers that remember how they came about. Branches are taken as the numbers decide, so each draw
has a trace of its own; most draws of a problem have the same one.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from types import FunctionType, SimpleNamespace
from typing import Any, NamedTuple

from shardwise.template.references import References, keywords
from shardwise.template.results import RESULTS, Results


class Node(NamedTuple):
    """One operation of a trace and what it works on; a leaf is an argument by its name, or a number."""

    operation: str
    parts: tuple[Node, ...]
    name: str
    value: float
    shape: int  # the same for two traces that are the same expression, whatever their arguments are

    @property
    def is_number(self) -> bool:
        """Whether it is a number that stands in the reference itself."""
        return self.operation == "number"


def argument(name: str, value: float) -> Node:
    """A leaf: an argument and the value it has here."""
    return Node("argument", (), name, value, hash(name))


def number(value: float) -> Node:
    """A leaf: a number."""
    return Node("number", (), "", value, hash(value))


ONE = number(1)


def node(operation: str, *parts: Node) -> Node:
    """An operation, without the parts that do nothing: 0 that is added, 1 by which is multiplied or divided."""
    first, last = parts[0], parts[-1]
    if first.operation != "number" != last.operation and operation != "negative":
        return _made(operation, parts)
    if operation == "plus" and first.is_number and first.value == 0:
        return last
    if operation == "times" and first.is_number and first.value in (0, 1):
        return last if first.value else first
    if operation in ("times", "over") and last.is_number and last.value == 1:
        return first
    if operation == "minus" and last.is_number and last.value == 0:
        return first
    if operation == "negative" and first.operation == "floor" and first.parts[0].operation == "over":
        above, below = first.parts[0].parts
        if above.operation == "negative":  # -(-a // b) rounds up
            return node("ceil", node("over", above.parts[0], below))
    return _made(operation, parts)


def _made(operation: str, parts: tuple[Node, ...]) -> Node:
    return Node(operation, parts, "", 0.0, hash((operation, parts[0].shape, parts[-1].shape)))


class _Tagged:
    """What the two kinds of numbers that remember share."""

    node: Node


class _Float(float, _Tagged):
    """A float that remembers."""


class _Int(int, _Tagged):
    """An int that remembers."""


def _tagged(value: Any, known: Node) -> Any:
    kind = type(value)
    if kind is float:
        made: Any = _Float(value)
    elif kind is int:
        made = _Int(value)
    else:
        return value
    made.node = known
    return made


def _node_of(value: Any) -> Node:
    return value.node if type(value) in _TAGGED else number(value)


def _plain(value: Any) -> Any:
    kind = type(value)
    return float(value) if kind is _Float else int(value) if kind is _Int else value


_TAGGED = frozenset((_Float, _Int))
_NUMBERS = frozenset((_Float, _Int, float, int))


def _two(name: str, work: Callable[[Any, Any], Any]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """An operation of two numbers, for the left one and for the right one of them."""

    def forward(self: Any, other: Any) -> Any:
        if type(other) not in _NUMBERS:
            return NotImplemented
        return _tagged(work(_plain(self), _plain(other)), node(name, self.node, _node_of(other)))

    def backward(self: Any, other: Any) -> Any:
        if type(other) not in _NUMBERS:
            return NotImplemented
        return _tagged(work(_plain(other), _plain(self)), node(name, _node_of(other), self.node))

    return forward, backward


def _of_one(name: str, work: Callable[[Any], Any]) -> Callable[..., Any]:
    def run(self: Any) -> Any:
        return _tagged(work(_plain(self)), node(name, self.node))

    return run


def _floor_divided(self: Any, other: Any) -> Any:
    quotient = node("over", _node_of(self), _node_of(other))
    return _tagged(_plain(self) // _plain(other), node("floor", quotient))


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
    made.__floordiv__ = _floor_divided
    made.__rfloordiv__ = lambda self, other: _floor_divided(other, self)
    made.__neg__ = _of_one("negative", operator.neg)
    made.__ceil__ = _of_one("ceil", math.ceil)
    made.__floor__ = _of_one("floor", math.floor)


_arm(_Float)
_arm(_Int)

_CALLS = ("log", "log2", "log10", "sqrt", "exp", "cos")


def _call(name: str) -> Callable[..., Any]:
    work = getattr(math, name)

    def run(value: Any, *more: Any) -> Any:
        if more or not isinstance(value, _Tagged):
            return work(value, *more)
        return _tagged(work(value), node(name, value.node))

    return run


_MATH = SimpleNamespace(**{**vars(math), **{name: _call(name) for name in _CALLS}})


@lru_cache(maxsize=1024)
def _with_tags(function: FunctionType) -> FunctionType:
    """A copy of a reference whose `math` keeps tags, also in the functions of its bank that it calls, in any module."""
    package = function.__module__.rpartition(".")[0]
    copies: dict[int, dict[str, Any]] = {}  # by the id of a module's names

    def copied(names: dict[str, Any]) -> dict[str, Any]:
        if id(names) not in copies:
            copies[id(names)] = copy = dict(names)
            for name, value in names.items():
                if value is math:
                    copy[name] = _MATH
                elif isinstance(value, FunctionType) and value.__module__.rpartition(".")[0] == package:
                    copy[name] = _rebound(value, copied(value.__globals__))
        return copies[id(names)]

    return _rebound(function, copied(function.__globals__))


def _rebound(function: FunctionType, names: dict[str, Any]) -> FunctionType:
    copy = FunctionType(function.__code__, names, function.__name__, function.__defaults__, function.__closure__)
    copy.__kwdefaults__ = {
        name: _tagged(value, argument(name, value)) if value else value  # a 0 is what nobody asked about
        for name, value in (function.__kwdefaults__ or {}).items()
    }
    return copy


def traced(references: References, name: str, values: Mapping[str, Any], given: Mapping[str, Any]) -> Node | None:
    """What a reference computes from the values, as an expression; None where that cannot be traced. Never raises."""
    try:
        function = references.reference(name)
        if not isinstance(function, FunctionType):
            return None
        read = _names_in(function, tuple(map(str, given.values())))
        tagged = {
            name: _tagged(value, argument(name, value)) if name in read else value for name, value in values.items()
        }
        if isinstance(results := values.get(RESULTS), Results):
            tagged[RESULTS] = results.replaced(tagged)
        result = references.call(_with_tags(function), tagged, given)
    except Exception:  # a reference may do anything with its numbers; the key does not depend on this
        return None
    if not isinstance(result, _Tagged) or _is_taken_for_another(result.node, values):
        return None
    return result.node


def _is_taken_for_another(root: Node, values: Mapping[str, Any]) -> bool:
    """Whether a function left an argument of its own to the default, and the question has a parameter of that name."""
    leaves = (here for here in nodes(root) if here.operation == "argument")
    return any(values.get(leaf.name, leaf.value) != leaf.value for leaf in leaves)


@lru_cache(maxsize=1024)
def _names_in(function: FunctionType, expressions: tuple[str, ...]) -> frozenset[str]:
    """The names of values that a call can read: the function's parameters, and what stands in the expressions for them."""
    words = re.findall(rf"\b(?:{RESULTS}\.)?\w+", " ".join(expressions))
    return frozenset((*(name for name, _ in keywords(function)), *words))


def nodes(root: Node) -> list[Node]:
    """Every node of an expression once, each after its parts."""
    found: dict[int, Node] = {}
    stack = [(root, False)]
    while stack:
        here, is_ready = stack.pop()
        if id(here) in found:
            continue
        if is_ready:
            found[id(here)] = here
        else:
            stack.append((here, True))
            stack += [(part, False) for part in here.parts]
    return list(found.values())
