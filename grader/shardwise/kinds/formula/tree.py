"""A formula as a tree of operations, printed in Python's notation with the necessary brackets."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypeVarTuple

from shardwise.errors import Unreadable
from shardwise.kinds.formula.advice import quoted

LARGEST_EXPONENT = 64  # of a constant power, and of ten in a number such as 1e9
PI = "π"
ARITHMETIC: Mapping[str, Callable[..., Any]] = {  # kinds of nodes that are arithmetic, whatever their numbers are
    "plus": operator.add,
    "minus": operator.sub,
    "times": operator.mul,
    "beside": operator.mul,
    "over": operator.truediv,
    "negative": operator.neg,
}

_SUM, _PRODUCT, _POWER, _ATOM = range(4)  # how tightly the outermost operation of a text binds


class FormulaError(Unreadable):
    """A formula that cannot be read, in words for the student; `brief` omits the text, which is shown above anyway."""

    def __init__(self, why: str, *, brief: str = "") -> None:
        super().__init__(why)
        self.brief = brief or why


def refused(text: str, saw: str, advice: str) -> FormulaError:
    """Return the error for a text: what I saw in it, and what to do."""
    brief = f"{saw[0].upper()}{saw[1:]}. {advice}"
    return FormulaError(f"I couldn't read the formula “{quoted(text.strip())}”: {saw}. {advice}", brief=brief)


@dataclass(frozen=True)
class Node:
    """One operation of a formula and what it works on.

    >>> str(Node("over", (Node("symbol", name="M"), Node("symbol", name="N"))))
    'M/N'
    """

    kind: str  # number, symbol, plus, minus, times, over, negative, next to, power, call or group
    parts: tuple[Node, ...] = ()
    name: str = ""  # of a symbol or function; the digits of a number
    value: Fraction = Fraction(0)  # of a number
    depth: int = 1

    def __str__(self) -> str:
        return _spelled(self)[0]


Words = TypeVarTuple("Words")

_ANALYTIC = ("sin", "cos", "tan", "sinh", "cosh", "tanh")
_HALF = Node("number", name="0.5", value=Fraction(1, 2))
_MOVED = {"ceil": "plus", "floor": "minus"}


def nodes(tree: Node) -> Iterator[Node]:
    """Yield every node of a tree, from left to right, each before its parts."""
    stack = [tree]
    while stack:
        node = stack.pop()
        yield node
        stack += reversed(node.parts)


def one_node_changed(
    tree: Node, change: Callable[[Node], Iterator[tuple[Node, *Words]]]
) -> Iterator[tuple[Node, *Words]]:
    """Yield the formula with a single node changed, for each node and each change, with the words for that change."""
    yield from change(tree)
    for place, part in enumerate(tree.parts):
        for new, *words in one_node_changed(part, change):
            yield replace(tree, parts=(*tree.parts[:place], new, *tree.parts[place + 1 :])), *words  # type: ignore[misc]


def symbols_in(tree: Node) -> list[str]:
    """Return the symbols of a formula in order, with repetitions."""
    return [node.name for node in nodes(tree) if node.kind == "symbol"]


def bare(node: Node) -> Node:
    """Return the node without the brackets around it, if there are any."""
    while node.kind == "group":
        node = node.parts[0]
    return node


def before_rounding(tree: Node) -> Node:
    """Return a formula with ceil and floor replaced by their average: half a unit more, or less, than their argument."""
    parts = tuple(map(before_rounding, tree.parts))
    if tree.kind == "call" and tree.name in _MOVED:
        return Node(_MOVED[tree.name], (*parts, _HALF))
    return replace(tree, parts=parts)


def is_analytic(tree: Node) -> bool:
    """Return whether a formula consists only of arithmetic, whole powers and functions such as sin.

    All of these are analytic, so two such formulas that are equal for all numbers of a question are equal everywhere.
    """
    return all(
        node.kind in ("number", "symbol", "group", *ARITHMETIC)
        or (node.kind == "power" and whole_exponent(node) is not None)
        or (node.kind == "call" and node.name in _ANALYTIC)
        for node in nodes(tree)
    )


def whole_exponent(node: Node) -> int | None:
    """Return the exponent of a power if it is written as a whole number."""
    sign, exponent = 1, bare(node.parts[1]) if node.kind == "power" else node
    while exponent.kind == "negative":
        sign, exponent = -sign, bare(exponent.parts[0])
    is_whole = node.kind == "power" and exponent.kind == "number" and exponent.value.denominator == 1
    return sign * exponent.value.numerator if is_whole else None


def terms(node: Node, sign: int = 1) -> Iterator[tuple[int, Node]]:
    """Yield the terms of a formula, each with its sign, 1 or -1."""
    node = bare(node)
    if node.kind in ("plus", "minus"):
        left, right = node.parts
        yield from terms(left, sign)
        yield from terms(right, sign if node.kind == "plus" else -sign)
    else:
        yield sign, node


def _spelled(node: Node) -> tuple[str, int]:
    """Return the text of a node and how tightly it binds, without unnecessary brackets of the student."""
    node = bare(node)
    if node.kind == "number":
        return node.name, _PRODUCT if node.name.startswith("-") else _ATOM
    if node.kind == "symbol":
        return node.name, _ATOM
    if node.kind == "call":
        return f"{node.name}({', '.join(map(str, node.parts))})", _ATOM
    first, last = node.parts[0], node.parts[-1]
    match node.kind:
        case "plus":
            return f"{_at_least(_SUM, first)} + {_after(_SUM, last)}", _SUM
        case "minus":
            return f"{_at_least(_SUM, first)} - {_after(_PRODUCT, last)}", _SUM
        case "negative":
            return f"-{_after(_PRODUCT, last)}", _PRODUCT
        case "over":
            return f"{_at_least(_PRODUCT, first)}/{_after(_POWER, last)}", _PRODUCT
        case "power":
            return f"{_at_least(_ATOM, first)}**{_after(_POWER, last)}", _POWER
        case _:  # times and next to
            return f"{_at_least(_PRODUCT, first)}*{_after(_PRODUCT, last)}", _PRODUCT


def _at_least(binding: int, node: Node) -> str:
    """Return the text of an operand, in brackets if it binds too loosely."""
    text, tightness = _spelled(node)
    return text if tightness >= binding else f"({text})"


def _after(binding: int, node: Node) -> str:
    """Return the text of an operand after an operator, in brackets also if it begins with a sign."""
    text = _at_least(binding, node)
    return f"({text})" if text.startswith("-") else text
