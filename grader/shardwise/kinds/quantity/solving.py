"""Solving a draw: its key, its mistakes and its slips in base units, none within the tolerances of another."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import combinations

from shardwise.errors import Reject
from shardwise.kinds.quantity.model import QuantityTemplate, allowed
from shardwise.kinds.quantity.slips.plan import Slip, not_told, plan_of, slips
from shardwise.kinds.quantity.slips.stops import Stop
from shardwise.template.draw import Draw

AGREEMENT = 1e-9  # relative; key and oracle are doubles, and sums of a few thousand terms lose a few digits


@dataclass(frozen=True)
class Solved:
    """Key and mistakes of one draw, in base units."""

    key: float
    mistakes: tuple[float | None, ...]  # None if a mistake does not apply to this draw
    unsteady: frozenset[int] = frozenset()  # the mistakes that are not the same multiple of the key in every draw
    slips: tuple[Slip, ...] = ()
    stops: tuple[Stop, ...] = ()  # parameters and intermediate results, each with a sentence about it


def solve(template: QuantityTemplate, draw: Draw) -> Solved:
    """Return the key, the mistakes and the slips of a draw. Raises Reject if two of them cannot be distinguished."""
    answer = template.answer
    key = draw.references.key(answer.reference, draw.values, answer.arguments)
    mistakes = tuple(mistake.of(key, draw) for mistake in template.mistakes)
    known = [(number, value) for number, value in enumerate((key, *mistakes)) if value is not None]
    tolerances = [allowed(answer, value) for _, value in known]
    for ((first, each), its), ((second, other), others) in combinations(zip(known, tolerances, strict=True), 2):
        if abs(each - other) <= 1.000001 * (its + others):
            pair = f"mistake {first} and mistake {second}" if first else f"mistake {second} and the key"
            raise Reject(f"{pair} are within their tolerances of each other")
    for number, mistake in enumerate(template.mistakes, start=1):
        value = mistake.unknown(key, draw)
        if value is not None and AGREEMENT * abs(key) < abs(value - key) <= tolerances[0]:
            raise Reject(f"mistake {number}, which `when` excludes here, lies within the tolerance of the key")
    return _with_slips(template, draw, Solved(key, mistakes))


def _with_slips(template: QuantityTemplate, draw: Draw, solved: Solved) -> Solved:
    plan = plan_of(template, draw)
    found = plan.program.run(draw.values)
    if not math.isclose(found[0], solved.key, rel_tol=AGREEMENT):
        return solved
    tolerance_of_key = allowed(template.answer, solved.key)
    if (likely := not_told(plan, found, tolerance_of_key)) is not None:
        raise Reject(f"the key and the result without {likely} are within the tolerance of each other")
    return replace(
        solved,
        slips=slips(plan, found, tolerance_of_key, template, draw),
        stops=() if plan.stops is None else plan.stops.of(draw, template),
        unsteady=plan.unsteady,
    )
