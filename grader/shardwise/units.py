"""Units of the field: a registry of our own, and numbers with units read from text and written back.

Base units are the byte, the second, the FLOP, the dollar, the joule, and one of each thing that is counted.
pint's default registry will not do: there bits are dimensionless, so 140 bits pass as 140, and `Gb` is the gilbert.
"""

from __future__ import annotations

import difflib
import json
import re
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from shardwise import everyday
from shardwise.errors import ShardwiseError, Unreadable

if TYPE_CHECKING:
    import pint

Direction = str  # "per direction", "duplex" or "none"
DIRECTIONS = ("per direction", "duplex", "none")

_DEFINITIONS = """
kilo- = 1000 = k- = K-
mega- = 1000000 = M-
giga- = 1000000000 = G-
tera- = 1000000000000 = T-
peta- = 1000000000000000 = P-
exa- = 1000000000000000000 = E-
kibi- = 1024 = Ki-
mebi- = 1048576 = Mi-
gibi- = 1073741824 = Gi-
tebi- = 1099511627776 = Ti-
pebi- = 1125899906842624 = Pi-
milli- = 1/1000 = m-
micro- = 1/1000000 = u- = µ- = μ-
nano- = 1/1000000000 = n-
byte = [information] = B = octet
bit = byte / 8 = b
second = [time] = s = sec
minute = 60 * second = min
hour = 3600 * second = h = hr
day = 86400 * second = d
week = 604800 * second
flop = [computation] = FLOP
joule = [energy] = J
watt = joule / second = W
watt_hour = 3600 * joule = Wh
dollar = [money] = USD
token = [token]
step = [step]
gpu = [gpu] = GPU
node = [node]
layer = [layer]
stage = [stage]
sequence = [sequence] = seq
sample = [sample]
micro_batch = [micro_batch]
parameter = [parameter] = param
message = [message]
crash = [crash]
head = [head]
"""  # prefixes: SI brochure (2019) and IEC 80000-13; one byte is 8 bits; a day is 86,400 s

# What a dimension measures, in the words a student would use.
_MEASURES = {
    "[information]": "an amount of data",
    "[information] / [time]": "a bandwidth",
    "[time]": "a time",
    "[computation]": "an amount of work",
    "[computation] / [time]": "a compute rate",
    "[energy]": "energy",
    "[energy] / [time]": "power",
    "[money]": "money",
    "[gpu] * [time]": "GPU time",
    "dimensionless": "a plain number",
}
_COUNTED = ("token", "step", "gpu", "node", "layer", "stage", "sequence", "sample", "micro_batch", "parameter",
            "message", "crash", "head")  # fmt: skip

_SPELLINGS = (  # how people write units, and how the registry does
    (r"(?<=[a-zA-Z])\s*-\s*(?=[a-zA-Z])", "*"),  # GPU-hours, PF-days
    (r"·", "*"),
    (r"\bmicro[* ]?batch(es)?\b", "micro_batch"),
    (r"\bper\b", "/"),
    (r"\b([kMGTPE]?)bps\b", r"\1bit/s"),
    (r"\b([kMGTPE]i?)Bps\b", r"\1B/s"),
    (r"\b([kMGTPE]?)FLOPS\b", r"\1FLOP/s"),
    (r"\b([kMGTPE]?)FLOPs\b", r"\1FLOP"),
    (r"\b([kMGTPE])F(?=\s*\*|/)", r"\1FLOP"),  # PF-days
    (r"\bpetaflop(/s)?\*", "PFLOP/s*"),
    (r"\bPFLOP\*day", "PFLOP/s*day"),
    (r"\bcrashes\b", "crash"),
    (r"\bGB?Ps\b", "GB/s"),
    (r"\bmsec\b", "ms"),
    (r"\busec\b", "us"),
    (r"\bdays\b", "day"),
    (r"\$", "dollar"),
)
_MULTIPLES = {
    "k": 10**3, "K": 10**3, "thousand": 10**3, "M": 10**6, "million": 10**6, "B": 10**9, "billion": 10**9,
    "T": 10**12, "trillion": 10**12,
}  # fmt: skip
_AMBIGUOUS = {"gb": "GB or Gb", "mb": "MB or Mb", "kb": "kB or kb", "tb": "TB or Tb", "pb": "PB or Pb",
              "gib": "GiB", "mib": "MiB", "tib": "TiB", "kib": "KiB"}  # fmt: skip
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

