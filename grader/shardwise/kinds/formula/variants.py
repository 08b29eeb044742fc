"""Variants: formulas that differ from one in a single small slip, as students make them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from shardwise.kinds.formula.fingerprint import Fingerprint, fingerprint
from shardwise.kinds.formula.tree import FormulaError, Node

_ONE = Node("number", name="1", value=Fraction(1))


@dataclass(frozen=True)
class Variant:
    """A wrong formula, and how it came out of the right one."""

    tree: Node
    identity: Fingerprint
    how: str  # follows “yours is the right one”
    told: Node | None = None  # the part of the right formula that `how` names


@dataclass(frozen=True)
class _Slip:
    """What becomes of a part of a formula, and how."""

    node: Node
    how: str
    told: Node | None = None


def variants(tree: Node, counts: Collection[str]) -> list[Variant]:
    """The formulas that somebody would write who makes one slip in this one: what the formula must be told apart from.

    Each stands there once, and none is the same as the formula itself.

    A slip leaves out a term or a factor, rounds the other way or not at all, or takes N for N-1 and N+1 where N is one
    of `counts`, the symbols for whole numbers that are small.
    """
    found = {fingerprint(tree, ""): Variant(tree, (), "")}
    for slip in _changed(tree, counts):
        try:
            identity = fingerprint(slip.node, "")
        except FormulaError:  # without that part it divides by zero
            continue
        found.setdefault(identity, Variant(slip.node, identity, slip.how, slip.told))
    return list(found.values())[1:]


def _changed(node: Node, counts: Collection[str]) -> Iterator[_Slip]:
    yield from _slips(node, counts)
    for place, part in enumerate(node.parts):
        for slip in _changed(part, counts):
            parts = (*node.parts[:place], slip.node, *node.parts[place + 1 :])
            yield replace(slip, node=replace(node, parts=parts))


def _slips(node: Node, counts: Collection[str]) -> Iterator[_Slip]:
    """The slips in the outermost operation of a formula."""
    if node.kind in ("plus", "times", "beside"):
        first, last = node.parts
        yield _without(last, kept=first)
        yield _without(first, kept=last)
    elif node.kind == "minus":
        first, last = node.parts
        yield _without(last, kept=first)
        yield _without(first, kept=Node("negative", (last,)))
    elif node.kind == "over":
        first, last = node.parts
        yield _Slip(first, f"without its division by `{last}`", last)
        yield _without(first, kept=Node("over", (_ONE, last)))
    elif node.kind == "symbol" and node.name in counts:
        yield _Slip(Node("minus", (node, _ONE)), f"with one less than its `{node}`")
        yield _Slip(Node("plus", (node, _ONE)), f"with one more than its `{node}`")
    elif node.kind == "call":
        yield from (_Slip(part, f"without its `{node.name}`") for part in node.parts)
        yield from _rounded_otherwise(node)


def _without(lost: Node, *, kept: Node) -> _Slip:
    return _Slip(kept, f"without its `{lost}`", lost)


def _rounded_otherwise(node: Node) -> Iterator[_Slip]:
    if node.name not in ("ceil", "floor"):
        return
    is_up = node.name == "ceil"
    other = replace(node, name="floor" if is_up else "ceil")
    way = "down where it rounds up" if is_up else "up where it rounds down"
    yield _Slip(other, f"but for rounding {way}")
    step = Node("plus" if is_up else "minus", (other, _ONE))
    yield _Slip(step, f"but for one too {'many' if is_up else 'few'} where nothing has to be rounded")
