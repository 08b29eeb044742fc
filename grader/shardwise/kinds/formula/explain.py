"""Explanations: what a wrong formula is beside the right one, where that is short enough to help.

Sympy divides the two formulas and subtracts them. It is given trees that were read and bounded here, never a text, and
calls such as log2(N) only as the names of unknowns. So it does rational arithmetic with polynomials whose size is
bounded beforehand, and that bounds its time. No verdict depends on it.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from shardwise.kinds.formula.compare import Formula
from shardwise.kinds.formula.fingerprint import PRIME, Fingerprint, fingerprint
from shardwise.kinds.formula.tree import ARITHMETIC, Node, bare, terms
from shardwise.units import show_number

MOST_OPERATIONS = 6  # of a factor or a term that is said
MOST_TERMS = 5000  # of a polynomial in both formulas that has all the terms it can have
MOST_DEGREE = 30  # of both formulas together
LARGEST_FACTORED = 8  # terms, and their degree, of a polynomial that may be short when it is factored
LARGEST_COEFFICIENT = 10**15  # of such a polynomial
LONGEST_NUMBER = 13  # characters of a number that is said exactly, such as 1,000,000,000
LONGEST_SAID = 60  # characters of a factor or a term
NEAR = 1e-3  # a factor this near 1 would be said as 1

_OPERATION = re.compile(r"\*\*|[-+*/]|\w\(")


@lru_cache(maxsize=4096)  # a class makes few different mistakes
def explain(theirs: Formula, ours: Formula) -> str:
    """What a wrong formula is beside the right one, in a sentence; nothing where none is short. Never raises.

    What is said has at most half the operations of the right formula, or it would tell the right formula. For the same
    reason nothing is said of a number alone.
    """
    try:
        if len(set(theirs.fingerprint)) == 1:
            return ""
        most = min(MOST_OPERATIONS, len(_OPERATION.findall(str(ours))) // 2)
        return _by_terms(theirs, ours, most) or _by_algebra(theirs, ours, most)
    except Exception:  # an explanation is a courtesy: the verdict stands without it
        return ""


def _size(said: Any) -> float:
    """How many operations and calls there are in what is said; infinitely many where its numbers or names are long."""
    text = str(said)
    return len(_OPERATION.findall(text)) if len(text) <= LONGEST_SAID else math.inf


def _by_terms(theirs: Formula, ours: Formula, most: int) -> str:
    """Whether one of our terms is missing: fingerprints tell."""
    for sign, term in terms(ours.tree):
        text = str(term) if sign > 0 else f"-{term}"
        drawn = zip(ours.fingerprint, theirs.fingerprint, _identity(term), strict=True)
        if _size(text) <= most and all((right - wrong - sign * lost) % PRIME == 0 for right, wrong, lost in drawn):
            return f"Yours is the right one without its term `{text}`."
    return ""


def _by_algebra(theirs: Formula, ours: Formula, most: int) -> str:
    """The quotient of the two or their difference, whichever is shorter."""
    leaves = [*_leaves(theirs.tree, 1), *_leaves(ours.tree, 1)]
    unknowns = {_identity(node): node for node, _ in leaves if node.kind != "number"}
    if not _is_bounded(leaves):
        return ""
    sympy = _sympy()
    functions, *generators = sympy.field(f"x:{len(unknowns)}", sympy.ZZ)
    values = dict(zip(unknowns, generators, strict=True))
    symbols = [sympy.Symbol(f"({node})" if node.kind == "power" else str(node)) for node in unknowns.values()]
    wrong, right = (_rational(formula.tree, functions, values) for formula in (theirs, ours))
    quotient = _factored(wrong / right, symbols)
    if quotient is not None and quotient.is_Rational:
        return _multiple(quotient)
    sentences = {}
    if quotient is not None:
        sentences[f"Yours is `{quotient}` times the right one."] = _size(quotient)
    for sign, excess in ("plus", wrong - right), ("minus", right - wrong):
        if (term := _factored(excess, symbols)) is not None:
            sentences[f"Yours is the right one {sign} `{term}`."] = _size(term)
    shortest = min(sentences, key=sentences.__getitem__, default="")
    return shortest if sentences.get(shortest, math.inf) <= most else ""


def _multiple(factor: Any) -> str:
    """A formula that is the right one but for a number."""
    exactly = f"{int(factor):,}" if factor.is_Integer else str(factor)
    if factor == -1:
        return "Yours is the right one with the opposite sign."
    if len(exactly) <= LONGEST_NUMBER:
        return f"Yours is {exactly} times the right one."
    return "" if abs(factor - 1) < NEAR else f"Yours is about {show_number(float(factor))} times the right one."


def _factored(function: Any, symbols: Sequence[Any]) -> Any:
    """A rational function as an expression in factors; None where it is too large to be short."""
    expression = function.as_expr(*symbols)
    if expression.is_Rational:
        return expression
    for polynomial in (function.numer, function.denom):
        degree, coefficient = max(map(sum, polynomial)), max(map(abs, polynomial.values()))
        if max(len(polynomial), degree) > LARGEST_FACTORED or coefficient > LARGEST_COEFFICIENT:
            return None
    return _sympy().signsimp(_sympy().factor(expression))


def _sympy() -> Any:
    """Sympy, imported for the first wrong formula and not before; half of its functions are untyped."""
    import sympy

    return sympy


def _is_bounded(leaves: Sequence[tuple[Node, int]]) -> bool:
    """Whether polynomials in these leaves stay so small that arithmetic with them takes no time to speak of."""
    degrees: Counter[Fingerprint] = Counter()
    for node, power in leaves:
        if node.kind != "number":  # the weight of a formula that was read bounds its numbers
            degrees[_identity(node)] += power
    return degrees.total() <= MOST_DEGREE and math.prod(degree + 1 for degree in degrees.values()) <= MOST_TERMS


def _leaves(node: Node, power: int) -> Iterator[tuple[Node, int]]:
    """The numbers, symbols and calls that arithmetic works on, each with the powers that it is raised to."""
    node = bare(node)
    if node.kind in ARITHMETIC:
        for part in node.parts:
            yield from _leaves(part, power)
    elif (whole := _whole_exponent(node)) is not None:
        yield from _leaves(node.parts[0], power * abs(whole))
    else:
        yield node, power


def _whole_exponent(node: Node) -> int | None:
    """The exponent of a power that is written with a whole number."""
    sign, exponent = 1, bare(node.parts[1]) if node.kind == "power" else node
    while exponent.kind == "negative":
        sign, exponent = -sign, bare(exponent.parts[0])
    is_whole = node.kind == "power" and exponent.kind == "number" and exponent.value.denominator == 1
    return sign * exponent.value.numerator if is_whole else None


def _identity(node: Node) -> Fingerprint:
    return fingerprint(node, "")


def _rational(node: Node, functions: Any, values: Mapping[Fingerprint, Any]) -> Any:
    """A formula as a rational function, an element of sympy's field of them."""
    node = bare(node)
    if node.kind == "number":
        return functions(node.value.numerator) / functions(node.value.denominator)
    if node.kind in ARITHMETIC:
        return ARITHMETIC[node.kind](*(_rational(part, functions, values) for part in node.parts))
    if (whole := _whole_exponent(node)) is not None:
        return _rational(node.parts[0], functions, values) ** whole
    return values[_identity(node)]
