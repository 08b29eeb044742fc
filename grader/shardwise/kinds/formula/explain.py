"""Explanations: how a wrong formula differs from the right one, if that is short enough to help.

Sympy divides and subtracts the two formulas. It gets trees that were parsed and bounded here, never text, and
calls such as log2(N) only as unknowns. So it does rational arithmetic with polynomials of bounded size,
which bounds its time. No verdict depends on it.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from shardwise.kinds.formula.compare import ParsedFormula, farthest
from shardwise.kinds.formula.fingerprint import PRIME, Fingerprint, fingerprint
from shardwise.kinds.formula.nearly import another_number, half_of_a_fraction, nearly
from shardwise.kinds.formula.tree import ARITHMETIC, PI, Node, bare, nodes, terms, whole_exponent
from shardwise.kinds.formula.variants import nearby_formulas
from shardwise.units import show_number

MOST_OPERATIONS = 6  # operations of a factor or term that is reported
MOST_TERMS = 5000  # terms of a dense polynomial in both formulas
MOST_DEGREE = 30  # of both formulas together
LARGEST_FACTORED = 8  # terms, and their degree, of a polynomial that may be short when it is factored
LARGEST_COEFFICIENT = 10**15  # of such a polynomial
LONGEST_NUMBER = 13  # characters of a number that is reported exactly, such as 1,000,000,000
LARGEST_BELOW = 1000  # denominator of a fraction that is reported exactly
LONGEST_SAID = 60  # characters of a factor or a term
MOST_DIGITS = 5  # digits of a number in one, without trailing zeros: more digits come from rounding and mean nothing
NEAR = 1e-3  # a factor this close to 1 would be printed as 1
ROUNDED = 5.1e-3  # relative; the error of a formula with 0.67 for 2/3, or 1.41 for the square root of 2

_OPERATION = re.compile(r"\*\*|[-+*/]|\w\(")
_ODD_SUM = re.compile(r"[-+] (?!1\b)\d|\d [-+]|\d\*\w+ [-+]")  # N + 7 in a quotient means nothing; N - 1 does
_WHOLE = re.compile(r"\d+")
_SYMBOL = re.compile(r"\b[^\W\d]\w*\b(?!\()")


@lru_cache(maxsize=4096)  # a class makes only a few different mistakes
def explain(theirs: ParsedFormula, ours: ParsedFormula) -> str:
    """Return a sentence about how a wrong formula differs from the right one; "" if none is short. Never raises.

        For an answer such as 0, 1 or a symbol, the difference or the quotient would reveal the right formula. So a
    sentence has at most half of its operations and symbols, and an answer must have at least a third of its operations,
    not counting padding such as 0*M. An answer that is as long as the right formula may get more symbols.
    """
    try:
        if _is_hardly_an_answer(theirs, ours):
            return ""
        most = _Share(operations=_size(ours) // 2, symbols=_symbols(ours) // 2)
        is_an_attempt = _size(ours) > 1 and _size(theirs) >= max(1, _size(ours) // 3)
        return (
            (is_an_attempt and nearly(theirs, ours))
            or (is_an_attempt and _by_symbol(theirs, ours))
            or _by_terms(theirs, ours, most)
            or _by_algebra(theirs, ours, most)
            or _by_slip(theirs, ours, most)
            or (is_an_attempt and another_number(theirs, ours))
            or _by_half(theirs, ours)
        )
    except Exception:  # an explanation is optional: the verdict does not depend on it
        return ""


def _is_hardly_an_answer(theirs: ParsedFormula, ours: ParsedFormula) -> bool:
    """Return whether theirs is only a number, or a number times one symbol of a longer formula, apart from padding."""
    if len(set(theirs.fingerprint)) == 1:
        return True
    alone = [_identity(leaf) for leaf, _ in _leaves(ours.tree, 1) if leaf.kind == "symbol"]
    return _size(ours) > 1 and any(
        len({value * pow(each, -1, PRIME) % PRIME for value, each in zip(theirs.fingerprint, symbol, strict=True)}) == 1
        for symbol in alone
    )


@dataclass(frozen=True)
class _Share:
    """The part of the right formula that feedback may reveal."""

    operations: int
    symbols: int

    def holds(self, said: Any) -> bool:
        """Return whether feedback may contain this."""
        digits = max((len(number.rstrip("0")) for number in _WHOLE.findall(str(said))), default=0)
        is_short = len(str(said)) <= LONGEST_SAID and _size(said) <= MOST_OPERATIONS and digits <= MOST_DIGITS
        return is_short and _size(said) <= self.operations and _symbols(said) <= self.symbols


def rounded(theirs: ParsedFormula, ours: ParsedFormula, points: Sequence[Mapping[str, float]]) -> str:
    """Return the feedback on a formula so close to the right one everywhere that a rounded number explains the difference."""
    longest = max(_decimals(theirs.tree), key=len, default="")
    if not longest or farthest(theirs, ours, points) > ROUNDED:
        return ""
    return (
        f"Your formula is nearly right. Is `{longest}` rounded? Write such a number exactly, as a fraction such as 1/3 "
        "or a root such as sqrt(5)."
    )


def _decimals(tree: Node) -> list[str]:
    """Return the numbers of a formula that may have been rounded."""
    numbers = [node for node in nodes(tree) if node.kind == "number" and node.name != PI]
    return [number.name for number in numbers if number.value.denominator > 1]


def _size(said: Any) -> int:
    """Return the number of operations and calls in a formula."""
    return len(_OPERATION.findall(str(said)))


def _symbols(said: Any) -> int:
    """Return the number of symbols in a formula, counting repetitions."""
    return len(_SYMBOL.findall(str(said)))


def _by_symbol(theirs: ParsedFormula, ours: ParsedFormula) -> str:
    """Name the symbol that is on the wrong side of the fraction, if the ratio is its square; "" if there is none."""
    ratios = tuple(
        wrong * pow(right, -1, PRIME) % PRIME for wrong, right in zip(theirs.fingerprint, ours.fingerprint, strict=True)
    )
    symbols = {leaf.name: _identity(leaf) for leaf, _ in _leaves(ours.tree, 1) if leaf.kind == "symbol"}
    for name, drawn in symbols.items():
        squares = tuple(value * value % PRIME for value in drawn)
        inverted = all(ratio * square % PRIME == 1 for ratio, square in zip(ratios, squares, strict=True))
        if (ratios == squares and "/" in str(ours)) or (inverted and "/" in str(theirs)):  # only if there is a fraction
            return f"`{name}` is on the wrong side of the fraction."
    return ""


def _by_terms(theirs: ParsedFormula, ours: ParsedFormula, most: _Share) -> str:
    """Name a missing term of ours, found by fingerprints; "" if there is none."""
    for sign, term in terms(ours.tree):
        text = str(term) if sign > 0 else f"-{term}"
        drawn = zip(ours.fingerprint, theirs.fingerprint, _identity(term), strict=True)
        if most.holds(text) and all((right - wrong - sign * lost) % PRIME == 0 for right, wrong, lost in drawn):
            return f"Your formula lacks the term `{text}`."
    return ""


def _by_algebra(theirs: ParsedFormula, ours: ParsedFormula, most: _Share) -> str:
    """Name the quotient or the difference of the two, whichever is shorter."""
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
        is_rounded = abs(quotient - 1) < ROUNDED and _decimals(theirs.tree)  # a ratio such as 80001/80000 means nothing
        return "" if is_rounded else _multiple(quotient)
    answered = _factored(wrong, symbols)
    if answered is not None and _size(answered) < max(1, _size(ours) // 3):
        return ""
    if answered is None or _size(answered) >= _size(ours):
        most = replace(most, symbols=_symbols(ours))
    sentences = {}
    if quotient is not None and most.holds(quotient) and not _ODD_SUM.search(str(quotient)):
        sentences[f"Your formula is `{quotient}` times the correct one."] = _size(quotient)
    for sign, excess in ("plus", wrong - right), ("minus", right - wrong):
        if (term := _factored(excess, symbols)) is not None and most.holds(term):
            sentences[f"Your formula is the correct one {sign} `{term}`."] = _size(term)
    return min(sentences, key=sentences.__getitem__, default="")


def _by_slip(theirs: ParsedFormula, ours: ParsedFormula, most: _Share) -> str:
    """Name the single slip that turns the right formula into the student's; "" if there is none.

    Every slip is tried, since the quotient and the difference do not show a slip inside `ceil`.
    """
    for slip in nearby_formulas(ours.tree, ()):
        may_say = most.operations > 1 if slip.named_part is None else most.holds(slip.named_part)
        if may_say and slip.identity == theirs.fingerprint:
            return f"Your formula is the correct one {slip.how}."
    return ""


def _by_half(theirs: ParsedFormula, ours: ParsedFormula) -> str:
    """Return the feedback if theirs is our numerator or denominator, and enough of it."""
    half, say = half_of_a_fraction(theirs, ours)
    return say if half is not None and _size(half) >= max(2, _size(ours) // 3) else ""


def _multiple(factor: Any) -> str:
    """Return the feedback on a formula that is a number times the right one."""
    exactly = show_number(int(factor)) if factor.is_Integer else str(factor)
    if factor == -1:
        return "Your formula has the opposite sign of the correct one."
    if len(exactly) <= LONGEST_NUMBER and factor.q <= LARGEST_BELOW:
        return f"Your formula is {exactly} times the correct one."
    return (
        "" if abs(factor - 1) < NEAR else f"Your formula is about {show_number(float(factor))} times the correct one."
    )


def _factored(function: Any, symbols: Sequence[Any]) -> Any:
    """Return a rational function in factored form; None if it is too large to be short."""
    expression = function.as_expr(*symbols)
    if expression.is_Rational:
        return expression
    for polynomial in (function.numer, function.denom):
        degree, coefficient = max(map(sum, polynomial)), max(map(abs, polynomial.values()))
        if max(len(polynomial), degree) > LARGEST_FACTORED or coefficient > LARGEST_COEFFICIENT:
            return None
    return _sympy().signsimp(_sympy().factor(expression))


def _sympy() -> Any:
    """Return sympy, imported only for the first wrong formula; half of its functions are untyped."""
    import sympy

    return sympy


def _is_bounded(leaves: Sequence[tuple[Node, int]]) -> bool:
    """Return whether polynomials in these leaves are small enough for fast arithmetic."""
    degrees: Counter[Fingerprint] = Counter()
    for node, power in leaves:
        if node.kind != "number":  # the weight of a parsed formula bounds its numbers
            degrees[_identity(node)] += power
    return degrees.total() <= MOST_DEGREE and math.prod(degree + 1 for degree in degrees.values()) <= MOST_TERMS


def _leaves(node: Node, power: int) -> Iterator[tuple[Node, int]]:
    """Yield the numbers, symbols and calls in the arithmetic, each with its powers."""
    node = bare(node)
    if node.kind in ARITHMETIC:
        for part in node.parts:
            yield from _leaves(part, power)
    elif (whole := whole_exponent(node)) is not None:
        yield from _leaves(node.parts[0], power * abs(whole))
    else:
        yield node, power


def _identity(node: Node) -> Fingerprint:
    return fingerprint(node, "")


def _rational(node: Node, functions: Any, values: Mapping[Fingerprint, Any]) -> Any:
    """Return a formula as a rational function, an element of a sympy field."""
    node = bare(node)
    if node.kind == "number":
        return functions(node.value.numerator) / functions(node.value.denominator)
    if node.kind in ARITHMETIC:
        return ARITHMETIC[node.kind](*(_rational(part, functions, values) for part in node.parts))
    if (whole := whole_exponent(node)) is not None:
        return _rational(node.parts[0], functions, values) ** whole
    return values[_identity(node)]
