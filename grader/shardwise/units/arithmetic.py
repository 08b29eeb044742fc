"""Arithmetic with units: "2*127/128*2 GB/(100 GB/s)", evaluated exactly, from left to right.

sum      = product, then any number of + product or - product; times may follow each other, as in 12 d 3 h
product  = signed, then any number of * signed, / signed, or a unit, which applies to everything before it
signed   = - signed, or power
power    = atom, alone or with ^ exponent, ** exponent or a superscript
atom     = number, (sum), a function of a (sum), such as sqrt, ceil or ln; after / also a unit alone
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from shardwise.units.numerals import NUMERAL, UnclearNumeral, last_place, lowered, numeral

DEEPEST = 20  # nested brackets and signs
LARGEST = Fraction(10) ** 60
LARGEST_EXACT = 64  # largest exponent of a power that is evaluated exactly


@dataclass(frozen=True)
class _Grammar:
    """The patterns of a text with units: a unit's word, what joins two words, several words in brackets, and a function."""

    word: re.Pattern[str]
    joined: re.Pattern[str]
    bracketed: re.Pattern[str]
    function: re.Pattern[str]


def _grammar(word: str, bracketed: str, functions: str) -> _Grammar:
    return _Grammar(
        re.compile(word),
        re.compile(rf"(?:\s*[-*·/]\s*|\s+|(?<=[%$])|(?=[%$]))(?={word})"),
        re.compile(rf"\s*[*·/]?\s*\({bracketed}\)"),
        re.compile(rf"(?:math\.|np\.|numpy\.)?(?:{functions})\s*(?=\()"),
    )


TRIGONOMETRY: Mapping[str, Callable[[float], float]] = {
    name: getattr(math, name) for name in ("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh")
}
_OF_ANGLES = ("sin", "cos", "tan")  # the functions that a student's arithmetic may use
_CALLS: Mapping[str, Callable[[Fraction], float]] = {
    "sqrt": math.sqrt, "ln": math.log, "log": math.log, "log2": math.log2, "log10": math.log10, "exp": math.exp,
    "ceil": math.ceil, "floor": math.floor,
}  # fmt: skip
_FUNCTIONS = "|".join(_CALLS)
_RAISED = r"⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+"
_POWER = rf"(?:\s?(?:\^|\*\*)\s?\(?[-+]?\d\)?(?![\d.])|{_RAISED}|-?[1-9](?![\w.,]))"
_LETTERS = r"[A-Za-zµμ_Ω\u2126Δ°º˚℃]+"
_PLAIN = _grammar(r"(?:[A-Za-zµμ_]+|[%$])", r"(?=[^()\d]{0,40}[A-Za-z])[^()\d]{1,40}", _FUNCTIONS)
_WITH_POWERS = _grammar(
    rf"(?:{_LETTERS}{_POWER}?|[%$€£])",
    rf"\s*{_LETTERS}{_POWER}?(?:\s*[*·/ ]\s*{_LETTERS}{_POWER}?)*\s*",
    f"{_FUNCTIONS}|{'|'.join(_OF_ANGLES)}",
)
_TIMES = re.compile(r"[xX](?=\s*[\d(])")
_SUPERSCRIPT = re.compile(_RAISED)
_SIGNS = {"**": "^"} | dict(zip("^*×·⋅∙/÷+-(),", "^*****//+-(),", strict=True))


@dataclass(frozen=True)
class Amount:
    """A number with a unit: its value in base units, its dimension as powers, and how it was written if that is simple."""

    value: Fraction
    powers: Mapping[str, int] = field(default_factory=dict)
    is_bare: bool = True  # whether no unit was written
    number: Fraction | None = None  # of `unit`; None if the amount was computed from several
    unit: str = ""
    step: Fraction = Fraction(0)  # the place value of the last digit; 0 if the amount was computed
    note: str = ""  # how an ambiguous comma or point was read
    offset: Fraction = Fraction(0)  # of a temperature in °C, which cannot be added or multiplied


UnitReader = Callable[[str], Amount]  # the size of a unit; raises ShardwiseError


def worked_out(text: str, unit_of: UnitReader, *, whole: bool = False, has_powers: bool = False) -> Amount:
    """Evaluate a text; `whole` means that its numbers are whole, `has_powers` that units may be squared.

    Raises Unclear, TwoReadings and what `unit_of` raises.
    """
    reader = _Reader(text, unit_of, whole, _WITH_POWERS if has_powers else _PLAIN)
    amount = reader.sum()
    if reader.kind != "end":
        raise reader.unexpected()
    return amount


