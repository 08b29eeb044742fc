"""Slips that occur in every question of some dimension: prefixes, bits, units of time, per cent, directions, the inverse, the sign."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from shardwise.errors import ShardwiseError
from shardwise.units import SUPERSCRIPTS, THIN_SPACE, from_base, lowered, raised, show_number, unit

Trait = Literal[  # the subject of a question, from the units of its parameters and its answer
    "data", "bits", "time", "direction", "share"  # time: only in keys of older versions
]  # fmt: skip
ROUNDED = 0.005  # relative; the error of an answer rounded to three figures
INVERSE = "You inverted the ratio."
OWN_NUMBER = " Or did you omit one of the question's numbers, or count it twice?"
FINE = 5e-4  # relative; the error of an answer with four figures or more
SHARP = 1e-3  # relative; the tolerance for a factor of units, since some of them are close to each other

_POWERS = {10.0**power: power for power in range(-15, 16) if power}
BITS = "Bits or bytes? A byte has 8 bits. Which of the two do your numbers count?"
_DIRECTION = "Check the directions: does the rate that you used count one direction or both?"
_BINARY = {"k": ("kB is 10³ bytes, KiB is 2¹⁰", 1.024), "K": ("kB is 10³ bytes, KiB is 2¹⁰", 1.024),
           "M": ("MB is 10⁶ bytes, MiB is 2²⁰", 1.024**2), "G": ("GB is 10⁹ bytes, GiB is 2³⁰", 1.024**3),
           "T": ("TB is 10¹² bytes, TiB is 2⁴⁰", 1.024**4)}  # fmt: skip
_CLOCK = {"ms": "milliseconds", "s": "seconds", "min": "minutes", "h": "hours", "day": "days", "week": "weeks"}
_CLOCK_WORDS = {"milliseconds": "(?:ms|milliseconds?)", "seconds": "(?:s|seconds?)", "minutes": "(?:min|minutes?)", "hours": "(?:h|hours?)",
                "days": "days?", "weeks": "weeks?", "years": "years?"}  # fmt: skip
_TIMES = {60: ("minutes and seconds", "hours and minutes"), 3600: ("hours and seconds",), 24: ("days and hours",),
          86_400: ("days and seconds",), 1440: ("days and minutes",), 7: ("weeks and days",), 365: ("years and days",),
          3600e3: ("hours and milliseconds",), 8760: ("years and hours",)}  # fmt: skip
FEWEST = 3  # significant figures of an answer with which a far-fetched slip must agree
LAST_BITS = 1e-9  # relative
_SHOWN = re.compile(rf"(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)(?: × 10([{SUPERSCRIPTS}]+))?")


@dataclass(frozen=True)
class Asked:
    """The facts about a question on which slips of every question depend."""

    key: float
    unit: str
    traits: Sequence[Trait] = ()
    exact: bool = False  # whether the question asks for the exact number, or has an absolute tolerance
    shown: Sequence[str] = ()  # the parameters, as a student reads them
    clocks: frozenset[str] = frozenset()  # the units of time that the prompt mentions

    @property
    def is_plain(self) -> bool:
        """Whether the answer has no dimension."""
        return unit(self.unit).dimension == "dimensionless"


def everywhere(given: float, asked: Asked, *, step: float = 0.0, is_own: bool = True) -> list[str]:
    """Return the slips that occur in every question of this dimension; `is_own` if a parameter's value may also explain them."""
    key = asked.key
    if not (key and given):
        return []
    ratio = given / key
    also = OWN_NUMBER if is_own and _is_of_a_parameter(ratio, asked.shown) else ""
    within = ROUNDED if significant_figures(given, step) <= 3 else FINE
    digits = min(step / 2 / abs(given), ROUNDED) if significant_figures(given, step) >= FEWEST else 0.0
    found = [say + also for say in _of_units(ratio, within, digits, asked)]
    own, right = (given, key) if asked.is_plain else (from_base(given, asked.unit), from_base(key, asked.unit))
    found += _of_inverse(own, right, within)
    if asked.is_plain and not asked.exact:
        is_share = "share" in asked.traits or unit(asked.unit).factor < 1
        found += _of_shares(given, key, max(SHARP, digits), is_share=is_share)
    return found


