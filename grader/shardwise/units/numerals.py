"""Numerals: digits with points, commas, spaces and exponents, read exactly if they are unambiguous, and multiples in words."""

from __future__ import annotations

import re
from fractions import Fraction

LARGEST_EXPONENT = 99  # of ten, as in 1e9
SUPERSCRIPTS = "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"
_DIGITS = "-0123456789"
_RAISED, _LOWERED = str.maketrans(_DIGITS, SUPERSCRIPTS), str.maketrans(SUPERSCRIPTS, _DIGITS)

# A space belongs to a number only before exactly three digits, as in 70 000. A number is never cut short, whatever follows it; a
# possessive quantifier would do the same, but Python before 3.11.5 has a bug there.
_GOES_ON = r"\d|[.,_'’](?=\d)| (?=\d{3}(?!\d))"
NUMERAL = re.compile(rf"(?:\d(?:{_GOES_ON})*(?!{_GOES_ON})\.?|\.\d+)(?:[eE][+-]?\d{{1,3}}(?![\d.]))?")
_GROUPED = re.compile(r"[1-9]\d{0,2}(?:([ ,.'’])\d{3})(?:\1\d{3})*")
_TWO_WAYS = re.compile(r"([1-9]\d{0,2}),(\d{3})")

_SYMBOLS = {"k": 10**3, "K": 10**3, "M": 10**6, "B": 10**9, "T": 10**12}
_WORDS = {
    "thousand": 10**3, "million": 10**6, "millions": 10**6, "mn": 10**6, "mln": 10**6, "mio": 10**6,
    "billion": 10**9, "billions": 10**9, "bn": 10**9, "bil": 10**9, "trillion": 10**12, "trillions": 10**12, "tn": 10**12,
}  # fmt: skip
MULTIPLES = rf"(?:{'|'.join(_SYMBOLS)}|(?i:{'|'.join(sorted(_WORDS, key=len, reverse=True))}))(?![A-Za-z/])"


class UnclearNumeral(ValueError):
    """An error for a text that cannot be read or evaluated, with the reason in words for the student."""


class TwoReadings(ValueError):
    """A numeral that can be read in two ways: `thousands` and `decimal` are unambiguous spellings of each."""

    def __init__(self, thousands: str, decimal: str) -> None:
        super().__init__(thousands, decimal)
        self.thousands, self.decimal = thousands, decimal


def raised(digits: int | str) -> str:
    """Return a whole number in superscript digits.

    >>> raised(-12)
    '⁻¹²'
    """
    return str(digits).translate(_RAISED)


def lowered(text: str) -> str:
    """Return a text with plain digits for superscripts.

    >>> lowered("10⁻¹²")
    '10-12'
    """
    return text.translate(_LOWERED)


def multiple(text: str) -> int:
    """Return the number that one of MULTIPLES means.

    >>> multiple("k"), multiple("Million")
    (1000, 1000000)
    """
    return _SYMBOLS.get(text) or _WORDS[text.lower()]


def numeral(text: str, *, whole: bool = False) -> Fraction:
    """Return the value of a numeral; `whole` means that a comma before three digits separates thousands, as in a count of steps.

    >>> numeral("1,234.5"), numeral("0,750"), numeral("70 000"), numeral("2,048", whole=True)
    (Fraction(2469, 2), Fraction(3, 4), Fraction(70000, 1), Fraction(2048, 1))

    Raises TwoReadings for one such as 1,875, and Unclear for anything that is not a number.
    """
    digits, _, exponent = _as_in_ascii(text).lower().partition("e")
    if abs(int(exponent or 0)) > LARGEST_EXPONENT:
        raise UnclearNumeral(f"{text} is too large or too small.")
    doubtful = _TWO_WAYS.fullmatch(digits)
    if doubtful and not whole:
        raise TwoReadings("".join(doubtful.groups()), ".".join(doubtful.groups()))
    return Fraction(_plain(digits)) * Fraction(10) ** int(exponent or 0)


def last_place(text: str) -> Fraction:
    """Return the place value of the last digit of a numeral, which is its precision.

    >>> last_place("0.289"), last_place("1,200"), last_place("1.75e9")
    (Fraction(1, 1000), Fraction(1, 1), Fraction(10000000, 1))
    """
    digits, _, exponent = _as_in_ascii(text).lower().partition("e")
    return Fraction(10) ** (int(exponent or 0) - len(_plain(digits).partition(".")[2]))


def _as_in_ascii(text: str) -> str:
    """Return a numeral with the digits 0 to 9 instead of those of other scripts: an input method may write １ for 1."""
    return re.sub(r"\d", lambda found: str(int(found[0])), text)


def _plain(digits: str) -> str:
    """Return digits with at most one point, the decimal point."""
    if "_" in digits and re.fullmatch(r"\d+(?:_\d+)+(?:\.\d*)?", digits):
        return digits.replace("_", "")
    if re.fullmatch(r"\d*\.?\d*", digits):
        return digits
    if _is_grouped(digits):
        return re.sub(r"\D", "", digits)
    head, sign, tail = digits.rpartition("," if digits.rfind(",") > digits.rfind(".") else ".")
    if (
        sign
        and re.fullmatch(r"\d*", tail)
        and (re.fullmatch(r"\d+", head) or (_GROUPED.fullmatch(head) and sign not in head))
    ):
        return f"{re.sub(r'[^0-9]', '', head)}.{tail}"
    raise UnclearNumeral(f"I can't tell which number “{digits}” is.")


def _is_grouped(digits: str) -> bool:
    """Return whether the digits are in groups of three; a single point does not separate groups."""
    found = _GROUPED.fullmatch(digits)
    return found is not None and (found[1] != "." or digits.count(".") > 1)