class _Reader:
    """A text and the token reached in it. Each method reads the construct that it is named after."""

    def __init__(self, text: str, unit_of: UnitReader, whole: bool, grammar: _Grammar) -> None:
        self._text, self._unit_of, self._whole, self._grammar = text, unit_of, whole, grammar
        self._end = self._depth = 0
        self.kind = self._token = ""
        self._take()

    def _take(self) -> str:
        """Advance to the next token, and return the text of the current one."""
        taken = self._token
        self._start = self._end + len(self._text[self._end :]) - len(self._text[self._end :].lstrip())
        self.kind, self._token = self._next(self._start)
        self._end = self._start + len(self._token)
        return taken

    def _next(self, start: int) -> tuple[str, str]:
        if start >= len(self._text):
            return "end", ""
        for kind, pattern in (
            ("number", NUMERAL),
            ("call", self._grammar.function),
            ("*", _TIMES),
            ("superscript", _SUPERSCRIPT),
        ):
            if found := pattern.match(self._text, start):
                return kind, found[0]
        if self._grammar.word.match(self._text, start):
            return "unit", self._text[start : self._end_of_unit(start)]
        for sign, kind in _SIGNS.items():
            if self._text.startswith(sign, start):
                return kind, sign
        raise UnclearNumeral(f"I don't know what “{self._text[start]}” means here.")

    def _end_of_unit(self, end: int) -> int:
        """Return the end of a unit, which may be a product or quotient of several words; an x before a number is not a unit."""
        grammar = self._grammar
        while (word := grammar.word.match(self._text, end)) and not _TIMES.match(self._text, end):
            end = word.end()
            while bracketed := grammar.bracketed.match(self._text, end):
                end = bracketed.end()
            joined = grammar.joined.match(self._text, end)
            if not joined or grammar.function.match(self._text, joined.end()) or _TIMES.match(self._text, joined.end()):
                break
            end = joined.end()
        return end

    def unexpected(self) -> UnclearNumeral:
        """Return the error for a misplaced token."""
        if not self._text[: self._start].strip():
            return UnclearNumeral("I expected a number first.")
        if self.kind == "end":
            return UnclearNumeral("It ends where I expected a number.")
        return UnclearNumeral(f"I expected no “{self._token[:20]}” after “{self._text[: self._start].strip()[-20:]}”.")

    def sum(self) -> Amount:
        left = self._product()
        while self.kind in ("+", "-", "number", ","):
            if self.kind == ",":  # 12 days, 3 hours
                self._take()
            beside = self.kind == "number"
            sign = 1 if beside or self._take() == "+" else -1
            right = self._product()
            if beside and (
                left.powers not in ({"time": 1}, {"length": 1})
                or right.powers != left.powers
                or right.value >= left.value
            ):
                raise UnclearNumeral("It has two numbers side by side. Write one, or an operator between them.")
            _check_scale(left, right)
            if left.powers != right.powers:
                raise UnclearNumeral("It adds quantities of different kinds. Give each one its unit.")
            left = _bounded(left.value + sign * right.value, left.powers, left.is_bare and right.is_bare)
        return left

    def _product(self) -> Amount:
        left = self._signed()
        while self.kind in ("*", "/", "unit"):
            if self.kind == "unit":
                left = self._with_unit(left)
                continue
            times = self.kind == "*"
            self._take()
            right = self._operand(left, is_divisor=not times)
            left = _multiplied(left, right, 1 if times else -1)
        return left

    def _operand(self, left: Amount, *, is_divisor: bool) -> Amount:
        if self.kind == "unit" and is_divisor:
            return self._with_unit(Amount(Fraction(1)))
        right = self._signed()
        if self.kind == "unit" and not left.is_bare:  # in 100 GB / 2 s the s belongs to the 2
            right = self._with_unit(right)
        return right

    def _with_unit(self, left: Amount) -> Amount:
        text = re.sub(r"\s+and$", "", self._take())
        unit = self._unit_of(text)
        if left.is_bare:
            made = _bounded(left.value * unit.value + unit.offset, unit.powers, unit.is_bare)
            step = left.step * unit.value
            return Amount(made.value, made.powers, unit.is_bare, left.value, unit.unit, step, offset=unit.offset)
        return _multiplied(left, unit, 1)

    def _signed(self) -> Amount:
        if self.kind not in ("+", "-"):
            return self._power()
        sign = self._take()
        inner = self._deeper(self._signed)
        return inner if sign == "+" else _bounded(-inner.value, inner.powers, inner.is_bare)

    def _power(self) -> Amount:
        base = self._atom()
        if self.kind == "superscript":
            return _raised(base, Fraction(int(lowered(self._take()))))
        if self.kind == "^":
            self._take()
            return _raised(base, self._exponent())
        return base

    def _exponent(self) -> Fraction:
        sign = 1
        while self.kind in ("+", "-"):
            sign *= -1 if self._take() == "-" else 1
        exponent = self._deeper(self._power)
        if not exponent.is_bare:
            raise UnclearNumeral("It has a unit in an exponent.")
        return sign * exponent.value

    def _atom(self) -> Amount:
        if self.kind == "number":
            text = self._take()
            return Amount(numeral(text, whole=self._whole), step=last_place(text))
        if self.kind == "call":
            module, _, name = self._take().strip().rpartition(".")
            if name == "log" and not module:
                raise UnclearNumeral("This log has no base. Write ln, log2 or log10.")
            inner = self._bracketed()
            if name in _OF_ANGLES:
                return _of_angle(name, inner)
            if not inner.is_bare:
                raise UnclearNumeral(f"{name} takes a plain number.")
            try:
                return _bounded(Fraction(_CALLS[name](inner.value)), {}, True)
            except (ValueError, OverflowError):
                raise UnclearNumeral(f"{name} of that number is undefined.") from None
        if self.kind == "(":
            return self._bracketed()
        raise self.unexpected()

    def _bracketed(self) -> Amount:
        if self.kind != "(":
            raise self.unexpected()
        self._take()
        inner = self._deeper(self.sum)
        if self.kind != ")":
            raise UnclearNumeral(
                "It has a bracket that is never closed." if self.kind == "end" else str(self.unexpected())
            )
        self._take()
        return inner

    def _deeper(self, read: Callable[[], Amount]) -> Amount:
        self._depth += 1
        if self._depth > DEEPEST:
            raise UnclearNumeral("It is nested too deeply.")
        inner = read()
        self._depth -= 1
        return inner