def _is_of_a_parameter(ratio: float, shown: Sequence[str]) -> bool:
    """Return whether an answer is off by a factor equal to a parameter's value, or to that plus or minus one."""
    for text in shown:
        number = number_in(text)
        for factor in (number - 1, number, number + 1):
            if abs(factor) not in (0, 1) and (is_ratio(ratio, factor, SHARP) or is_ratio(ratio, 1 / factor, SHARP)):
                return True
    return False


@lru_cache(maxsize=4096)
def number_in(text: str) -> float:
    """Return the number in a parameter as shown; 0 if there is none.

    >>> number_in("3.4 × 10¹⁰"), number_in(f"16{THIN_SPACE}384 tokens"), number_in("-0.5 ms"), number_in("H100-80GB")
    (34000000000.0, 16384.0, -0.5, 0.0)
    """
    found = _SHOWN.match(text.replace(THIN_SPACE, ""))
    return float(found[1]) * 10.0 ** int(lowered(found[2] or "0")) if found else 0.0


def significant_figures(given: float, step: float) -> int:
    """Return the number of significant figures of an answer with resolution `step`; trailing zeros may not count.

    >>> significant_figures(0.289, 0.001), significant_figures(8190, 1), significant_figures(0.1 + 0.2, 0)
    (3, 3, 17)
    """
    return min(17, len(str(round(abs(given) / step)).rstrip("0"))) if step else 17


def _of_units(ratio: float, within: float, digits: float, asked: Asked) -> Iterator[str]:
    texts = (asked.unit, *asked.shown)
    if is_ratio(ratio, -1, within):
        yield "The size is right, but the sign is not."
    for factor, power in _POWERS.items():
        if is_ratio(ratio, factor, within):
            yield _of_ten(power, is_plain=asked.is_plain)
    if "bits" in asked.traits or any("bit" in text for text in asked.shown):
        yield from (BITS for factor in (8, 1 / 8) if is_ratio(ratio, factor, within))
    if "data" in asked.traits:
        for prefix, (say, factor) in _BINARY.items():
            near = max(min(within, SHARP * 2), digits)
            is_off = is_ratio(ratio, factor, near) or is_ratio(ratio, 1 / factor, near)
            is_there = any(f"{prefix}B" in text or f"{prefix}iB" in text for text in texts)
            if is_off and is_there and not _is_of_neighbours(factor, asked.shown, near):
                yield f"Check the prefix: {say}."
    clocks = _clocks_of(asked.unit) or frozenset[str]().union(*map(_clocks_of_amount, asked.shown))
    for factor, pairs in _TIMES.items():
        named = ((pair, pair.split(" and ")) for pair in pairs)
        say = ", or ".join(pair for pair, both in named if clocks.intersection(both) or asked.clocks.issuperset(both))
        if say and (is_ratio(ratio, factor, within) or is_ratio(ratio, 1 / factor, within)):
            yield f"You are off by a factor of {show_number(round(factor))}: did you mix up {say}?"
    if "direction" in asked.traits:
        yield from (_DIRECTION for factor in (2, 1 / 2) if is_ratio(ratio, factor, within))


@lru_cache(maxsize=256)
def clocks_in(prompt: str) -> frozenset[str]:
    """Return the units of time that a prompt mentions.

    >>> sorted(clocks_in("It costs 3 dollars per kW-hour for 30 days."))
    ['days', 'hours']
    """
    return frozenset(name for name, word in _CLOCK_WORDS.items() if re.search(rf"\b{word}\b", prompt))


@lru_cache(maxsize=1024)
def _clocks_of(unit_text: str) -> frozenset[str]:
    """Return the units of time in a unit.

    >>> sorted(_clocks_of("PFLOP/s*day")), sorted(_clocks_of("node"))
    (['days', 'seconds'], [])
    """
    words = re.findall(r"[A-Za-z]+", unit(unit_text).text)
    of_times = [(word, unit(word).factor) for word in words if _is_time(word)]
    return frozenset(said for text, said in _CLOCK.items() for _, factor in of_times if unit(text).factor == factor)


