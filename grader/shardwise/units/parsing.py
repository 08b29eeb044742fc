"""The text of a unit, such as "GiB", "PFLOP/s*day" or "GPU-hours", turned into its factor and its dimension."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from shardwise.errors import ShardwiseError
from shardwise.units.table import COUNTED, MEASURES, Scale, scale

_SPELLINGS = (  # how people write units, and how the parser wants them
    (r"(?<=[a-zA-Z])\s*-\s*(?=[a-zA-Z])", "*"),  # GPU-hours, PF-days
    (r"·", "*"),
    (r"\bmicro[* ]?batch(es)?\b", "micro_batch"),
    (r"\bper\b", "/"),
    (r"\b([kMGTPE]?)bps\b", r"\1bit/s"),
    (r"\b([kMGTPE]i?)Bps\b", r"\1B/s"),
    (r"\bGBPs\b", "GB/s"),
    (r"\b([kMGTPE]?)FLOPS\b", r"\1FLOP/s"),
    (r"\b([kMGTPE]?)FLOPs\b", r"\1FLOP"),
    (r"\b([kMGTPE])F(?=\s*\*|/)", r"\1FLOP"),  # PF-days
    (r"\bpetaflop(/s)?\*", "PFLOP/s*"),
    (r"\bPFLOP\*day", "PFLOP/s*day"),
    (r"\bcrashes\b", "crash"),
    (r"\$", "dollar"),
    (r"(?<=[\w)])\s+(?=[\w(])", "*"),  # GPU hours
)
_AMBIGUOUS = {"gb": "GB or Gb", "mb": "MB or Mb", "kb": "kB or kb", "tb": "TB or Tb", "pb": "PB or Pb",
              "gib": "GiB", "mib": "MiB", "tib": "TiB", "kib": "KiB"}  # fmt: skip
_COMMON = ("GB", "GiB", "MB", "MiB", "TB", "KiB", "GB/s", "Gbit/s", "TFLOP/s", "PFLOP/s*day", "ms", "us", "s", "min",
           "h", "day", "FLOP", "tokens", "steps", "GPUs", "kWh", "MWh", "dollars", "%")  # fmt: skip


@dataclass(frozen=True)
class Unit:
    """A unit: how it is written, what one of it is in base units, and its dimension."""

    text: str
    factor: Fraction
    dimension: str

    @property
    def measures(self) -> str:
        """What the unit measures, in words."""
        if self.dimension in MEASURES:
            return MEASURES[self.dimension]
        if self.dimension.strip("[]") in COUNTED:
            return f"a number of {plural(self.dimension.strip('[]').replace('gpu', 'GPU'), 2)}"
        return self.dimension.replace("[", "").replace("]", "").replace(" / ", " per ")

    @property
    def is_count(self) -> bool:
        """Whether a bare number may stand for it: a plain number, or a count of one thing."""
        return self.factor == 1 and self.dimension in ("dimensionless", *(f"[{name}]" for name in COUNTED))


@lru_cache(maxsize=4096)
def unit(text: str) -> Unit:
    """The unit that `text` names.

    >>> unit("GiB").factor, unit("Gb").factor, unit("GB/s").measures
    (Fraction(1073741824, 1), Fraction(125000000, 1), 'a bandwidth')

    Raises ShardwiseError when nothing of that name exists, with the nearest names.
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
    """The factor and the dimension of a product or quotient of units. Raises LookupError when it is none."""
    tokens = re.findall(r"\w+|[*/()]", spelled)
    factor, powers = _product(tokens)
    if tokens or any(abs(power) > 1 for power in powers.values()):  # nothing here is measured in squares
        raise LookupError(spelled)
    over = " * ".join(f"[{name}]" for name, power in powers.items() if power == 1)
    under = "".join(f" / [{name}]" for name, power in powers.items() if power == -1)
    return factor, (over or "1") + under if over or under else "dimensionless"


def _product(tokens: list[str]) -> Scale:
    """Take a product off the head of `tokens`, from left to right: a/b*c is (a/b)*c."""
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
    """Take one unit, or a product in brackets, off the head of `tokens`; none left is an IndexError, a LookupError."""
    token = tokens.pop(0)
    if token != "(":
        return scale(token)
    inside = _product(tokens)
    if tokens.pop(0) != ")":
        raise LookupError("a bracket stays open")
    return inside


def _nearest(text: str) -> str:
    import difflib  # here, because only a unit that is unknown needs it

    if text.lower() in _AMBIGUOUS:
        return f" Did you mean {_AMBIGUOUS[text.lower()]}? A capital B is a byte, a small b a bit."
    near = difflib.get_close_matches(text, _COMMON, n=1, cutoff=0.5)
    return f" Did you mean {near[0]}?" if near else ""


def plural(written: str, number: float) -> str:
    """A unit's text as it stands after `number`, for reading.

    >>> plural("step", 2), plural("GPU*h", 2), plural("micro_batch", 1)
    ('steps', 'GPU·h', 'micro-batch')
    """
    word = re.match(r"[A-Za-z_]+", written)
    if word is None or number == 1:
        return written.replace("_", "-").replace("*", "·")
    name = word.group()
    if name == "dollar":  # never the sign: two of them in a paragraph would be taken for a formula
        return written.replace("dollar", "dollars").replace("*", "·")
    if word.end() == len(written) and name.lower() in (*COUNTED, "day", "hour", "dollar", "minute", "week"):
        written = f"{name}es" if name in ("crash", "micro_batch") else f"{name}s"
    return written.replace("_", "-").replace("*", "·")
