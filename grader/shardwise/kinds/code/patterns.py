"""Patterns: what all wrong results of a function have in common, such as a constant factor or an off-by-one error."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

Pair = tuple[object, object]  # results, each with what was expected
FEWEST = 2  # wrong results that a pattern needs at least
FEWEST_SHIFTED = 3  # results that must be off by one: two small whole numbers often are by chance
EQUAL = 1e-6  # relative; factors closer than this are the same
_SHIFT = ": does a count start at 0 or 1, is the limit itself allowed, or should you round the other way?"
# The usual causes of a factor: 8 bits per byte, SI and binary prefixes, units of time.
_FACTORS = {
    8.0: "Did you mix up bits and bytes?",
    1e3: "Check the prefixes of your units.",
    1e6: "Check the prefixes of your units.",
    1e9: "Check the prefixes of your units.",
    1e12: "Check the prefixes of your units.",
    1.024: "Is a kilobyte 1,000 bytes here, or 1,024?",
    2**20 / 1e6: "Is it MB or MiB?",
    2**30 / 1e9: "Is it GB or GiB?",
    2**40 / 1e12: "Is it TB or TiB?",
    60.0: "Check minutes and seconds.",
    3600.0: "Check hours and seconds.",
    86400.0: "Check days and seconds.",
    100.0: "Check percentages and fractions.",
}


def pattern(wrong: Sequence[Pair], *, some_right: bool) -> str:
    """Return what the wrong results have in common, in one or two sentences; "" if nothing.

    >>> pattern([(16.0, 2.0), (24.0, 3.0)], some_right=False)
    'All results are 8 times too large. Did you mix up bits and bytes?'
    >>> pattern([(3.5, 4), (7.2, 8)], some_right=True)
    'All wrong results are not rounded: the result is a whole number.'
    """
    numbers = [(float(ours), float(theirs)) for ours, theirs in wrong if _is_number(ours) and _is_number(theirs)]  # type: ignore[arg-type]
    if len(numbers) < max(FEWEST, len(wrong)):
        return ""
    is_whole = all(isinstance(theirs, int) for _, theirs in wrong)
    if all(ours and _near(ours, -theirs) for ours, theirs in numbers):
        return f"{'The wrong' if some_right else 'All'} results have the wrong sign."
    found = _rounding(numbers, is_whole) or _shift(numbers, is_whole) or _factor(numbers)
    return f"{'All wrong' if some_right else 'All'} results are {found}" if found else ""


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300


def _rounding(numbers: Sequence[tuple[float, float]], is_whole: bool) -> str:
    if not is_whole or all(ours.is_integer() for ours, _ in numbers):
        return ""
    if all(theirs in (math.floor(ours), math.ceil(ours)) for ours, theirs in numbers):
        return "not rounded: the result is a whole number."
    return ""


def _shift(numbers: Sequence[tuple[float, float]], is_whole: bool) -> str:
    if not is_whole or len(numbers) < FEWEST_SHIFTED:
        return ""
    for shift, way in ((1, "large"), (-1, "small")):
        if all(ours - theirs == shift for ours, theirs in numbers):
            return f"one too {way}{_SHIFT}"
    return ""


def _factor(numbers: Sequence[tuple[float, float]]) -> str:
    if not all(ours and theirs for ours, theirs in numbers):
        return ""
    factor = numbers[0][0] / numbers[0][1]
    if factor <= 0 or not all(_near(ours, factor * theirs) for ours, theirs in numbers):
        return ""
    if len({theirs for _, theirs in numbers}) < FEWEST:  # for equal numbers, any factor is a pattern
        return ""
    times, way = (factor, "large") if factor > 1 else (1 / factor, "small")
    meaning = next((said for known, said in _FACTORS.items() if _near(times, known)), "")
    return f"{times:.6g} times too {way}. {meaning}".rstrip()


def _near(each: float, other: float) -> bool:
    return math.isclose(each, other, rel_tol=EQUAL)


def only_where(wrong: Sequence[Mapping[str, object]], right: Sequence[Mapping[str, object]]) -> str:
    """Return the one argument and value that all wrong calls share and no right call has, such as `hosts=1`; "" if there is none.

    >>> only_where([{"hosts": 1, "gb": 2}, {"hosts": 1, "gb": 4}], [{"hosts": 8, "gb": 2}])
    'hosts=1'
    """
    if not wrong or not right:
        return ""
    shared = [name for name in wrong[0] if len({repr(call[name]) for call in wrong}) == 1]
    alone = [name for name in shared if all(repr(call[name]) != repr(wrong[0][name]) for call in right)]
    return f"{alone[0]}={wrong[0][alone[0]]!r}" if len(alone) == 1 else ""
