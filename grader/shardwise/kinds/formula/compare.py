"""Formulas compared: equal wherever they are defined, however they are written.

A verdict rests on two tests, and on nothing else. Formulas with equal fingerprints are the same rational function of
their symbols and calls, up to a chance below 1e-14 that they are not (fingerprint.py says why). All others are worked
out at points: one point at which they differ proves that they are different, and formulas that agree at every point, to
1e-9 relative, are taken for equal without a proof. A term such as N/P is lost in them where P is a million and the
rest of the formula is larger still. So formulas of arithmetic alone, which are equal everywhere or nowhere, are worked
out at small numbers as well. Sameness beyond rational arithmetic, such as log2(N) and ln(N)/ln(2), may hold only for
numbers as the question has them, and rests on its points alone.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle

from shardwise.kinds.formula.fingerprint import Fingerprint, fingerprint
from shardwise.kinds.formula.notation import read_notation
from shardwise.kinds.formula.tree import FormulaError, Node, before_rounding, is_arithmetic
from shardwise.kinds.formula.values import value_at

__all__ = ["CounterExample", "FormulaError", "ParsedFormula", "difference", "formula_value", "parse_formula"]

AGREEMENT = 1e-9  # relative, between two formulas at a point
PLAIN = 1e-3  # relative: as large a difference shows in the four digits in which numbers are printed
FARTHER = 1.01  # times as far apart as at a simpler point: less is rounding
_SMALL = tuple(map(float, (3, 7, 13, 19, 29, 37, 43, 53)))  # for symbols: none is another one plus 1, or twice it


@dataclass(frozen=True)
class ParsedFormula:
    """A formula that was read: what it says, and its fingerprint."""

    tree: Node
    fingerprint: Fingerprint

    def __str__(self) -> str:
        return str(self.tree)


@dataclass(frozen=True)
class CounterExample:
    """A point at which two formulas differ, and what each gives there; nan where one is undefined."""

    point: Mapping[str, float]
    theirs: float
    ours: float

    @property
    def relative(self) -> float:
        """How far the two are apart, next to the larger one; infinite where one is undefined."""
        if not (math.isfinite(self.theirs) and math.isfinite(self.ours)):
            return math.inf
        return abs(self.theirs - self.ours) / (max(abs(self.theirs), abs(self.ours)) or 1.0)


def parse_formula(text: str, symbols: Collection[str]) -> ParsedFormula:
    """A text as a formula. Raises FormulaError, for the student, and nothing else.

    >>> print(parse_formula("t = 2M(N-1)/N", ("M", "N")))
    2*M*(N - 1)/N
    """
    tree = read_notation(text, symbols)
    return ParsedFormula(tree, fingerprint(tree, text))


def formula_value(formula: ParsedFormula, point: Mapping[str, float]) -> float:
    """The value at a point; nan where undefined, infinite where it is beyond all floats.

    >>> formula_value(parse_formula("ceil(log2(N))", ("N",)), {"N": 5})
    3.0
    """
    return value_at(formula.tree, point)


def difference(
    theirs: ParsedFormula, ours: ParsedFormula, points: Sequence[Mapping[str, float]]
) -> CounterExample | None:
    """A point at which two formulas differ, or None if they are the same formula.

    The simplest point at which it is plain to see that they differ; where it is at none, the one at which they differ
    most. Equal rational functions are the same, also where one of them divides by zero. A point where both are
    undefined says nothing; one where only one of them is counts as a difference, if no other shows one.
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
    if apart is None and not agrees:  # no point can distinguishes them, so they are not known to be the same
        return undefined or CounterExample({}, math.nan, math.nan)
    return apart


def is_recognised(theirs: ParsedFormula, known: ParsedFormula, points: Sequence[Mapping[str, float]]) -> bool:
    """Whether a formula is a known one, so surely that what is known of that one may be said of it.

    Two that are rounded up to whole numbers may agree at every point and come from different thoughts. So they have to
    agree before they are rounded, too.
    """
    if difference(theirs, known, points) is not None:
        return False
    each, other = before_rounding(theirs.tree), before_rounding(known.tree)
    both = [(value_at(each, point), value_at(other, point)) for point in points]
    return all(math.isclose(*pair, rel_tol=AGREEMENT) for pair in both if all(map(math.isfinite, pair)))


def farthest(theirs: ParsedFormula, ours: ParsedFormula, points: Sequence[Mapping[str, float]]) -> float:
    """How far two formulas are apart at the worst of the points, next to the larger one."""
    return max((example.relative for example in _examples(theirs, ours, points)), default=math.inf)


def _examples(
    theirs: ParsedFormula, ours: ParsedFormula, points: Sequence[Mapping[str, float]]
) -> Iterator[CounterExample]:
    """What two formulas give at the points, simple ones first, and then at small numbers where that is allowed.

    Not if one divides by zero at these: equal formulas do so at different places.
    """
    for point in sorted(points, key=_size):
        yield CounterExample(point, formula_value(theirs, point), formula_value(ours, point))
    if points and is_arithmetic(theirs.tree) and is_arithmetic(ours.tree):
        point = dict(zip(points[0], cycle(_SMALL)))
        example = CounterExample(point, formula_value(theirs, point), formula_value(ours, point))
        if math.isfinite(example.relative):
            yield example


def _size(point: Mapping[str, float]) -> float:
    """How large a point's numbers are: a small example is easier to check by hand."""
    return sum(abs(math.log(abs(value))) for value in point.values() if value and math.isfinite(value))
