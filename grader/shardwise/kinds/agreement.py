"""Agreement: whether two results are the same, numbers within a tolerance and everything else exactly."""

from __future__ import annotations

import math


def is_nan(value: object) -> bool:
    """Return whether a value is the float nan."""
    return isinstance(value, float) and math.isnan(value)


def same(ours: object, theirs: object, rel_tol: float) -> bool:
    """Return whether two results agree: numbers within `rel_tol`, sequences and dicts element by element, everything else exactly.

    A bool is not a number, and nan equals nan. If our result is exactly zero, rounding errors up to 1e-12 are allowed.

    >>> same(2.0, 2, 1e-9), same(1, True, 1e-9), same([1, 2.0], (1, 2 + 1e-12), 1e-9)
    (True, False, True)
    """
    if isinstance(ours, bool) or isinstance(theirs, bool):
        return isinstance(ours, bool) and isinstance(theirs, bool) and ours == theirs
    if isinstance(ours, int | float):
        return isinstance(theirs, int | float) and _close(ours, theirs, rel_tol)
    if isinstance(ours, list | tuple):
        return (
            isinstance(theirs, list | tuple)
            and len(ours) == len(theirs)
            and all(same(part, other, rel_tol) for part, other in zip(ours, theirs, strict=True))
        )
    if isinstance(ours, dict):
        return (
            isinstance(theirs, dict)
            and ours.keys() == theirs.keys()
            and all(same(value, theirs[key], rel_tol) for key, value in ours.items())
        )
    return type(ours) is type(theirs) and ours == theirs


def _close(ours: float, theirs: float, rel_tol: float) -> bool:
    if ours == theirs or (is_nan(ours) and is_nan(theirs)):
        return True
    try:
        return math.isclose(ours, theirs, rel_tol=rel_tol, abs_tol=1e-12 if ours == 0 else 0.0)
    except OverflowError:  # an int larger than any float, and not the same int
        return False
