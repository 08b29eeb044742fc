"""Variants: formulas that differ from one in a single small slip, as students make them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

from shardwise.kinds.formula.fingerprint import Fingerprint, fingerprint
from shardwise.kinds.formula.tree import FormulaError, Node, one_node_changed

_ONE = Node("number", name="1", value=Fraction(1))


@dataclass(frozen=True)
class NearbyFormula:
    """A wrong formula, and how it differs from the right one."""

    tree: Node
    identity: Fingerprint
    how: str  # the words after “Your formula is the correct one”
    named_part: Node | None = None  # the part of the right formula that `how` names


_Slip = tuple[
    Node, str, Node | None
]  # what replaces a part of a formula, in words too, and the part that the words name


def nearby_formulas(tree: Node, counts: Collection[str]) -> list[NearbyFormula]:
    """Return the formulas with one slip in this one, from which it must be distinguished.

        They are distinct, and none is the same as the formula itself.

        A slip omits a term or a factor, rounds the other way or not at all, or uses N-1 or N+1 for N if N is one
    of `counts`, the symbols for whole numbers that are small.
    """
    found = {fingerprint(tree, ""): NearbyFormula(tree, (), "")}
    for wrong, how, told in one_node_changed(tree, partial(_slips, counts)):
        try:
            identity = fingerprint(wrong, "")
        except FormulaError:  # without that part, the formula divides by zero
            continue
        found.setdefault(identity, NearbyFormula(wrong, identity, how, told))
    return list(found.values())[1:]


def _slips(counts: Collection[str], node: Node) -> Iterator[_Slip]:
    """Yield the slips in the outermost operation of a formula."""
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
        yield first, f"without its division by `{last}`", last
        yield _without(first, kept=Node("over", (_ONE, last)))
    elif node.kind == "symbol" and node.name in counts:
        yield Node("minus", (node, _ONE)), f"with `{node} - 1` for its `{node}`", None
        yield Node("plus", (node, _ONE)), f"with `{node} + 1` for its `{node}`", None
    elif node.kind == "call":
        yield from ((part, f"without its `{node.name}`", None) for part in node.parts)
        yield from _rounded_otherwise(node)
        if other := {"sin": "cos", "cos": "sin", "tan": "sin"}.get(node.name):
            yield replace(node, name=other), f"with `{other}` for its `{node.name}`", None


def _without(lost: Node, *, kept: Node) -> _Slip:
    return kept, f"without its `{lost}`", lost


def _rounded_otherwise(node: Node) -> Iterator[_Slip]:
    if node.name not in ("ceil", "floor"):
        return
    is_up = node.name == "ceil"
    other = replace(node, name="floor" if is_up else "ceil")
    way = "down instead of up" if is_up else "up instead of down"
    yield other, f"except that it rounds {way}", None
    step = Node("plus" if is_up else "minus", (other, _ONE))
    yield step, f"except that it gives one too {'many' if is_up else 'few'} where nothing has to be rounded", None
