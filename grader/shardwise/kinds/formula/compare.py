"""Formulas compared: equal wherever they are defined, however they are written.

A verdict rests on two tests alone. Formulas with equal fingerprints are the same rational function of
their symbols and calls, up to a chance below 1e-14 that they are not (fingerprint.py says why). All others are evaluated
at points: one point at which they differ proves that they are different, and formulas that agree at every point, to
1e-9 relative, count as equal without a proof. A term such as N/P is lost there if P is a million and the
rest of the formula is larger still. So analytic formulas, which consist of arithmetic and functions such as sin,
are evaluated at small numbers as well: at 45° alone, sin(x) and cos(x) are the same. Other formulas, such as log2(N) and
ln(N)/ln(2), may agree only for the numbers of the question, so they are evaluated at its points alone.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle

from shardwise.kinds.formula.fingerprint import Fingerprint, fingerprint
from shardwise.kinds.formula.notation import read_notation
from shardwise.kinds.formula.tree import FormulaError, Node, before_rounding, is_analytic, nodes
from shardwise.kinds.formula.values import value_at

__all__ = ["CounterExample", "FormulaError", "ParsedFormula", "difference", "formula_value", "parse_formula"]

AGREEMENT = 1e-9  # relative, between two formulas at a point
PLAIN = 1e-3  # relative; a difference that the four printed digits of numbers show
FARTHER = 1.01  # a larger point is preferred only if its difference is so many times larger; less may be rounding
_SMALL = tuple(
    map(float, (3, 7, 13, 19, 29, 37, 43, 53))
)  # for symbols; none of them is another one plus 1, or twice another one


@dataclass(frozen=True)
class ParsedFormula:
    """A parsed formula: its tree, and its fingerprint."""

    tree: Node
    fingerprint: Fingerprint

    def __str__(self) -> str:
        return str(self.tree)


@dataclass(frozen=True)
class CounterExample:
    """A point at which two formulas differ, and the value of each; nan if it is undefined."""

    point: Mapping[str, float]
    theirs: float
    ours: float

    @property
    def relative(self) -> float:
        """The difference relative to the larger value; infinite if one is undefined."""
        if not (math.isfinite(self.theirs) and math.isfinite(self.ours)):
            return math.inf
        return abs(self.theirs - self.ours) / (max(abs(self.theirs), abs(self.ours)) or 1.0)


def parse_formula(text: str, symbols: Collection[str]) -> ParsedFormula:
    """Parse a formula. Raises FormulaError, for the student, and no other error.

    >>> print(parse_formula("t = 2M(N-1)/N", ("M", "N")))
    2*M*(N - 1)/N
    """
    tree = read_notation(text, symbols)
    return ParsedFormula(tree, fingerprint(tree, text))


def formula_value(formula: ParsedFormula, point: Mapping[str, float]) -> float:
    """Return the value at a point; nan if undefined, infinite if larger than any float.

    >>> formula_value(parse_formula("ceil(log2(N))", ("N",)), {"N": 5})
    3.0
    """
    return value_at(formula.tree, point)


def difference(
    theirs: ParsedFormula, ours: ParsedFormula, points: Sequence[Mapping[str, float]]
) -> CounterExample | None:
    """Return a point at which two formulas differ, or None if they are the same formula.

        It is the simplest point at which the difference is obvious or, if there is none, the point of the largest
    difference. Equal rational functions are the same, even if one of them divides by zero. A point where both are
    undefined means nothing; a point where only one of them is counts as a difference if no other point shows one.
    """
    if theirs.fingerprint == ours.fingerprint:
        return None
    most = half_defined = undefined = None
    agrees = False
    for example in _examples(theirs, ours, points):
        defined = math.isfinite(example.theirs), math.isfinite(example.ours)
        if not any(defined):
            undefined = undefined or example
        elif not all(defined):
            half_defined = half_defined or example
        elif math.isclose(example.theirs, example.ours, rel_tol=AGREEMENT):
            agrees = True
        elif example.relative >= PLAIN:
            return example
        elif most is None or example.relative > FARTHER * most.relative:
            most = example
    apart = most or half_defined
    if apart is None and not agrees:  # no point can distinguish them, so they are not known to be the same
        return undefined or CounterExample({}, math.nan, math.nan)
    return apart


def is_recognised(theirs: ParsedFormula, known: ParsedFormula, points: Sequence[Mapping[str, float]]) -> bool:
    """Return whether a formula certainly is a known one, so that the feedback on that one applies.

        Two formulas that round up may agree at every point although they rest on different ideas. So they must
    also agree before rounding.
    """
    if difference(theirs, known, points) is not None:
        return False
    each, other = before_rounding(theirs.tree), before_rounding(known.tree)
    both = [(value_at(each, point), value_at(other, point)) for point in points]
    return all(math.isclose(*pair, rel_tol=AGREEMENT) for pair in both if all(map(math.isfinite, pair)))


def farthest(theirs: ParsedFormula, ours: ParsedFormula, points: Sequence[Mapping[str, float]]) -> float:
    """Return the largest relative difference of two formulas over the points."""
    return max((example.relative for example in _examples(theirs, ours, points)), default=math.inf)


def _examples(
    theirs: ParsedFormula, ours: ParsedFormula, points: Sequence[Mapping[str, float]]
) -> Iterator[CounterExample]:
    """Yield the values of two formulas at the points, simple ones first, then at small numbers if they are comparable there.

    They are not if one divides by zero at these: equal formulas may do so at different places.
    """
    for point in sorted(points, key=_size):
        yield CounterExample(point, formula_value(theirs, point), formula_value(ours, point))
    if points and is_analytic(theirs.tree) and is_analytic(ours.tree):
        has_calls = any(node.kind == "call" for tree in (theirs.tree, ours.tree) for node in nodes(tree))
        point = {name: value / 10 if has_calls else value for name, value in zip(points[0], cycle(_SMALL))}
        example = CounterExample(point, formula_value(theirs, point), formula_value(ours, point))
        if math.isfinite(example.relative):
            yield example


def _size(point: Mapping[str, float]) -> float:
    """Return the size of a point's numbers: a small example is easier to check by hand."""
    return sum(abs(math.log(abs(value))) for value in point.values() if value and math.isfinite(value))
