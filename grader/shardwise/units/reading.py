"""A number with a unit, read from what a student wrote."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

from shardwise.errors import ShardwiseError, Unreadable
from shardwise.units.amounts import Direction, echoed
from shardwise.units.arithmetic import Amount, worked_out
from shardwise.units.nouns import counted_by, in_plural, is_called, is_mentioned, normal
from shardwise.units.numerals import MULTIPLES, NUMERAL, TwoReadings, UnclearNumeral, multiple
from shardwise.units.parsing import Unit, unit
from shardwise.units.spelling import plain_text, sides, without_direction
from shardwise.units.systems import qualified

LONGEST = 200  # characters of an answer
AGREEMENT = 0.01  # relative, between the two sides of "70 ms = 0.07 s"
_MULTIPLE = re.compile(rf"({MULTIPLES})(?:\s*of\s+|\s*)")
_MULTIPLIED = re.compile(rf"\d\s*(?:{MULTIPLES}|b\Z)")
_CARDS = re.compile(  # after a number: 8 H100s, 8x A100-80GB, 8 B200 GPUs
    r"(?<=\d)\s*[x×]?\s*\b(?:[ABHV]\d00|MI\d{3}X?)s?\b(?:-\d+GB)?(?:\s+(?:GPUs?|cards?))?", re.IGNORECASE
)
_RANGE = re.compile(rf"({NUMERAL.pattern})(?:-| to |\.\.)({NUMERAL.pattern})[^\d]*")
_WITH_ERROR = re.compile(r"±|\+/?-")
_HEXADECIMAL = re.compile(r"(?<![\w.,])0[xX][0-9a-fA-F]+")
_LOST_POWER = re.compile(r"[x×·] ?10(-\d{1,2}|[3-9]|1\d|2[0-35-9])(?![\d.,])")
_TWO_WAYS = re.compile(r"([1-9]\d{0,2})\.(\d{3})(?![\d.])([^\d*/+^]*)")
_LABELLED = re.compile(
    r"([A-Za-z][A-Za-z-]*(?: [A-Za-z-]+){0,2}) ?(?:no\.?|number|#)? ?(?=\d)", re.IGNORECASE
)  # server 157
_COMMA = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_BOUND = re.compile(r"(?:[<>]|(?:less|more|fewer) than\b|below\b|above\b|under\b|over\b)\s*~?\d", re.IGNORECASE)
_SHARE = re.compile(r"(?:%|percent|per cent|pct)(?:\s+(?!per\b)[A-Za-z' -]+)?", re.IGNORECASE)
_OF_A_WHOLE = re.compile(r"of (?:the|its|all|each|a|an|this) [A-Za-z' -]+")
_TIMES = re.compile(r"-?(?:x|times|fold|way)", re.IGNORECASE)
_TINY = re.compile(
    r"\b(milli|micro|nano|[muµμn])(?=(?:[Bb](?:its?|ytes?)?|FLOP[Ss]?|flops?|tokens?|dollars?|GPUs?|steps?|hz)\b)"
)
_SMALL = {
    "m": "milli",
    "milli": "a thousandth",
    "n": "nano",
    "nano": "a billionth",
    "micro": "a millionth",
} | dict.fromkeys("uµμ", "micro")
_PRICE = re.compile(rf"([€£]) ?({NUMERAL.pattern})")
_DOT = re.compile(r"(?<=[A-Za-zΩµμ°²³¹)]) ?[⋅∙×] ?(?=[A-Za-zΩµμ°])")  # kg⋅m and kg×m
_INVERSE = re.compile(r"(?<=\d) +1/(?=[A-Za-z])")  # 50 1/s
MOST_SHARE = 10  # if the question asks for a percentage, a smaller number without a unit may be a share


@dataclass(frozen=True)
class Reading:
    """A number with a unit as a student wrote it."""

    value: float  # in base units
    text: str  # how we read it, in our spelling
    other: float | None = None  # the value if a share is meant although the question asks for a percentage
    step: float = 0.0  # the place value of the last digit, in base units; 0 if the value was computed

    def each(self, key: float) -> tuple[Reading, ...]:
        """Return the one reading or both, the one closer to the key first."""
        if self.other is None:
            return (self,)
        plain = replace(self, other=None)
        share = replace(plain, value=self.other, step=100 * self.step)
        return (plain, share) if abs(plain.value - key) <= abs(share.value - key) else (share, plain)

    def nearest(self, key: float) -> Reading:
        """Return the reading that is closer to the key."""
        return self.each(key)[0]


def read(
    text: str,
    expected: str,
    direction: Direction = "none",
    nouns: Sequence[str] = (),
    others: Collection[str] = (),
    *,
    whole: bool = False,
    usual: tuple[float, float] | None = None,
) -> Reading:
    """Read a student's number with a unit, where `expected` is the unit that the question asks for.

    `nouns` are its own words for what it counts, `others` those that it only mentions, in normal form; `whole` means that
    the answer must be a whole number. `usual` is the range of the question's answers, in the required unit: of two readings
    of 39,375, the one within it is meant.

    >>> read("1750 MB", "GB").value, read("6.56e-2 s", "ms").value
    (1750000000.0, 0.0656)
    >>> read("40 GB/s", "GB")
    Traceback (most recent call last):
    shardwise.errors.Unreadable: I couldn't read “40 GB/s”. “GB/s” is a bandwidth; this question asks for an amount of data.

    Raises Unreadable, in words for the student.
    """
    if len(text) > LONGEST:
        raise Unreadable(f"I couldn't read an answer of {len(text):,} characters. One number with its unit is enough.")
    shown = " ".join(text.split())[:60]
    return _Asked(unit(expected), direction, tuple(nouns), frozenset(others), shown, whole, usual).read(text)


@dataclass(frozen=True)
class _Asked:
    """A question's requirements, and the answer as feedback quotes it."""

    wanted: Unit
    direction: Direction
    words: tuple[str, ...]
    others: frozenset[str]
    quoted: str
    whole: bool
    usual: tuple[float, float] | None

    @property
    def nouns(self) -> frozenset[str]:
        """The normal forms of its words."""
        return frozenset(map(normal, self.words))

    @property
    def asks_for(self) -> str:
        """What it asks for, in words: "sequences", "a time"."""
        if self.wanted.counts:
            return self.wanted.counts
        if self.words and self.wanted.is_count:
            return in_plural(self.words[0])
        return self.wanted.measures

    def read(self, text: str) -> Reading:
        has_powers = self.wanted.system.has_powers
        if has_powers:
            text = _DOT.sub("·", text)
            text = _INVERSE.sub(" /", _PRICE.sub(r"\2 \1", text.replace(r"\Omega", "Ω")))
        plain, way = without_direction(plain_text(text, has_powers=has_powers))
        amounts = [self._amount(side) for side in sides(plain)]
        chosen = next((amount for amount in amounts if not amount.is_bare), amounts[-1])
        if not all(_agree(amount, chosen) for amount in amounts):
            raise self._unreadable("The two sides of “=” are not equal.")
        return self._reading(chosen, way)

    def _amount(self, side: str) -> Amount:
        if not side:
            raise self._unreadable("I expected a number first.")
        if self.wanted.dimension == "dimensionless":
            side = re.sub(r"\s*(?::|\bto\b)\s*1$", "", re.sub(r"^[x×]\s*(?=\d)", "", side))  # 24:1, x24
        if self.wanted.dimension in ("dimensionless", "[gpu]"):
            side = _CARDS.sub(" GPUs", side)
        if (found := _LABELLED.match(side)) and self._is_called(found[1]):
            side = side[found.end() :]
        if found := _RANGE.fullmatch(side):
            raise self._unreadable(f"Is it from {found[1]} to {found[2]}? I expected one number.")
        if found := _WITH_ERROR.search(side):
            raise self._unreadable(f"Is “{found[0]}” followed by an error? I expected one number without it.")
        if found := _HEXADECIMAL.search(side):
            raise self._unreadable(f"Is “{found[0]}” a hexadecimal number? Write it in decimal digits.")
        if found := _LOST_POWER.search(side):
            raise self._unreadable(f"Is that 10^{found[1]}? Write 1.5e{found[1]} for 1.5 times it.")
        if found := _BOUND.match(side):
            raise self._unreadable("That is a bound. I expected the number itself.")
        is_plain = not _MULTIPLIED.search(side)
        is_count = is_plain and (self.whole or bool(self.wanted.counts))
        is_money = is_plain and self.wanted.powers.get("money") == 1  # which has cents but no thousandths
        point = _TWO_WAYS.fullmatch(side) if is_plain and self.whole else None  # else a point is a decimal point
        try:
            if point is not None:
                return self._one_of_two("point", f"{point[1]}{point[2]}{point[3]}", side)
            try:
                return self._worked_out(side, whole=is_count or is_money)
            except TwoReadings:
                return self._one_of_two("comma", _COMMA.sub("", side), _COMMA.sub(".", side))
        except Unreadable:
            raise
        except (UnclearNumeral, ShardwiseError) as why:
            raise self._unreadable(str(why)) from None

    def _worked_out(self, side: str, *, whole: bool) -> Amount:
        """Return the amount of one side. Raises TwoReadings, Unclear and ShardwiseError."""
        if self.wanted.system.has_powers:
            return self._with_angle(worked_out(side, self._one, whole=whole, has_powers=True))
        amount = worked_out(side, self._one, whole=whole)
        if amount.powers.get("information") and not self._fits(amount):  # 120 GB / (2 B): B is a byte, not a billion
            in_bytes = worked_out(side, partial(self._one, is_data=True), whole=whole)
            return in_bytes if self._fits(in_bytes) else amount
        return amount

    def _with_angle(self, amount: Amount) -> Amount:
        """Return the amount in the required dimension if only an angle differs: 10 1/s for 10 rad/s, and conversely."""
        theirs, ours = ({**powers, "angle": 0} for powers in (amount.powers, self.wanted.powers))
        is_same = theirs == ours and any(ours.values())
        return replace(amount, powers=self.wanted.powers) if is_same else amount

    def _one_of_two(self, sign: str, thousands: str, decimal: str) -> Amount:
        """Return the reading of a comma or point that falls in the question's usual range. Raises Unreadable."""
        meant = []
        for text, how in (thousands, "a thousands separator"), (decimal, "a decimal point"):
            amount = self._worked_out(text, whole=False)
            if not self._fits(amount):  # a wrong unit is the worse fault, and the same in both readings
                return amount
            if self.usual and self.usual[0] <= abs(self._in_unit(amount)) <= self.usual[1]:
                meant.append(replace(amount, note=f", with the {sign} as {how}"))
        if len(meant) == 1:
            return meant[0]
        raise self._unreadable(
            f"The {sign} can be read in two ways, as {thousands} or as {decimal}. Write the one that you mean."
        )

    def _in_unit(self, amount: Amount) -> float:
        """Return an amount in the required unit, which a number without a unit has."""
        exact = amount.value if amount.is_bare else (amount.value - self.wanted.offset) / self.wanted.factor
        return float(exact)

    def _fits(self, amount: Amount) -> bool:
        """Return whether an amount has the required dimension; a computed amount without a unit is a count."""
        is_ratio = not amount.powers and amount.number is None
        return amount.is_bare or amount.powers == self.wanted.powers or (is_ratio and self.wanted.is_count)

    def _one(self, text: str, *, is_data: bool = False) -> Amount:
        """Return the size of a unit. Raises ShardwiseError. A multiple such as M or million may precede it, or be alone."""
        times, rest = 1, text
        found = _MULTIPLE.match(text)
        has_letters = is_data or "information" in self.wanted.powers  # so that M is not a million
        has_letters = has_letters or (self.wanted.system.has_powers and not self.wanted.is_count)
        if found and not (has_letters and len(found[1]) < 3):
            times = multiple(found[1])
            rest = text[found.end() :].lstrip("-· ")
        elif text == "b" and self.wanted.dimension == "[parameter]":  # a 7b model
            times, rest = 10**9, ""
        if not rest:
            return Amount(Fraction(times))
        meant = self._meant(rest)
        offset = Fraction(0) if self.wanted.text.startswith("Δ") else meant.offset
        name = meant.name if times == 1 and offset == meant.offset else ""
        return Amount(times * meant.factor, meant.powers, is_bare=False, unit=name, offset=offset)

    def _unit(self, text: str) -> Unit:
        return unit(qualified(text, self.wanted.system.text))

    def _meant(self, text: str) -> Unit:
        """Return the unit that a text names, in the question's own words or in general ones."""
        if self.wanted.dimension == "dimensionless":
            if _TIMES.fullmatch(text):
                return self._unit("")
            if _SHARE.fullmatch(text):
                return self._unit("%")
            if _OF_A_WHOLE.fullmatch(text):
                return self._unit("")
        if tiny := _TINY.search(text):
            raise ShardwiseError(
                f"“{text[:40]}” begins with {tiny[1]}, which is {_SMALL[tiny[1]]}. M is mega, k kilo, G giga."
            )
        if re.match(r"kb\b", text):
            raise ShardwiseError("“kb” can be read as kilobytes and as kilobits. Did you mean kB or kbit?")
        for name in self._candidates(text):
            with suppress(ShardwiseError):
                if (found := self._unit(name)).powers == self.wanted.powers:
                    return found
        if counted := counted_by(text, self.others):
            raise ShardwiseError(f"It counts {counted}; this question asks for {self.asks_for}.")
        return self._unit(text)

    def _candidates(self, text: str) -> Iterator[str]:
        """Yield the text, and what it means in the required unit: "8 nodes per rack" are nodes."""
        yield text
        counted, _, rate = self.wanted.text.partition("/")
        if self.wanted.is_count and self._is_called(text):
            yield self.wanted.text
        if self.wanted.system.has_powers:
            yield from self._of_nature(text)
        if "mass" in self.wanted.powers:
            text = re.sub(r"\bt\b", "tonne", text)
        text = re.sub(r"\bGPU[-* ]?(?:h|hrs?)\b", "GPU-hour", text)
        text = re.sub(r"^(?:calendar|full|whole|training|wall[- ]clock) (?=(?:days?|hours?)$)", "", text)
        yield text
        text = re.sub(r"\s+\(?(?:(?:on|for|in|to|from) )?(?:per|a|an|each|every)\s+", "/", text).rstrip(")")
        head, sign, tail = text.rpartition("/")
        while sign and is_mentioned(tail, self.nouns | self.others):
            yield head
            head, sign, tail = head.rpartition("/")
        head, sign, tail = text.partition("/")
        if sign and rate and self._is_called(head):
            yield f"{counted}/{tail}"
        yield text

    def _of_nature(self, text: str) -> Iterator[str]:
        """Yield other readings of a unit with powers: people write W/m K for W/(m K), mK for m K, and 25 C for 25 °C."""
        head, sign, tail = text.partition("/")
        for under in (tail, tail.replace("mK", "m K")):
            if sign and "/" not in under:
                yield f"{head}/({under})"
        if "temperature" in self.wanted.powers:
            yield re.sub(r"\b([CF])\b", r"°\1", text)

    @property
    def _asked(self) -> str:
        """The unit that is counted; "" if there is none."""
        return next(
            (name for name, power in self.wanted.powers.items() if power == 1 and name in self.wanted.system.counted),
            "",
        )

    def _is_called(self, text: str) -> bool:
        return is_called(text, self._asked.replace("_", ""), self.nouns, self.others)

    def _reading(self, amount: Amount, way: Direction) -> Reading:
        wanted = self.wanted
        if not self._fits(amount):
            what = f"“{unit(amount.unit).text}” is" if amount.unit else "It is"
            found = Unit("", Fraction(1), amount.powers, wanted.system)
            said = f"It counts {found.counts}" if found.counts and wanted.is_count else f"{what} {found.measures}"
            raise self._unreadable(f"{said}; this question asks for {self.asks_for}.")
        if amount.is_bare or amount.powers != wanted.powers:
            return self._bare(amount)
        if way == "none" and self.direction == "duplex":
            way = "duplex"  # an answer to a question about both directions together need not say so
        half, step = (part / 2 if way == "duplex" else part for part in (amount.value, amount.step))
        given = amount.unit and unit(amount.unit)
        simple = amount.number is not None and given and given.factor != wanted.factor
        shown = given if simple and given else wanted
        echo = echoed(_number((amount.value - shown.offset) / shown.factor), shown.name, way).strip() + amount.note
        return Reading(float(half), echo, step=float(step))

    def _bare(self, amount: Amount) -> Reading:
        """Return a number without a unit: a count, or a percentage, which may have been written as a share."""
        number, step = amount.value, float(amount.step)
        if self.wanted.is_count or self.wanted.text == "FLOP":  # FLOP is a number of operations
            return Reading(float(number), echoed(_number(number), self.wanted.name).strip() + amount.note, step=step)
        if self.wanted.dimension != "dimensionless":
            raise Unreadable(f"I read “{self.quoted}” as a number without a unit. {self.quoted} what?")
        percent = echoed(_number(number), "%")
        if abs(number) >= MOST_SHARE:
            return Reading(float(number / 100), percent, step=step / 100)
        share = f"{echoed(_number(number * 100), '%')} if it is a fraction"
        return Reading(float(number / 100), f"{percent}, or {share}", other=float(number), step=step / 100)

    def _unreadable(self, why: str) -> Unreadable:
        return Unreadable(f"I couldn't read “{self.quoted}”. {why}")


def _agree(amount: Amount, chosen: Amount) -> bool:
    """Return whether two sides are equal; a side without a unit is compared as a number."""
    theirs, ours = amount.value, chosen.value
    if amount.is_bare != chosen.is_bare:
        is_share = not chosen.powers and abs(theirs - ours) <= AGREEMENT * abs(ours)  # 0.4 = 40 %
        ours = chosen.number if chosen.number is not None and not is_share else ours
    elif amount.powers != chosen.powers:
        return False
    return abs(theirs - ours) <= AGREEMENT * abs(ours)


def _number(exact: Fraction) -> float:
    return int(exact) if exact.denominator == 1 else float(exact)
