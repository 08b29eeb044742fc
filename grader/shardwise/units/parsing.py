"""The text of a unit, such as "GiB", "PFLOP/s*day" or "GPU-hours", turned into its factor and its dimension."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache

from shardwise.errors import ShardwiseError
from shardwise.units.numerals import raised
from shardwise.units.systems import UnitSystem, parsed_product, qualified, system_of, unqualified

_EVERYWHERE: tuple[tuple[str, str], ...] = (  # how people write units, and what the parser reads
    (r"(?<=watt)[- ]*(?=hours?\b)", "_"),  # one word, so that it may be a divisor
    (r"(?<=[a-zA-ZΩ])\s*-\s*(?=[a-zA-ZΩ])", "*"),  # GPU-hours, PF-days, N-m
    (r"·", "*"),
    (r"\bUS[ *]?(?=dollars?\b|\$)", ""),
    (r"\busd\b", "USD"),
    (r"\bper\b", "/"),
    (r"\$", "dollar"),
)
_SPACED: tuple[tuple[str, str], ...] = ((r"(?<=[\w)°])\s+(?=[\w(°])", "*"),)  # GPU hours
_SPELLINGS: tuple[tuple[str, str | Callable[[re.Match[str]], str]], ...] = (  # of computing
    (r"(?i:\b(milli|micro|nano|kilo|mega|giga|tera)) (?=(?i:seconds?|bytes?|bits?)\b)", lambda found: found[1].lower()),
    (r"(?<=/)S\b|\A[mM]?S\Z", lambda found: found[0].lower()),  # GB/S, MS
    (
        r"(?i:\b(?:peta\s?flops?|pflops?|pfs?))(?:/s)?(?:\s*\*\s*|\s+)(?=days?\b)",
        "PFLOP/s*",
    ),  # nobody means FLOP times days
    (r"\bmicro[* ]?batch(es)?\b", "micro_batch"),
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
)
_OF_NATURE: tuple[tuple[str, str], ...] = (  # of systems with powers
    ("\u2126", "Ω"),  # the sign for ohms is the Greek letter
    (r"\b([kKMGT])HZ\b", r"\1Hz"),  # never millihertz
    (r"[º˚]", "°"),
    (r"℃", "°C"),
    (r"(?i:°|\bdegrees?\b|\bdeg\b)[ *]*(?:C|[Cc]elsius)\b|\b[Cc]elsius\b|\bdegC\b", "°C"),
    (r"(?i:°|\bdegrees?\b|\bdeg\b)[ *]*(?:F|[Ff]ahrenheit)\b|\b[Ff]ahrenheit\b", "°F"),
    (r"(?<=[A-Za-z])(?=°)", "*"),  # J/g°C
    (r"\bdelta[_ *]?(?=[°K])", "Δ"),
    (r"\bsquared?[ *](\w+)", r"\1^2"),  # square metres
    (r"\bcubic[ *](\w+)", r"\1^3"),
    (r"(\w)[ *]squared\b", r"\1^2"),
    (r"(\w)[ *]cubed\b", r"\1^3"),
)
_AMBIGUOUS = {"gb": "GB or Gb", "mb": "MB or Mb", "kb": "kB or kb", "tb": "TB or Tb", "pb": "PB or Pb",
              "gib": "GiB", "mib": "MiB", "tib": "TiB", "kib": "KiB"}  # fmt: skip
_COMMON = ("GB", "GiB", "MB", "MiB", "TB", "KiB", "GB/s", "Gbit/s", "TFLOP/s", "PFLOP/s*day", "ms", "us", "s", "min",
           "h", "day", "FLOP", "tokens", "steps", "GPUs", "kWh", "MWh", "dollars", "%",
           "seconds", "minutes", "hours", "days", "weeks")  # fmt: skip
_NEAR = 0.75  # similarity; a lower value would suggest dollars for years, ms for miles, and seconds for milisecond
_IN_PLURAL = ("day", "hour", "minute", "week", "tonne", "year", "mile")
_OF_NO_LENGTH = re.compile(r"(?:month|mo|year|yr|y|annum|quarter)s?", re.IGNORECASE)


@dataclass(frozen=True)
class Unit:
    """A unit: its text, its size in base units, its dimension, and the system that it belongs to."""

    text: str
    factor: Fraction
    powers: Mapping[str, int] = field(hash=False)  # of each dimension
    system: UnitSystem = field(default_factory=lambda: system_of(""))
    offset: Fraction = Fraction(0)  # the zero of its scale, in base units; 273.15 for °C as a temperature

    @property
    def dimension(self) -> str:
        """The dimension as text: "[information] / [time]"."""
        return dimension_of(self.powers)

    @property
    def name(self) -> str:
        """The text with its system, which means the same everywhere."""
        return qualified(self.text, self.system.text)

    @property
    def of_differences(self) -> str:
        """The name of the unit for differences: a tolerance in °C has the size of kelvins."""
        return qualified("ΔK", self.system.text) if self.offset else self.name

    @property
    def measures(self) -> str:
        """What the unit measures, in words."""
        if words := self.system.measures.get(frozenset(self.powers.items())):
            return words
        if self.counts:
            return f"a number of {self.counts}"
        return self.dimension.replace("[", "").replace("]", "").replace(" / ", " per ").replace("1 per", "one per")

    @property
    def counts(self) -> str:
        """The plural noun of what the unit counts, such as "tokens"; empty for units that count nothing."""
        name = self.dimension.strip("[]")
        return plural(qualified(name.replace("gpu", "GPU"), self.system.text), 2) if name in self.system.counted else ""

    @property
    def is_count(self) -> bool:
        """Whether a bare number may have it: a plain number, or a count of one thing."""
        return self.factor == 1 and (not self.powers or self.dimension.strip("[]") in self.system.counted)


@lru_cache(maxsize=4096)
def unit(text: str) -> Unit:
    """Return the unit that `text` names, in the system that it ends with, or else in that of computing.

    >>> unit("GiB").factor, unit("Gb").factor, unit("GB/s").measures
    (Fraction(1073741824, 1), Fraction(125000000, 1), 'a bandwidth')
    >>> unit('km/h {"systems":["si"]}').measures
    'a speed'

    Raises ShardwiseError for an unknown unit, with the closest name.
    """
    written, system = unqualified(text)
    plain = written.strip()
    if plain in ("", "1", "x", "times"):
        return Unit("", Fraction(1), {}, system)
    if plain in ("%", "percent", "per cent"):
        return Unit("%", Fraction(1, 100), {}, system)
    spelled = plain
    for pattern, replacement in _spellings(system):
        spelled = re.sub(pattern, replacement, spelled)
    allowed = r"[A-Za-zµμΩΔ°€£_*/()^0-9⁰¹²³⁴⁵⁶⁷⁸⁹⁻ -]+" if system.has_powers else r"[A-Za-zµμ_*/() ]+"
    if len(spelled) > 40 or not re.fullmatch(allowed, spelled):
        raise ShardwiseError(f"“{written[:40]}” is not a unit.")
    try:
        factor, powers = parsed_product(spelled, system.scale)
        if not system.has_powers and any(abs(power) > 1 for power in powers.values()):
            raise LookupError(spelled)
    except LookupError:
        raise ShardwiseError(f"“{written[:40]}” is not a unit I know.{_nearest(plain, system)}") from None
    if system.has_powers:
        powers = dict(sorted(powers.items()))
    return Unit(plain, factor, powers, system, system.offsets.get(spelled, Fraction(0)))


def _spellings(system: UnitSystem) -> Iterator[tuple[str, str | Callable[[re.Match[str]], str]]]:
    """Yield what people write in a system, and what the parser reads."""

    def as_a_name(found: re.Match[str]) -> str:
        """Return a word in lower case if that makes it a unit; in symbols, case has a meaning, so they stay unchanged."""
        for name in (found[0], found[0].lower()):
            with suppress(LookupError):
                system.scale(name)
                return name
        return found[0]

    yield from _EVERYWHERE
    yield from _OF_NATURE if system.has_powers else _SPELLINGS
    yield r"\b[A-Z][A-Za-z]{2,}\b", as_a_name  # Gigabytes, Days, HOURS
    yield from _SPACED


def dimension_of(powers: Mapping[str, int]) -> str:
    """Return a dimension as text.

    >>> dimension_of({"information": 1, "time": -1}), dimension_of({})
    ('[information] / [time]', 'dimensionless')
    """
    over = " * ".join(f"[{name}]" for name, power in powers.items() if power > 0 for _ in range(power))
    under = "".join(f" / [{name}]" for name, power in powers.items() if power < 0 for _ in range(-power))
    return (over or "1") + under if over or under else "dimensionless"


def _nearest(text: str, system: UnitSystem) -> str:
    import difflib  # imported here, because only an unknown unit needs it

    if system.has_powers:
        near = difflib.get_close_matches(text, [name for name in system.units if len(name) > 2], n=1, cutoff=_NEAR)
        return f" Did you mean {near[0]}?" if near else ""
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

    >>> plural("step", 2), plural("GPU*h", 2), plural("micro_batch", 1), plural("m/s^2", 2)
    ('steps', 'GPU·h', 'micro-batch', 'm/s²')
    """
    written, system = unqualified(written)
    word = re.match(r"[A-Za-z_]+", written)
    if word is not None and number != 1:
        name = word.group()
        if name == "dollar":  # never the $ sign: two of them in a paragraph would be rendered as a formula
            return written.replace("dollar", "dollars").replace("*", "·")
        if name in system.plurals:
            written = system.plurals[name] + written[word.end() :]
        elif word.end() == len(written) and name.lower() in (*system.counted, *_IN_PLURAL):
            written = f"{name}es" if name in ("crash", "micro_batch") else f"{name}s"
    written = re.sub(r"^1/([A-Za-zΩµμ]+)$", r"\1^-1", written)
    written = re.sub(r"\^(-?\d+)", lambda found: raised(found[1]), written.replace("Δ", ""))
    return written.replace("_", "-").replace("*", "·")
