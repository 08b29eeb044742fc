"""Expressions: what a reference computed, as a tree of operations on its arguments, in which slips can be made."""

from __future__ import annotations

from typing import NamedTuple

from shardwise.units import TRIGONOMETRY

FUNCTIONS = ("log", "log2", "log10", "sqrt", "exp", *TRIGONOMETRY)  # of one number, named as in `math`


class TracedNode(NamedTuple):
    """One operation and its operands; a leaf is an argument, with its name, or a number."""

    operation: str
    parts: tuple[TracedNode, ...]
    name: str
    value: float
    shape: int  # equal for equal expressions, whatever the values of their arguments

    @property
    def is_number(self) -> bool:
        """Whether it is a constant of the reference."""
        return self.operation == "number"


def argument(name: str, value: float) -> TracedNode:
    """Return a leaf: an argument and its value."""
    return TracedNode("argument", (), name, value, hash(name))


def number(value: float) -> TracedNode:
    """Return a leaf: a number."""
    return TracedNode("number", (), "", value, hash(value))


ONE = number(1)


def node(operation: str, *parts: TracedNode) -> TracedNode:
    """Return an operation, simplified if an operand does nothing: adding 0, multiplying or dividing by 1."""
    first, last = parts[0], parts[-1]
    if first.operation != "number" != last.operation and operation != "negative":
        return _made(operation, parts)
    if operation == "plus" and first.is_number and first.value == 0:
        return last
    if operation == "times" and first.is_number and first.value in (0, 1):
        return last if first.value else first
    if operation in ("times", "over") and last.is_number and last.value == 1:
        return first
    if operation in ("plus", "minus") and last.is_number and last.value == 0:
        return first
    if operation == "negative" and first.operation == "floor" and first.parts[0].operation == "over":
        above, below = first.parts[0].parts
        if above.operation == "negative":  # -(-a // b) rounds up
            return node("ceil", node("over", above.parts[0], below))
    return _made(operation, parts)


def _made(operation: str, parts: tuple[TracedNode, ...]) -> TracedNode:
    return TracedNode(operation, parts, "", 0.0, hash((operation, parts[0].shape, parts[-1].shape)))


def traced_nodes(root: TracedNode) -> list[TracedNode]:
    """Return every node of an expression once, each after its parts."""
    found: dict[int, TracedNode] = {}
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
