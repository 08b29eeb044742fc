"""Whether a constraint holds for a number, and whether that is a close call."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from shardwise.units import unit
from shardwise_bank.kinds.layout.model import JudgedConstraint

CLOSE = 0.02  # of a limit; within this distance, intermediate rounding may change the verdict
NO_FAULT = -1  # the finding of a constraint on faults when there are none
DIGITS = 6  # significant digits of a number in the key

Number = int | float


def kept(number: Number) -> Number:
    """Return a number as the key stores it: integers unchanged, others with six digits, so that equal ones stay equal."""
    return number if isinstance(number, int) else float(f"{number:.{DIGITS}g}")


def meets_limit(constraint: JudgedConstraint, seen: Number | None) -> bool:
    """Return whether a finding meets a constraint."""
    if seen is None:
        return False
    if constraint.words is not None:
        return seen == NO_FAULT
    return is_met(constraint, seen) or (constraint.counts and is_close(constraint, seen))


def is_met(constraint: JudgedConstraint, seen: Number) -> bool:
    """Return whether a number strictly meets its limit."""
    if constraint.at_most is not None:
        return seen <= constraint.at_most
    if constraint.at_least is not None:
        return seen >= constraint.at_least
    return seen == int(seen)


def is_close(constraint: JudgedConstraint, seen: Number | None) -> bool:
    """Return whether a number is so close to its limit that rounding decides. Counts, and numbers equal to the limit, are exact."""
    limit = limit_of(constraint)
    if seen is None or limit is None or seen == limit:
        return False
    if unit(constraint.unit).is_count and seen == int(seen) and limit == int(limit):
        return False
    return abs(seen - limit) <= CLOSE * abs(limit)


def limit_of(constraint: JudgedConstraint) -> Number | None:
    """Return the limit of a constraint, or None."""
    return constraint.at_most if constraint.at_most is not None else constraint.at_least


def holds_at(constraint: JudgedConstraint, place: int) -> bool:
    """Return whether the combination at an index meets a constraint."""
    return meets_limit(constraint, constraint.seen[place])


def is_right(constraints: Iterable[JudgedConstraint], place: int) -> bool:
    """Return whether a combination meets every constraint."""
    return all(holds_at(constraint, place) for constraint in constraints)


def layout_credit(constraints: Sequence[JudgedConstraint], place: int) -> float:
    """Return the share of soft constraints that are met; 0 when a hard or required one is broken."""
    met = [(holds_at(constraint, place), constraint) for constraint in constraints]
    if not all(it for it, constraint in met if constraint.hard or constraint.required):
        return 0.0
    soft = [it for it, constraint in met if not constraint.hard]
    return sum(soft) / len(soft) if soft else 1.0


def hangs(constraints: Iterable[JudgedConstraint], place: int) -> bool:
    """Return whether the verdict on a combination depends on a close call."""
    close = False
    for constraint in constraints:
        seen = constraint.seen[place]
        if not constraint.counts and is_close(constraint, seen):
            close = True
        elif not meets_limit(constraint, seen):
            return False
    return close


def margin(constraints: Iterable[JudgedConstraint], places: int) -> float:
    """Return the distance of the closest decision to its limit, in units of a close call; above 1 is safe."""
    known, nearest = list(constraints), float("inf")
    for place in range(places):
        broken = [constraint for constraint in known if not holds_at(constraint, place)]
        for constraint in broken or known:
            seen, limit = constraint.seen[place], limit_of(constraint)
            exact = seen is None or not limit or seen == limit or (unit(constraint.unit).is_count and seen == int(seen))
            if len(broken) < 2 and not exact and not constraint.counts:
                nearest = min(nearest, abs(seen - limit) / abs(CLOSE * limit))  # type: ignore[operator]
    return nearest
