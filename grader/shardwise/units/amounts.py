"""Conversion of numbers between base units and other units, and their presentation."""

from __future__ import annotations

import math
import re
from fractions import Fraction

from shardwise.units.numerals import raised
from shardwise.units.parsing import plural, unit

Direction = str  # "per direction", "duplex" or "none"
DIRECTIONS = ("per direction", "duplex", "none")

_SUFFIXES = {"per direction": " per direction", "duplex": " (both directions together)"}
THIN_SPACE = "\u202f"  # and it prevents a line break


def to_base(number: float | Fraction, text: str, direction: Direction = "none") -> int | float:
    """Return `number` of a unit in base units, exact if it is whole. A duplex bandwidth is halved to that of one direction.

    >>> to_base(2, "GB"), to_base(5, "us"), to_base(600, "GB/s", "duplex")
    (2000000000, 5e-06, 300000000000)
    """
    exact = _exact(number) * unit(text).factor / (2 if direction == "duplex" else 1) + unit(text).offset
    return int(exact) if exact.denominator == 1 else float(exact)


def _exact(number: float | Fraction) -> Fraction:
    """Return the decimal number that was written, not its binary approximation: 0.1 is one tenth."""
    return Fraction(repr(number)) if isinstance(number, float) else Fraction(number)


def from_base(value: float, text: str, direction: Direction = "none") -> float:
    """Return a base-unit number in a unit.

    >>> from_base(1.75e9, "GB")
    1.75
    """
    factor, offset = unit(text).factor, unit(text).offset
    doubled = 2 * value if direction == "duplex" else value
    if offset and math.isfinite(value):
        return float((_exact(float(value)) - offset) / factor)
    if isinstance(value, int) and abs(value) > 2**53:
        return float(Fraction(doubled) / factor)
    return float(doubled * factor.denominator / factor.numerator)


def show_amount(value: float, text: str, direction: Direction = "none", digits: int = 4) -> str:
    """Return a base-unit number as text in a unit.

    >>> show_amount(1.75e9, "GB"), show_amount(0.07, "ms"), show_amount(300e9, "GB/s", "duplex"), show_amount(64, "step")
    ('1.75 GB', '70 ms', '600 GB/s (both directions together)', '64 steps')
    """
    amount = from_base(value, text, direction)
    whole = int(amount) if amount == amount and abs(amount) < 1e15 and amount == int(amount) else amount
    return written(whole, unit(text).name, direction, digits)


def written(number: float, text: str, direction: Direction, digits: int) -> str:
    """Return a number with its unit as text: "64 steps".

    >>> written(1, "step", "none", 4), written(64, "", "none", 4)
    ('1 step', '64')
    """
    name = plural(text, number)
    space = " " if name and name != "°" else ""
    return f"{show_number(number, digits)}{space}{name}{_SUFFIXES.get(direction, '')}"


def echoed(number: float, text: str, direction: Direction = "none") -> str:
    """Return a number with its unit as feedback repeats an answer, with more digits than usual.

    >>> echoed(1875, "MB"), echoed(1.875, "GB"), echoed(1, "step")
    ('1875 MB', '1.875 GB', '1 step')
    """
    return written(number, text, direction, digits=7)


def show_number(value: float, digits: int = 4) -> str:
    """Return a number for display: `digits` significant digits, thin spaces, and a power of ten if it is far from 1.

    It has no commas, since students may copy it, and 1,875 is ambiguous.

    >>> show_number(1875), show_number(0.0656250), show_number(3.7908e25), show_number(16384).split(THIN_SPACE)
    ('1875', '0.06563', '3.791 × 10²⁵', ['16', '384'])
    """
    if isinstance(value, int) and abs(value) < 10**9:
        return _grouped(f"{value:,}")
    if value == 0 or value != value or value in (float("inf"), float("-inf")):
        return f"{value:g}"
    if abs(value) >= 1e9 or abs(value) < 1e-4:
        mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
        mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
        power = f"10{raised(int(exponent))}"
        return f"{mantissa} × {power}"
    rounded = float(f"{value:.{digits}g}")
    if rounded == int(rounded):
        return _grouped(f"{int(rounded):,}")
    decimals = max(0, digits - len(str(int(abs(rounded)))) if abs(rounded) >= 1 else digits + 3)
    return _grouped(f"{rounded:,.{decimals}f}".rstrip("0").rstrip("."))


_COMMA = re.compile(r"\d,\d{3}")
_NUMERAL = re.compile(
    r"```.*?```|`[^`]*`|\$[^$\n]*\$"  # code and TeX are left unchanged
    r"|(?<![\w.,])(?P<numeral>[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?)(?![\d,]*\d)",
    re.DOTALL,
)


def regrouped(text: str) -> str:
    """Return prose with its numbers with commas written as `show_number` does.

    >>> regrouped("8,192 tokens of `f(1,024)` on 16,384 GPUs").split(THIN_SPACE)
    ['8192 tokens of `f(1,024)` on 16', '384 GPUs']
    """
    if not _COMMA.search(text):  # as in most texts
        return text
    return _NUMERAL.sub(lambda found: _grouped(found["numeral"]) if found["numeral"] else found[0], text)


def _grouped(text: str) -> str:
    """Return a number with thin spaces for commas; with four digits before the point it needs none."""
    return text.replace(",", THIN_SPACE if len(text.partition(".")[0].lstrip("-")) > 5 else "")
