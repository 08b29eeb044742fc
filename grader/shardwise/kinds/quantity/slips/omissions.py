"""Omissions: a reference with one part omitted, whose result no right answer may have.

A term, a factor or divisor, a root, a rounding, N for N-1: a student who omits one has not understood the question, so
every draw must distinguish the result from the key. Unit conversions do not count, nor do parts without an effect in
any draw: a factor that is always 1, a rounding of what is always whole.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

from shardwise.kinds.quantity.slips.arguments import Known
from shardwise.kinds.quantity.slips.changes import OF_UNITS
from shardwise.kinds.quantity.slips.expressions import FUNCTIONS, ONE, TracedNode, node, number, traced_nodes
from shardwise.kinds.quantity.slips.phrases import names
from shardwise.kinds.quantity.slips.variants import exchanged, fractions, rebuilt
from shardwise.units import show_number

GUARD = 1e-6  # a number this close to 1, or to 0, only guards against rounding errors
LONGEST = 60  # characters of a part that is spelled out
ROUNDING, ONE_LESS = "the rounding", "one of"
_CHAINS = ("the factor", "the division by")
ROUNDED = ("ceil", "floor", "round")
_NOTHING = {"the term": 0, "the factor": 1, "the division by": 1}  # the value that replaces a forgotten part
_OPERATORS = {
    "plus": ast.Add, "minus": ast.Sub, "times": ast.Mult, "over": ast.Div, "power": ast.Pow, "rest": ast.Mod,
}  # fmt: skip


class Omission(NamedTuple):
    """A wrong expression, the part that it omits, and when that part has no effect."""

    root: TracedNode
    what: str  # such as "the term `latency_s`"
    lost: str  # the omitted part, as `negligible` names it
    idle: TracedNode  # 0 in a draw in which the part has no effect
    part: TracedNode  # the omitted part, or the place of the change
    here: TracedNode  # the operation that changes

    @property
    def is_rounding(self) -> bool:
        """Whether it omits a rounding, or changes its direction."""
        return self.what.startswith(ROUNDING)

    @property
    def is_one_less(self) -> bool:
        """Whether it uses N-1 for a count N of the reference."""
        return self.what.startswith(ONE_LESS)

    def may_be_fine(self, told: int) -> bool:
        """Return whether an omission that this many draws detect is below the required precision, and so not a fault.

        A rounding that no draw detects is, and so is N-1: of 1000 hosts, one is within the tolerance.
        """
        return self.is_one_less or (self.is_rounding and not told)


def omissions(root: TracedNode, known: Known) -> Iterator[Omission]:
    """Yield every expression in which one thing is omitted."""
    for here in traced_nodes(root):
        for changed, what, part, idle in _left_out(here):
            if part.operation == "argument" and what in _CHAINS and known[part.name].dimension != "dimensionless":
                continue  # omitting a dimensional quantity shows in the unit, and whether it equals 1 depends on the unit
            lost = as_template_text(part)
            yield Omission(_everywhere(root, here, changed), f"{what} `{lost}`", lost, idle, part, here)
            if part.parts and what in _NOTHING:
                forgotten = _everywhere(root, part, number(_NOTHING[what]))
                yield Omission(forgotten, f"{what} `{lost}`", lost, idle, part, here)
    yield from _ratios(root)
    yield from _one_less(root, known)


def _everywhere(root: TracedNode, old: TracedNode, new: TracedNode) -> TracedNode:
    """Return an expression with every occurrence of one part replaced by another."""
    return rebuilt(root, {id(here): new for here in traced_nodes(root) if here.shape == old.shape})


def unrounded(root: TracedNode) -> TracedNode:
    """Return an expression without its roundings."""
    made: dict[int, TracedNode] = {}
    for here in traced_nodes(root):
        parts = tuple(made[id(part)] for part in here.parts)
        made[id(here)] = parts[0] if here.operation in ROUNDED else node(here.operation, *parts) if parts else here
    return made[id(root)]


_Lost = tuple[
    TracedNode, str, TracedNode, TracedNode
]  # what remains, what was omitted in words and as a part, and an expression that is 0 if the part has no effect


def _left_out(here: TracedNode) -> Iterator[_Lost]:
    match here.operation:
        case "plus" | "minus":
            yield from _term(here)
        case "times":
            for kept, lost in (here.parts, here.parts[::-1]):
                if not _is_conversion(lost):
                    yield kept, "the factor", lost, node("minus", lost, ONE)
        case "over":
            above, below = here.parts
            if not _is_conversion(below):
                yield above, "the division by", below, node("minus", below, ONE)
        case operation if operation in ROUNDED:
            inside = here.parts[0]
            idle = node("minus", here, inside)
            for other in ("ceil", "floor"):
                if other != here.operation:
                    yield node(other, inside), ROUNDING, here, idle
            yield inside, ROUNDING, here, idle
        case operation if operation in FUNCTIONS:
            yield here.parts[0], "the function", here, ONE
        case "power":
            yield here.parts[0], "the power", here, node("minus", here, here.parts[0])


def _term(here: TracedNode) -> Iterator[_Lost]:
    first, last = here.parts
    for kept, lost in ((first, last), (last, first)):
        if not (lost.is_number and abs(lost.value) < GUARD):
            yield kept, "the term", here if _is_one(lost) else lost, lost


def _is_one(here: TracedNode) -> bool:
    return here.is_number and here.value == 1


def _is_conversion(here: TracedNode) -> bool:
    """Return whether a factor consists of unit conversions, or is almost 1."""
    leaves = [leaf for leaf in traced_nodes(here) if not leaf.parts]
    return all(leaf.is_number and (leaf.value in OF_UNITS or abs(leaf.value - 1) < GUARD) for leaf in leaves)


def _ratios(root: TracedNode) -> Iterator[Omission]:
    """Yield omissions of a whole ratio near 1 such as (N-1)/N, whose parts share an argument."""
    for here, tops, belows in fractions(root):
        for top, below in product(tops, belows):
            if set(names(top)) & set(names(below)):
                ratio = node("over", top, below)
                lost = as_template_text(ratio)
                without = _everywhere(root, here, node("over", here, ratio))
                yield Omission(without, f"the factor `{lost}`", lost, node("minus", ratio, ONE), ratio, here)


def _one_less(root: TracedNode, known: Known) -> Iterator[Omission]:
    """Yield omissions that use N-1 for an N that shares work or data."""
    everything = traced_nodes(root)
    leaves = {here.name: here for here in everything if here.operation == "argument"}
    shifted = {
        part.name
        for here in everything
        if here.operation in ("plus", "minus") and any(map(_is_one, here.parts))
        for part in here.parts
    }
    for name, leaf in leaves.items():
        if known[name].shares and name not in shifted:
            less = exchanged(root, {name: node("minus", leaf, ONE)})
            yield Omission(less, f"{ONE_LESS} `{name}`", f"{name} - 1", ONE, leaf, leaf)


def as_template_text(here: TracedNode) -> str:
    """Return a subexpression as a template would write it, or only its names if that is too long."""
    text = ast.unparse(_tree(here)).replace(" ** ", "**")
    return text if len(text) <= LONGEST else f"what has {', '.join(names(here))} in it"


def _tree(here: TracedNode) -> ast.expr:
    """Convert a subexpression to a Python syntax tree, so that unparsing adds the brackets."""
    if not here.parts:
        return ast.Name(show_number(here.value, 6) if here.is_number else here.name)
    first, *others = map(_tree, here.parts)
    if here.operation == "negative":
        return ast.UnaryOp(ast.USub(), first)
    if here.operation in _OPERATORS:
        return ast.BinOp(first, _OPERATORS[here.operation](), *others)
    return ast.Call(ast.Name(here.operation), [first], [])