_NUMBER = r"[+-]?(?:\d{1,3}(?:,\d{3})+|\d[\d_]*|(?=\.\d))(?:\.\d*)?(?:[eE][+-]?\d{1,3})?"
_QUANTITY = re.compile(
    rf"(?P<number>{_NUMBER})"
    r"(?:\s*(?:/\s*(?P<over>\d+(?:\.\d+)?)(?![\w.])|(?:\^|\*\*)\s*(?P<power>\d{1,3})(?!\d)"
    r"|(?:[x×*·]\s*10\s*(?:\^|\*\*)\s*|[x×·]\s*10)(?P<ten>[+-]?\d{1,3}|⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3})))?"
    r"\s*(?P<unit>.*)"
)
_DIRECTED = re.compile(
    r"[\s,]*\(?(?:(?P<one>per direction|each direction|each way|one[- ]way|unidirectional)"
    r"|(?P<two>duplex|bidirectional|both directions(?: together)?|both ways))\)?\s*$"
)


@dataclass(frozen=True)
class Unit:
    """A unit: how it is written, what one of it is in base units, and its dimension."""

    text: str
    factor: Fraction
    dimension: str

    @property
    def measures(self) -> str:
        """What the unit measures, in words."""
        if self.dimension in _MEASURES:
            return _MEASURES[self.dimension]
        if self.dimension.strip("[]") in _COUNTED:
            return f"a number of {_plural(self.dimension.strip('[]').replace('gpu', 'GPU'), 2)}"
        return self.dimension.replace("[", "").replace("]", "").replace(" / ", " per ")

    @property
    def is_count(self) -> bool:
        """Whether a bare number may stand for it: a plain number, or a count of one thing."""
        return self.factor == 1 and self.dimension in ("dimensionless", *(f"[{name}]" for name in _COUNTED))


@cache
def _registry() -> pint.UnitRegistry[Fraction]:
    import pint

    registry: pint.UnitRegistry[Fraction] = pint.UnitRegistry(None, non_int_type=Fraction, on_redefinition="ignore")
    for line in _DEFINITIONS.split("\n"):
        if line.strip():
            registry.define(line)
    return registry


@lru_cache(maxsize=4096)
def unit(text: str) -> Unit:
    """The unit that `text` names.

    >>> unit("GiB").factor, unit("Gb").factor, unit("GB/s").measures
    (Fraction(1073741824, 1), Fraction(125000000, 1), 'a bandwidth')

    Raises ShardwiseError when nothing of that name exists, with the nearest names.
    """
    if text.strip() in ("", "1", "x", "times"):
        return Unit("", Fraction(1), "dimensionless")
    if text.strip() in ("%", "percent", "per cent"):
        return Unit("%", Fraction(1, 100), "dimensionless")
    spelled = text.strip()
    for pattern, plain in _SPELLINGS:
        spelled = re.sub(pattern, plain, spelled)
    spelled = re.sub(r"(?<=\w)\s+(?=\w)", "*", spelled)
    if len(spelled) > 40 or not re.fullmatch(r"[A-Za-zµμ_*/() ]+", spelled):
        raise ShardwiseError(f"“{text[:40]}” is not a unit.")
    if spelled in everyday.known():
        top, bottom, dimension = everyday.known()[spelled]
        return Unit(text.strip(), Fraction(top, bottom), dimension)
    try:
        return Unit(text.strip(), *by_pint(spelled))
    except ShardwiseError:
        raise ShardwiseError(f"“{text[:40]}” is not a unit I know.{_nearest(text.strip())}") from None


def by_pint(spelled: str) -> tuple[Fraction, str]:
    """What one of a unit is in base units, and its dimension, worked out. Raises ShardwiseError."""
    registry = _registry()
    try:
        factor: Any = registry.get_base_units(spelled)[0]
        return Fraction(factor), str(registry.parse_units(spelled).dimensionality)
    except Exception:  # pint raises many kinds for one thing: this text is no unit
        raise ShardwiseError(f"{spelled} is no unit") from None


def _nearest(text: str) -> str:
    if text.lower() in _AMBIGUOUS:
        return f" Did you mean {_AMBIGUOUS[text.lower()]}? A capital B is a byte, a small b a bit."
    known = ["GB", "GiB", "MB", "MiB", "TB", "KiB", "GB/s", "Gbit/s", "TFLOP/s", "PFLOP/s*day", "ms", "us", "s", "min", "h",
             "day", "FLOP", "tokens", "steps", "GPUs", "kWh", "MWh", "dollars", "%"]  # fmt: skip
    near = difflib.get_close_matches(text, known, n=1, cutoff=0.5)
    return f" Did you mean {near[0]}?" if near else ""


def to_base(number: float | Fraction, text: str, direction: Direction = "none") -> int | float:
    """`number` of a unit in base units; exact where it is whole. A duplex bandwidth becomes the half that one way has.

    >>> to_base(2, "GB"), to_base(5, "us"), to_base(600, "GB/s", "duplex")
    (2000000000, 5e-06, 300000000000)
    """
    exact = _exact(number) * unit(text).factor / (2 if direction == "duplex" else 1)
    return int(exact) if exact.denominator == 1 else float(exact)


