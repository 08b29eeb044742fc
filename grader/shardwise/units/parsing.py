"""The text of a unit, such as "GiB", "PFLOP/s*day" or "GPU-hours", turned into its factor and its dimension."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from shardwise.errors import ShardwiseError
from shardwise.units.table import COUNTED, MEASURES, Scale, scale


def _as_a_name(found: re.Match[str]) -> str:
    """Return a word in lower case if that makes it a unit; in symbols, case has a meaning, so they stay unchanged."""
    for name in (found[0], found[0].lower()):
        with suppress(LookupError):
            scale(name)
            return name
    return found[0]


_SPELLINGS: tuple[
    tuple[str, str | Callable[[re.Match[str]], str]], ...
] = (  # how people write units, and what the parser reads
    (r"(?<=watt)[- ]*(?=hours?\b)", "_"),  # one word, so that it may be a divisor
    (r"(?<=[a-zA-Z])\s*-\s*(?=[a-zA-Z])", "*"),  # GPU-hours, PF-days
    (r"·", "*"),
    (r"(?i:\b(milli|micro|nano|kilo|mega|giga|tera)) (?=(?i:seconds?|bytes?|bits?)\b)", lambda found: found[1].lower()),
    (r"(?<=/)S\b|\A[mM]?S\Z", lambda found: found[0].lower()),  # GB/S, MS
    (r"\bUS[ *]?(?=dollars?\b|\$)", ""),
    (r"\busd\b", "USD"),
    (
        r"(?i:\b(?:peta\s?flops?|pflops?|pfs?))(?:/s)?(?:\s*\*\s*|\s+)(?=days?\b)",
        "PFLOP/s*",
    ),  # nobody means FLOP times days
    (r"\bmicro[* ]?batch(es)?\b", "micro_batch"),
    (r"\bper\b", "/"),
    (r"\b([kMGTPE]?)bps\b", r"\1bit/s"),
    (r"\b([kMGTPE]i?)Bps\b", r"\1B/s"),
    (r"\bGBPs\b", "GB/s"),
    (r"\b([kMGTPE]?)FLOPS\b", r"\1FLOP/s"),
    (r"\b([kMGTPE]?)FLOPs\b", r"\1FLOP"),
    (r"\b([kMGTPE])F(?=\s*\*|/)", r"\1FLOP"),  # PF-days
    (r"\bcrashes\b", "crash"),
    (
        r"\b([kKMGTPE]i?|kilo|mega|giga|tera|peta)(?i:(byte|bit)(?=s?\b))",
        lambda found: found[1] + found[2].lower(),
    ),  # GBytes
    (r"\b[A-Z][A-Za-z]{2,}\b", _as_a_name),  # Gigabytes, Days, HOURS
    (r"\$", "dollar"),
    (r"(?<=[\w)])\s+(?=[\w(])", "*"),  # GPU hours
)
_AMBIGUOUS = {"gb": "GB or Gb", "mb": "MB or Mb", "kb": "kB or kb", "tb": "TB or Tb", "pb": "PB or Pb",
              "gib": "GiB", "mib": "MiB", "tib": "TiB", "kib": "KiB"}  # fmt: skip
_COMMON = ("GB", "GiB", "MB", "MiB", "TB", "KiB", "GB/s", "Gbit/s", "TFLOP/s", "PFLOP/s*day", "ms", "us", "s", "min",
           "h", "day", "FLOP", "tokens", "steps", "GPUs", "kWh", "MWh", "dollars", "%",
           "seconds", "minutes", "hours", "days", "weeks")  # fmt: skip
_NEAR = 0.75  # similarity; a lower value would suggest dollars for years, ms for miles, and seconds for milisecond
_OF_NO_LENGTH = re.compile(r"(?:month|mo|year|yr|y|annum|quarter)s?", re.IGNORECASE)


@dataclass(frozen=True)
class Unit:
    """A unit: its text, its size in base units, and its dimension."""

    text: str
    factor: Fraction
    dimension: str

    @property
    def measures(self) -> str:
        """What the unit measures, in words."""
        if self.dimension in MEASURES:
            return MEASURES[self.dimension]
        if self.counts:
            return f"a number of {self.counts}"
        return self.dimension.replace("[", "").replace("]", "").replace(" / ", " per ")

    @property
    def counts(self) -> str:
        """What the unit counts, in words; "" if it does not count a single thing."""
        name = self.dimension.strip("[]")
        return plural(name.replace("gpu", "GPU"), 2) if name in COUNTED else ""

    @property
    def powers(self) -> Mapping[str, int]:
        """The power of each dimension."""
        over, *under = self.dimension.split(" / ")
        names = [name.strip("[]") for name in over.split(" * ") if name.startswith("[")]
        return dict.fromkeys(names, 1) | {name.strip("[]"): -1 for name in under}

    @property
    def is_count(self) -> bool:
        """Whether a bare number may have it: a plain number, or a count of one thing."""
        return self.factor == 1 and self.dimension in ("dimensionless", *(f"[{name}]" for name in COUNTED))


@lru_cache(maxsize=4096)
def unit(text: str) -> Unit:
    """Return the unit that `text` names.

    >>> unit("GiB").factor, unit("Gb").factor, unit("GB/s").measures
    (Fraction(1073741824, 1), Fraction(125000000, 1), 'a bandwidth')

    Raises ShardwiseError with the closest names if there is no such unit.
    """
    plain = text.strip()
    if plain in ("", "1", "x", "times"):
        return Unit("", Fraction(1), "dimensionless")
    if plain in ("%", "percent", "per cent"):
        return Unit("%", Fraction(1, 100), "dimensionless")
    spelled = plain
    for pattern, replacement in _SPELLINGS:
        spelled = re.sub(pattern, replacement, spelled)
    if len(spelled) > 40 or not re.fullmatch(r"[A-Za-zµμ_*/() ]+", spelled):
        raise ShardwiseError(f"“{text[:40]}” is not a unit.")
    try:
        factor, dimension = _parsed(spelled)
    except LookupError:
        raise ShardwiseError(f"“{text[:40]}” is not a unit I know.{_nearest(plain)}") from None
    return Unit(plain, factor, dimension)


def _parsed(spelled: str) -> tuple[Fraction, str]:
    """Return the factor and the dimension of a product or quotient of units. Raises LookupError if it is not one."""
    tokens = re.findall(r"\w+|[*/()]", spelled)
    factor, powers = _product(tokens)
    if tokens or any(abs(power) > 1 for power in powers.values()):  # no quantity here has squared units
        raise LookupError(spelled)
    return factor, dimension_of(powers)


def dimension_of(powers: Mapping[str, int]) -> str:
    """Return a dimension as text.

    >>> dimension_of({"information": 1, "time": -1}), dimension_of({})
    ('[information] / [time]', 'dimensionless')
    """
    over = " * ".join(f"[{name}]" for name, power in powers.items() if power > 0 for _ in range(power))
    under = "".join(f" / [{name}]" for name, power in powers.items() if power < 0 for _ in range(-power))
    return (over or "1") + under if over or under else "dimensionless"


def _product(tokens: list[str]) -> Scale:
    """Remove a product from the head of `tokens`, from left to right: a/b*c is (a/b)*c."""
    factor, first = _term(tokens)
    powers = dict(first)
    while tokens and tokens[0] in ("*", "/"):
        sign = 1 if tokens.pop(0) == "*" else -1
        times, more = _term(tokens)
        factor *= times**sign
        for name, power in more.items():
            powers[name] = powers.get(name, 0) + sign * power
    return factor, powers


def _term(tokens: list[str]) -> Scale:
    """Remove one unit, or a product in brackets, from the head of `tokens`; if none is left, an IndexError, which is a LookupError."""
    token = tokens.pop(0)
    if token != "(":
        return scale(token)
    inside = _product(tokens)
    if tokens.pop(0) != ")":
        raise LookupError("a bracket is never closed")
    return inside


def _nearest(text: str) -> str:
    import difflib  # imported here, because only an unknown unit needs it

    if text.lower() in _AMBIGUOUS:
        return f" Did you mean {_AMBIGUOUS[text.lower()]}? A capital B is a byte, a small b a bit."
    if found := re.fullmatch(r"([kmgtp])b(?:/s|ps)", text.lower()):
        prefix = found[1].upper() if found[1] != "k" else "k"
        return f" Did you mean {prefix}B/s or {prefix}bit/s? A capital B is a byte, a small b a bit."
    if _OF_NO_LENGTH.fullmatch(text):
        return " They differ in length: write days or hours."
    alike = [common for common in _COMMON if ("/" in common) == ("/" in text)]
    near = difflib.get_close_matches(text, alike, n=1, cutoff=_NEAR)
    return f" Did you mean {near[0]}?" if near else ""


def plural(written: str, number: float) -> str:
    """Return a unit's text as it appears after `number`.

    >>> plural("step", 2), plural("GPU*h", 2), plural("micro_batch", 1)
    ('steps', 'GPU·h', 'micro-batch')
    """
    word = re.match(r"[A-Za-z_]+", written)
    if word is None or number == 1:
        return written.replace("_", "-").replace("*", "·")
    name = word.group()
    if name == "dollar":  # never the $ sign: two of them in a paragraph would be rendered as a formula
        return written.replace("dollar", "dollars").replace("*", "·")
    if word.end() == len(written) and name.lower() in (*COUNTED, "day", "hour", "minute", "week", "tonne"):
        written = f"{name}es" if name in ("crash", "micro_batch") else f"{name}s"
    return written.replace("_", "-").replace("*", "·")