@lru_cache(maxsize=4096)
def _clocks_of_amount(text: str) -> frozenset[str]:
    """Return the time unit of a parameter that is a time; none for a rate such as "50 GB/s".

    >>> _clocks_of_amount("36 h"), _clocks_of_amount("50 GB/s")
    (frozenset({'hours'}), frozenset())
    """
    word = text.split()[-1] if text else ""
    return _clocks_of(word) if _is_time(word) else frozenset()


def _is_time(word: str) -> bool:
    with suppress(ShardwiseError):
        return unit(word).dimension == "[time]"
    return False


def _of_ten(power: int, *, is_plain: bool) -> str:
    times = show_number(10 ** abs(power)) if abs(power) <= 6 else f"10{raised(abs(power))}"
    way = "high" if power > 0 else "low"
    if is_plain and abs(power) == 2:
        return f"You are 100 times too {way}: did you mix up a fraction and a percentage?"
    if power % 3 == 0:
        return f"You are off by a power of 1000, {times} times too {way}: check the prefixes (k, M, G, T; m, µ)."
    return f"You are off by a power of ten, {times} times too {way}: count the digits and the prefixes again."


def _is_of_neighbours(factor: float, shown: Sequence[str], within: float) -> bool:
    """Return whether N/(N-1) equals a factor for some parameter N, so that 22 hosts and MiB for MB look alike."""
    numbers = {number_in(text) for text in shown}
    return any(is_ratio(n / (n - 1), factor, within) or is_ratio((n + 1) / n, factor, within) for n in numbers if n > 1)


def _of_inverse(given: float, key: float, within: float) -> Iterator[str]:
    """Yield the feedback on an inverted number, unless the key is close to 1."""
    if not 0.9 < abs(key) < 1.1 and is_ratio(given * key, 1, within):
        yield INVERSE


def _of_shares(given: float, key: float, near: float, *, is_share: bool) -> Iterator[str]:
    """Yield slips with ratios and shares."""
    if is_share and 0 < key < 1 and not math.isclose(key, 0.5, rel_tol=0.02) and is_ratio(given / (1 - key), 1):
        yield "You gave the share of the other part, that is, the rest."
    if key > 0 and given > 0 and 0.01 < key < 100:
        if key > 1.01 and is_ratio(given / (key - 1), 1, near):
            yield "You gave the growth. How does it differ from the ratio that the question asks for?"
        if is_ratio(given / (key + 1), 1, near):
            yield "You added 1: is the ratio relative to the old value, or to the other part?"
        if is_ratio(given / (key / (1 + key)), 1, near):
            yield "You divided by the sum of the two parts. What does the question divide by?"
        if is_ratio(given * (1 + key), 1, near):
            yield "You gave the other part's share of the sum of the two."
        if key < 0.99 and is_ratio(given / (key / (1 - key)), 1, near):
            yield "You divided by the other part alone. What does the question divide by?"


def is_ratio(ratio: float, factor: float, within: float = ROUNDED) -> bool:
    """Return whether a ratio equals a factor, within a relative tolerance."""
    return abs(ratio / factor - 1) <= within


@lru_cache(maxsize=1024)
def traits_of(units: tuple[str, ...], *, is_share: bool = False) -> tuple[Trait, ...]:
    """Return a question's subject, from the units of its answer and parameters and whether it asks for a share."""
    dimensions = [unit(text).dimension for text in units]
    has: Mapping[Trait, bool] = {
        "data": any("[information]" in dimension for dimension in dimensions),
        "bits": any("[information]" in dimension for dimension in dimensions[:1]),
        "direction": bool(dimensions) and dimensions[0] == "[information] / [time]",
        "share": is_share,
    }
    return tuple(trait for trait, holds in has.items() if holds)
