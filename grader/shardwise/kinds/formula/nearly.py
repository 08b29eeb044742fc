"""Nearly right: formulas that a sign, a pair of brackets or an inversion would make right.

The search changes the student's formula, not ours, so that feedback names a place that the student wrote.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from shardwise.errors import Unreadable
from shardwise.kinds.formula.compare import ParsedFormula
from shardwise.kinds.formula.fingerprint import PRIME, Fingerprint, fingerprint
from shardwise.kinds.formula.parser import Unclear, parsed_formula
from shardwise.kinds.formula.tree import Node, bare, nodes, one_node_changed

MOST_CHANGES = 60  # that are tried
MOST_OPERANDS = 12  # of a formula in which brackets are tried
ROUNDED = 0.0051  # relative; a closer formula was rounded, which `explain` handles
LONGEST = 60  # characters of a place that is named

_TOKEN = re.compile(r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[^\W\d]\w*|\*\*|\S")
_OPERAND = re.compile(r"[\w.]")
_BEFORE_SUMS = "multiplication and division bind more tightly than addition and subtraction"
_BELOW = "a division applies only to the factor right after it"


def nearly(theirs: ParsedFormula, ours: ParsedFormula) -> str:
    """Return a sentence about the single change that a formula needs; "" if it needs more."""
    right = ours.fingerprint
    if theirs.fingerprint == right:
        return ""
    pairs = list(zip(theirs.fingerprint, right, strict=True))
    if all(wrong * other % PRIME == 1 for wrong, other in pairs):
        return "Your formula is upside down: it is 1 divided by the correct one."
    if all((wrong + other) % PRIME == 1 for wrong, other in pairs):
        return "Your formula is 1 minus the correct one."
    for tree, said in islice(one_node_changed(theirs.tree, _changes), MOST_CHANGES):
        if _is(tree, right):
            return said
    for text, said in _bracketed(str(theirs.tree)):
        if _is_text(text, right):
            return said
    return ""


def another_number(theirs: ParsedFormula, ours: ParsedFormula) -> str:
    """Return the feedback on a formula in which a single number is wrong; "" if more is wrong."""
    if theirs.fingerprint == ours.fingerprint:
        return ""
    right = {node.value: node for node in nodes(ours.tree) if node.kind == "number"}

    def other_numbers(each: Node) -> Iterator[tuple[Node, Node]]:
        for other in right.values() if each.kind == "number" else ():
            if abs(each.value - other.value) > abs(other.value) * ROUNDED:
                yield other, each

    for tree, each in islice(one_node_changed(theirs.tree, other_numbers), MOST_CHANGES):
        if _is(tree, ours.fingerprint):
            return f"All numbers but one are right. What does `{each}` count?"
    return ""


def half_of_a_fraction(theirs: ParsedFormula, ours: ParsedFormula) -> tuple[Node | None, str]:
    """Return our numerator or denominator if the formula equals it, and the feedback; None if it is neither."""
    tree = bare(ours.tree)
    if tree.kind == "over":
        above, below = tree.parts
        if _is(above, theirs.fingerprint):
            return above, "You have the numerator. What do you divide it by?"
        if _is(below, theirs.fingerprint):
            return below, "You have the denominator. What is the numerator?"
    return None, ""


def _is(tree: Node, wanted: Fingerprint) -> bool:
    try:
        return fingerprint(tree, "") == wanted
    except Unreadable:  # it divides by zero
        return False


def _is_text(text: str, wanted: Fingerprint) -> bool:
    try:
        return _is(parsed_formula(text), wanted)
    except Unclear:
        return False


def _changes(node: Node) -> Iterator[tuple[Node, str]]:
    where = f": `{node}`" if node.kind in ("plus", "minus", "over") and len(str(node)) <= LONGEST else ""
    if node.kind == "plus":
        yield replace(node, kind="minus"), f"There is a plus where a minus belongs{where}."
    elif node.kind == "minus":
        yield replace(node, kind="plus"), f"There is a minus where a plus belongs{where}."
    elif node.kind == "over":
        yield replace(node, parts=node.parts[::-1]), f"A fraction is upside down{where}."
    if node.kind in ("plus", "minus") and bare(node.parts[0]).kind == "symbol" and bare(node.parts[1]).value == 1:
        yield node.parts[0], f"You wrote `{node}` where only `{node.parts[0]}` belongs."


def _bracketed(text: str) -> Iterator[tuple[str, str]]:
    """Yield a text with one more pair of brackets, and the feedback if that makes it right."""
    tokens = _TOKEN.findall(text)
    starts = [place for place, token in enumerate(tokens) if token == "(" or _OPERAND.match(token)]
    ends = [place for place in range(len(tokens)) if _ends_here(tokens, place)]
    if len(ends) > MOST_OPERANDS:
        return
    for first in starts:
        for last in ends:
            inside = tokens[first : last + 1]
            if len(inside) > 2 and (level := _outermost(inside)):
                part = "".join(inside)
                why = _BEFORE_SUMS if {"+", "-"} & set(level) else _BELOW
                where = f" around `{part}`" if len(part) <= LONGEST else ""
                before, after = "".join(tokens[:first]), "".join(tokens[last + 1 :])
                yield f"{before}({part}){after}", f"A pair of brackets is missing{where}: {why}."


def _ends_here(tokens: list[str], place: int) -> bool:
    """Return whether an operand ends with this token: a bracket, a number, or a name that is not a function."""
    token, after = tokens[place], tokens[place + 1 : place + 2]
    return token == ")" or (_OPERAND.match(token) is not None and after != ["("])


def _outermost(tokens: list[str]) -> list[str]:
    """Return the operators outside all inner brackets; none if the brackets do not match."""
    depth, found = 0, []
    for token in tokens:
        depth += (token == "(") - (token == ")")
        if depth < 0 or (depth == 0 and token == ","):
            return []
        if depth == 0 and token in ("+", "-", "*", "/", "**"):
            found.append(token)
    return found if depth == 0 else []
