"""Notation: a formula as a student types it, read into a tree of operations or refused in words.

The text never reaches an evaluator: our own parser reads it, and every bound (length, depth, size of
numbers) is checked before anything is computed.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from shardwise.kinds.formula.advice import FUNCTIONS, about_name, in_words_of, quoted
from shardwise.kinds.formula.parser import Unclear, parsed_formula
from shardwise.kinds.formula.spelling import spelled
from shardwise.kinds.formula.tree import PI, FormulaError, Node, bare, nodes, refused

LONGEST_TEXT = 300  # characters of a formula
_PAIRS = {"(": ")", "[": "]", "⌈": "⌉", "⌊": "⌋"}


def read_notation(text: str, symbols: Collection[str]) -> Node:
    """Return the tree of a formula. Raises FormulaError for every text that is not one."""
    if len(text) > LONGEST_TEXT:
        raise FormulaError(
            f"I saw {len(text):,} characters, but I read only formulas of up to {LONGEST_TEXT}. Write a shorter one."
        )
    for name in sorted(set(symbols) & {*FUNCTIONS, PI}):
        raise FormulaError(f"{name} already has a meaning here, so it cannot be a symbol. Rename the symbol.")
    if not text.strip():
        raise FormulaError(f"I saw nothing where I expected a formula in {in_words_of(symbols)}. Write one.")
    try:
        plain = spelled(text, symbols)
        _check_brackets(plain)
        tree = parsed_formula(plain)
        if "e" not in symbols:
            tree = _with_exponentials(tree)
        _check_symbols(tree, symbols)
    except Unclear as unclear:
        raise refused(text, *unclear.args) from None
    return tree


def _with_exponentials(tree: Node) -> Node:
    """Return a formula with exp(x) for e^x."""
    parts = tuple(map(_with_exponentials, tree.parts))
    if tree.kind == "power" and bare(parts[0]) == Node("symbol", name="e"):
        return Node("call", parts[1:], name="exp", depth=tree.depth)
    return replace(tree, parts=parts)


def _check_brackets(text: str) -> None:
    opened: list[int] = []
    for place, char in enumerate(text):
        if char in _PAIRS:
            opened.append(place)
        elif char in _PAIRS.values():
            if not opened:
                saw = f"“{char}” closes nothing, after “{quoted(text[max(0, place - 12) : place])}”"
                raise Unclear(saw, "Remove it, or open a bracket before it.")
            start = opened.pop()
            if _PAIRS[text[start]] != char:
                saw = f"“{text[start]}” is closed by “{char}”"
                raise Unclear(saw, f"I expected “{_PAIRS[text[start]]}”. Close it with that.")
    if opened:
        start = opened[-1]
        saw = f"“{quoted(text[start : start + 12])}” has a bracket that is never closed"
        raise Unclear(saw, f"Add “{_PAIRS[text[start]]}”.")


def _check_symbols(tree: Node, symbols: Collection[str]) -> None:
    for node in nodes(tree):
        if node.kind == "symbol" and node.name not in symbols:
            raise Unclear(f"I don't know “{quoted(node.name)}”", about_name(node.name, symbols))
