"""Carrying: how the answer of a part follows from earlier results, both right and wrong ones.

The reference is traced for several results. Each trace becomes a way: a short program, with the comparisons on which
it depends. The ways are in the key, so marking needs no reference, and uses only numbers from a student.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from shardwise.errors import AUTHORS_CAN_RAISE, Reject
from shardwise.kinds import kinds
from shardwise.kinds.base import NumericKind, Posed
from shardwise.kinds.case.model import CasePart, Way
from shardwise.kinds.quantity.slips.expressions import TracedNode
from shardwise.kinds.quantity.slips.program import OPERATIONS, program
from shardwise.kinds.quantity.slips.tracing import Guard, Tracing, node_of
from shardwise.template.draw import Draw, whole
from shardwise.template.results import among, full_name
from shardwise.units import TRIGONOMETRY

MOST_WAYS = 16
MOST_STEPS = 2000  # of a way
TRACED = (1.0, 0.5, 2.0, 0.9, 1.1, 0.25, 4.0, 0.1, 10.0, 0.7, 1.4, 1 / 25, 25.0)  # times the right result
PROVED = (1.0, 0.55, 1.9, 0.3, 3.2)  # by the lint
MOST_PROVED = 40  # draws on which ways are compared with references: they hardly differ between draws
AGREEMENT = 1e-9

SHORT = {
    "plus": "+", "minus": "-", "times": "*", "over": "/", "power": "^", "rest": "%", "negative": "n", "ceil": "c",
    "floor": "f", "round": "r", "log": "ln", "log2": "l2", "log10": "l10", "sqrt": "sq", "exp": "e",
    **{name: name for name in TRIGONOMETRY},
}  # fmt: skip
_WORK = {short: OPERATIONS[name] for name, short in SHORT.items()}
_RELATIONS: Mapping[str, Callable[[float, float], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip


@dataclass(frozen=True)
class CarriedBounds:
    """The range of plausible results of a part."""

    right: float
    within: float
    lowest: float | None
    highest: float | None
    is_whole: bool

    def hold(self, given: float) -> bool:
        """Return whether a result is plausible, right or wrong."""
        if not math.isfinite(given) or (self.is_whole and given != math.floor(given)):
            return False
        if self.lowest is not None and given < self.lowest - AGREEMENT * abs(self.lowest):
            return False
        if self.highest is not None and given > self.highest + AGREEMENT * abs(self.highest):
            return False
        if given == self.right:
            return True
        ratio = given / self.right if self.right else 0.0
        return ratio > 0 and 1 / self.within <= ratio <= self.within

    def spread(self, factors: Sequence[float]) -> Iterator[float]:
        """Yield the plausible results at these multiples of the right one, each once."""
        seen = set()
        for factor in factors:
            given = self.right * factor
            if self.is_whole:
                given = float(round(given)) if factor == 1 else float(math.floor(given) + (factor > 1))
            if given not in seen and self.hold(given):
                seen.add(given)
                yield given


def carried_results(way: Way, results: Sequence[float]) -> list[float] | None:
    """Return every value of a way for these earlier results; None if its guards do not hold."""
    found = [*map(float, results), *way.numbers]
    for name, first, last in way.steps:
        found.append(_WORK[name](found[first], found[last]))
    for first, relation, last in way.guards:
        each, other = found[first], found[last]
        if math.isnan(each) or math.isnan(other) or not _RELATIONS[relation](each, other):
            return None
    return found


def ways_of(
    piece: CasePart, draw: Draw, posed: Posed, known: Mapping[str, CarriedBounds], places: Sequence[str]
) -> tuple[Way, ...]:
    """Return the ways in which the key of a part follows from the results it names; `places` are the names of all parts."""
    if not piece.needs:
        return ()
    found: list[Way] = []
    for numbers in tried(piece.needs, known, TRACED):
        needed = [numbers[name] for name in piece.needs]
        if all(carried_results(way, needed) is None for way in found):
            way = _traced(piece, _with(draw, numbers), posed, places)
            if way is not None:
                found.append(way)
        if len(found) == MOST_WAYS:
            break
    return tuple(found)


def tried(
    needs: Sequence[str], known: Mapping[str, CarriedBounds], factors: Sequence[float]
) -> Iterator[dict[str, float]]:
    """Yield the right results with one of the needed results changed, then with all of them changed."""
    right = {name: bounds.right for name, bounds in known.items()}
    yield right
    for name in needs:
        for given in known[name].spread(factors):
            if given != known[name].right:
                yield {**right, name: given}
    if len(needs) > 1:
        for row in zip(*(list(known[name].spread(factors)) for name in needs), strict=False):
            yield {**right, **dict(zip(needs, row, strict=True))}


def _with(draw: Draw, numbers: Mapping[str, float]) -> Draw:
    return replace(draw, values=among(draw.values, {name: whole(number) for name, number in numbers.items()}))


def _traced(piece: CasePart, draw: Draw, posed: Posed, places: Sequence[str]) -> Way | None:
    """Return the way that leads to the key for one set of results; None if there is none."""
    kind: Any = kinds()[piece.kind]
    names = {full_name(name) for name in piece.needs}
    result: TracedNode | None = None
    key: Mapping[str, Any] | None = None
    try:
        tracing = Tracing(draw.references)
        values = tracing.values(draw.values, names)
        if isinstance(kind, NumericKind):
            result = node_of(kind.recomputed(piece, tracing, values))
        else:
            again = replace(draw, values=values, references=tracing)
            other = kind.pose(piece, again, kind.solve(piece, again))
            if other.form != posed.form:
                return None
            key = other.key.model_dump(mode="json")
        return _way(piece, tracing.guards, result, key, places)
    except (Reject, *AUTHORS_CAN_RAISE):  # results for which there is no answer
        return None


def _way(
    piece: CasePart,
    guards: Sequence[Guard],
    result: TracedNode | None,
    key: Mapping[str, Any] | None,
    places: Sequence[str],
) -> Way | None:
    compared = [node for guard in guards for node in (guard.first, guard.last)]
    made = program([*compared, *([result] if result else [])], [full_name(name) for name in piece.needs])
    slots = iter(made.results)
    if len(made.steps) > MOST_STEPS:
        return None
    return Way(
        needs=tuple(places.index(name) for name in piece.needs),
        numbers=made.numbers,
        steps=tuple((SHORT[operation], first, last) for operation, first, last in made.steps),
        guards=tuple((next(slots), guard.relation, next(slots)) for guard in guards),
        result=next(slots, None),
        key=key,
    )


def faults_of_carrying(
    piece: CasePart, draw: Draw, posed: Posed, known: Mapping[str, CarriedBounds], ways: Sequence[Way]
) -> Iterator[str]:
    """Yield a fault for each result for which the ways of a part and its reference disagree."""
    kind: Any = kinds()[piece.kind]
    for numbers in tried(piece.needs, known, PROVED):
        needed = [numbers[name] for name in piece.needs]
        at = next(((way, found) for way in ways if (found := carried_results(way, needed)) is not None), None)
        expected: Any = None
        try:
            its = _with(draw, numbers)
            if isinstance(kind, NumericKind):
                expected = float(kind.recomputed(piece, draw.references, its.values))
            else:
                other = kind.pose(piece, its, kind.solve(piece, its))
                expected = other.key.model_dump(mode="json") if other.form == posed.form else None
        except (Reject, *AUTHORS_CAN_RAISE):
            expected = None
        given = ", ".join(f"{full_name(name)} = {numbers[name]:.6g}" for name in piece.needs)
        if at is None:
            if expected is not None:
                yield (
                    f"{piece.name}: for {given} the right answer cannot be computed from the key alone. Its reference counts "
                    "loops by a result, looks it up or rounds it to digits: use one that computes, or narrow `plausible`"
                )
        elif not _agree(at[0].key if at[0].result is None else at[1][at[0].result], expected):
            shown = "another answer" if at[0].result is None else f"{at[1][at[0].result]:.6g}"
            yield (
                f"{piece.name}: for {given} the key works out {shown}, but its reference gives "
                f"{expected if isinstance(expected, float) else 'another'}: part of it is not traced"
            )


def _agree(found: Any, expected: Any) -> bool:
    if isinstance(found, float) and isinstance(expected, float):
        return math.isclose(found, expected, rel_tol=AGREEMENT, abs_tol=1e-15)
    return bool(found == expected)