def from_base(value: float, text: str, direction: Direction = "none") -> float:
    """A base-unit number in a unit.

    >>> from_base(1.75e9, "GB")
    1.75
    """
    factor = unit(text).factor
    doubled = 2 * value if direction == "duplex" else value
    if isinstance(value, int) and abs(value) > 2**53:
        return float(Fraction(doubled) / factor)
    return float(doubled * factor.denominator / factor.numerator)


def _exact(number: float | Fraction) -> Fraction:
    """The decimal that was written, not its binary neighbour: 0.1 is one tenth."""
    return Fraction(repr(number)) if isinstance(number, float) else Fraction(number)


def show_number(value: float, digits: int = 4) -> str:
    """A number for reading: `digits` significant digits, separators, powers of ten only when it is far from 1.

    >>> show_number(16384), show_number(0.0656250), show_number(3.7908e25), show_number(2)
    ('16,384', '0.06563', '3.791 × 10²⁵', '2')
    """
    if isinstance(value, int) and abs(value) < 10**9:
        return f"{value:,}"
    if value == 0 or value != value or value in (float("inf"), float("-inf")):
        return f"{value:g}"
    if abs(value) >= 1e9 or abs(value) < 1e-4:
        mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
        mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
        power = "10" + str(int(exponent)).translate(_SUPERSCRIPTS)
        return f"{mantissa} × {power}"
    rounded = float(f"{value:.{digits}g}")
    if rounded == int(rounded):
        return f"{int(rounded):,}"
    decimals = max(0, digits - len(str(int(abs(rounded)))) if abs(rounded) >= 1 else 12)
    return f"{rounded:,.{decimals}f}".rstrip("0").rstrip(".")


def show(value: float, text: str, direction: Direction = "none", digits: int = 4) -> str:
    """A base-unit number written in a unit.

    >>> show(1.75e9, "GB"), show(0.07, "ms"), show(300e9, "GB/s", "duplex"), show(64, "step")
    ('1.75 GB', '70 ms', '600 GB/s (both directions together)', '64 steps')
    """
    amount = from_base(value, text, direction)
    whole = int(amount) if amount == amount and abs(amount) < 1e15 and amount == int(amount) else amount
    number, written = show_number(whole, digits), unit(text).text
    suffix = {"per direction": " per direction", "duplex": " (both directions together)"}.get(direction, "")
    space = "" if written == "" else " "
    return f"{number}{space}{_plural(written, whole)}{suffix}"


def _plural(written: str, number: float) -> str:
    word = re.match(r"[A-Za-z_]+", written)
    if word is None or number == 1:
        return written.replace("_", "-").replace("*", "·")
    name = word.group()
    if name == "dollar":  # never the sign: two of them in a paragraph would be taken for a formula
        return written.replace("dollar", "dollars").replace("*", "·")
    if word.end() == len(written) and name.lower() in (*_COUNTED, "day", "hour", "dollar", "minute", "week"):
        written = f"{name}es" if name in ("crash", "micro_batch") else f"{name}s"
    return written.replace("_", "-").replace("*", "·")


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
    if way == "duplex":
        number /= 2
    return Reading(float(number * given.factor), _written(number, given, way))


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
    found = _DIRECTED.search(rest)
    if found is None:
        return rest, "none"
    return rest[: found.start()].strip(), "per direction" if found["one"] else "duplex"


def _multiple(number: Fraction, rest: str, wanted: Unit) -> tuple[Fraction, str]:
    """Take "4M tokens" or "$60.5 million" apart: a multiple, then what is counted."""
    found = re.match(r"(thousand|million|billion|trillion|[kKMBT])(?![A-Za-z/])\s*", rest)
    if found is None or "[information]" in wanted.dimension:
        return number, rest
    return number * _MULTIPLES[found[1]], rest[found.end() :].strip()


def _written(number: Fraction, given: Unit, way: Direction) -> str:
    shown = number * 2 if way == "duplex" else number
    whole = int(shown) if shown.denominator == 1 else float(shown)
    suffix = {"per direction": " per direction", "duplex": " (both directions together)"}.get(way, "")
    return f"{show_number(whole, 6)}{' ' if given.text else ''}{_plural(given.text, whole)}{suffix}".strip()


def main() -> None:
    """Write the table of everyday units, without the spellings that are none."""
    table = {}
    for name in everyday.spellings():
        with suppress(ShardwiseError):
            factor, dimension = by_pint(name)
            table[name] = (factor.numerator, factor.denominator, dimension)
    lines = ",\n".join(f"{json.dumps(name, ensure_ascii=False)}: {json.dumps(entry)}" for name, entry in table.items())
    everyday.TABLE.write_text(f"{{\n{lines}\n}}\n", "utf-8")


if __name__ == "__main__":
    main()
