"""A number with a unit, read from what a student wrote."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from shardwise.errors import ShardwiseError, Unreadable
from shardwise.units.amounts import Direction, written
from shardwise.units.parsing import Unit, unit

_MULTIPLES = {
    "k": 10**3, "K": 10**3, "thousand": 10**3, "M": 10**6, "million": 10**6, "B": 10**9, "billion": 10**9,
    "T": 10**12, "trillion": 10**12,
}  # fmt: skip
_NUMBER = r"[+-]?(?:\d{1,3}(?:,\d{3})+|\d[\d_]*|(?=\.\d))(?:\.\d*)?(?:[eE][+-]?\d{1,3})?"
_QUANTITY = re.compile(
    rf"(?P<number>{_NUMBER})"
    r"(?:\s*(?:/\s*(?P<over>\d+(?:\.\d+)?)(?![\w.])|(?:\^|\*\*)\s*(?P<power>\d{1,3})(?!\d)"
    r"|(?:[x×*·]\s*10\s*(?:\^|\*\*)\s*|[x×·]\s*10)(?P<ten>[+-]?\d{1,3}|⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3})))?"
    r"\s*(?P<unit>.*)"
)
_DIRECTED = re.compile(
    r"[\s,]*\(?(?:(?P<single>per direction|each direction|each way|one[- ]way|unidirectional)"
    r"|(?P<both>duplex|bidirectional|both directions(?: together)?|both ways))\)?\s*$"
)


@dataclass(frozen=True)
class Reading:
    """A number with a unit as a student wrote it."""

    value: float  # in base units
    text: str  # how we read it, in the student's unit


def read(text: str, expected: str, direction: Direction = "none") -> Reading:
    """Read a student's number with a unit, where `expected` is the unit that the question asks for.

    >>> read("1,750 MB", "GB").value, read("6.56e-2 s", "ms").value
    (1750000000.0, 0.0656)
    >>> read("40 GB/s", "GB")
    Traceback (most recent call last):
    shardwise.errors.Unreadable: I couldn't read “40 GB/s”. “GB/s” is a bandwidth; this question asks for an amount of data.

    Raises Unreadable, in words for the student.
    """
    wanted, shown = unit(expected), text.strip()[:60]
    number, rest = _split(text, shown)
    rest, way = _strip_direction(rest)
    number, rest = _multiple(number, rest, wanted)
    if rest == "" and not wanted.is_count:
        raise Unreadable(f"I read “{shown}” as a number without a unit. {shown} what?")
    try:
        given = unit(rest) if rest else wanted
    except ShardwiseError as error:
        raise Unreadable(f"I couldn't read “{shown}”. {error}") from None
    if given.dimension != wanted.dimension:
        raise Unreadable(
            f"I couldn't read “{shown}”. “{rest}” is {given.measures}; this question asks for {wanted.measures}."
        )
    if way == "none" and direction == "duplex":
        way = "duplex"  # a question about both directions together is answered so, also without the words
    whole = int(number) if number.denominator == 1 else float(number)
    half = number / 2 if way == "duplex" else number
    return Reading(float(half * given.factor), written(whole, given.text, way, digits=6).strip())


def _split(text: str, shown: str) -> tuple[Fraction, str]:
    """The number at the head of `text`, exactly, and what follows it."""
    if len(text) > 200:
        raise Unreadable(f"I couldn't read an answer of {len(text):,} characters. One number with its unit is enough.")
    plain = text.strip().replace("−", "-").removeprefix("~").removeprefix("≈").strip()
    if plain.startswith("$"):
        plain = plain[1:].strip() + " dollar"
    if re.match(r"[+-]?\d+,\d{1,2}(?!\d)", plain):
        raise Unreadable(
            f"I couldn't read “{shown}”: is that comma a decimal point? Write 1.75, or 1,750 for thousands."
        )
    found = _QUANTITY.fullmatch(plain)
    if found is None:
        raise Unreadable(f"I couldn't read “{shown}”. I expected a number first.")
    number = Fraction(found["number"].replace(",", "").replace("_", "").rstrip("."))
    if found["over"]:
        if Fraction(found["over"]) == 0:
            raise Unreadable(f"I couldn't read “{shown}”: it divides by zero.")
        number /= Fraction(found["over"])
    if found["power"]:
        if abs(number) > 1000 or 0 < abs(number) < Fraction(1, 1000):
            raise Unreadable(f"I couldn't read “{shown}”: that power is too large.")
        number **= int(found["power"])
    if found["ten"]:
        number *= Fraction(10) ** int(found["ten"].translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")))
    if number and not Fraction(1, 10**60) < abs(number) < 10**60:
        raise Unreadable(f"I couldn't read “{shown}”: nothing in this course is that large or that small.")
    return number, found["unit"].strip()


def _strip_direction(rest: str) -> tuple[str, Direction]:
    """What stands before the words for a direction, and that direction."""
    found = _DIRECTED.search(rest)
    if found is None:
        return rest, "none"
    return rest[: found.start()].strip(), "per direction" if found["single"] else "duplex"


def _multiple(number: Fraction, rest: str, wanted: Unit) -> tuple[Fraction, str]:
    """Take "4M tokens" or "$60.5 million" apart: a multiple, then what is counted."""
    found = re.match(r"(thousand|million|billion|trillion|[kKMBT])(?![A-Za-z/])\s*", rest)
    if found is None or "[information]" in wanted.dimension:
        return number, rest
    return number * _MULTIPLES[found[1]], rest[found.end() :].strip()
