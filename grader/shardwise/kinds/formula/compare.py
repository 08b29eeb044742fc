"""Formulas compared: equal wherever they are defined, however they are written.

A verdict rests on two tests, and on nothing else. Formulas with equal fingerprints are the same rational function of
their symbols and calls, up to a chance below 1e-14 that they are not (fingerprint.py says why). All others are worked
out at points: one point at which they differ proves that they are different, and formulas that agree at every point, to
1e-9 relative, are taken for equal without a proof. Sameness beyond rational arithmetic, such as log2(N) and
ln(N)/ln(2), rests on the points alone.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from shardwise.kinds.formula.fingerprint import Fingerprint, fingerprint
from shardwise.kinds.formula.notation import read
from shardwise.kinds.formula.tree import FormulaError, Node
from shardwise.kinds.formula.values import value_at

__all__ = ["CounterExample", "Formula", "FormulaError", "difference", "evaluate", "parse"]

AGREEMENT = 1e-9  # relative, between two formulas at a point


@dataclass(frozen=True)
class Formula:
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


def parse(text: str, symbols: Collection[str]) -> Formula:
    """A text as a formula. Raises FormulaError, for the student, and nothing else.

    >>> print(parse("t = 2M(N-1)/N", ("M", "N")))
    2*M*(N - 1)/N
    """
    tree = read(text, symbols)
    return Formula(tree, fingerprint(tree, text))


def evaluate(formula: Formula, point: Mapping[str, float]) -> float:
    """The value at a point; nan where undefined, infinite where it is beyond all floats.

    >>> evaluate(parse("ceil(log2(N))", ("N",)), {"N": 5})
    3.0
    """
    return value_at(formula.tree, point)


def difference(theirs: Formula, ours: Formula, points: Sequence[Mapping[str, float]]) -> CounterExample | None:
    """The simplest point at which two formulas differ, or None if they are the same formula.

    Equal rational functions are the same, also where one of them divides by zero. A point where both are undefined
    says nothing; one where only one of them is counts as a difference.
    """
    if theirs.fingerprint == ours.fingerprint:
        return None
    apart = undefined = None
    agrees = False
    for point in sorted(points, key=_size):
        example = CounterExample(point, evaluate(theirs, point), evaluate(ours, point))
        defined = math.isfinite(example.theirs), math.isfinite(example.ours)
        if not any(defined):
            undefined = undefined or example
        elif not math.isclose(example.theirs, example.ours, rel_tol=AGREEMENT):
            if all(defined):
                return example
            apart = apart or example
        else:
            agrees = True
    if apart is None and not agrees:  # no point can tell them apart, so they are not known to be the same
        return undefined or CounterExample({}, math.nan, math.nan)
    return apart


def _size(point: Mapping[str, float]) -> float:
    """How large a point's numbers are: a small example is easier to check by hand."""
    return sum(map(_magnitude, point.values()))


@lru_cache(maxsize=4096)  # a symbol has few values, and every comparison begins with the simplest point
def _magnitude(value: float) -> float:
    return abs(math.log(abs(value))) if value and math.isfinite(value) else 0.0