def _of_angle(name: str, angle: Amount) -> Amount:
    if angle.powers != {"angle": 1}:
        raise UnclearNumeral(f"Is the angle in degrees or in radians? Write {name}(30°) or {name}(0.52 rad).")
    return _bounded(Fraction(TRIGONOMETRY[name](float(angle.value))), {}, True)


def _check_scale(*amounts: Amount) -> None:
    if any(amount.offset for amount in amounts):
        raise UnclearNumeral("It calculates with °C or °F, whose zero is arbitrary. Write the result, or use kelvins.")


def _multiplied(left: Amount, right: Amount, power: int) -> Amount:
    _check_scale(left, right)
    if power < 0 and right.value == 0:
        raise UnclearNumeral("It divides by zero.")
    powers = dict(left.powers)
    for name, times in right.powers.items():
        powers[name] = powers.get(name, 0) + power * times
    powers = {name: times for name, times in powers.items() if times}
    return _bounded(left.value * right.value**power, powers, left.is_bare and right.is_bare)


def _raised(base: Amount, exponent: Fraction) -> Amount:
    if not base.is_bare:
        raise UnclearNumeral("It raises a unit to a power.")
    value = base.value
    if value == 0 and exponent <= 0:
        raise UnclearNumeral("It divides by zero.")
    if value and abs(exponent) * abs(math.log10(abs(value))) > 60:
        raise UnclearNumeral("That power is too large.")
    if exponent.denominator == 1 and abs(exponent) <= LARGEST_EXACT:
        return _bounded(value ** int(exponent), {}, True)
    if value < 0:
        raise UnclearNumeral("A root of a negative number is undefined.")
    return _bounded(Fraction(float(value) ** float(exponent)), {}, True)


def _bounded(value: Fraction, powers: Mapping[str, int], is_bare: bool) -> Amount:
    if value and not 1 / LARGEST < abs(value) < LARGEST:
        raise UnclearNumeral("No answer in this course is that large or that small.")
    return Amount(value, powers, is_bare)
