"""Systems of units: the tables that a bank uses, with its own units, as a value that every unit carries.

A unit that is not one of computing is kept with its system: `m/s {"systems":["si"]}` is complete in itself, so a lock file
needs no bank. Such a text is what `qualified` returns; everything that takes a unit reads it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache

from shardwise.errors import ShardwiseError
from shardwise.units.numerals import lowered
from shardwise.units.table import SYSTEMS

Scale = tuple[Fraction, Mapping[str, int]]  # the size of a unit in base units, and the power of each dimension

_DEFINED = re.compile(
    r"(?:(?P<number>[\d.]+(?:e[+-]?\d+)?(?:/[\d.]+)?)(?:\s+|$))?(?P<unit>[^+]*?)(?:\s*\+\s*(?P<offset>[\d.]+))?"
)
_TOKEN = re.compile(r"Δ?°[CF]?|[€£]|[^\W\d]+|\^-?\d+|[*/()1]")
_POWER = re.compile(
    r"\s*(?:\^|\*\*)\s*(?:\(\s*[+]?(-?)\s*(\d{1,2})\s*\)|[+]?(-?)\s*(\d{1,2}))|(⁻?)([⁰¹²³⁴⁵⁶⁷⁸⁹]{1,2})|(?<=[A-Za-zΩµμ])(-?)([1-9])(?![\w.])"
)


@dataclass(frozen=True)
class UnitSystem:
    """Units by name and symbol, with the prefixes that most of them take."""

    text: str  # its definition as JSON; "" for the units of computing
    has_powers: bool = field(compare=False)
    prefixes: Mapping[str, Fraction] = field(compare=False)
    counted: tuple[str, ...] = field(compare=False)
    plurals: Mapping[str, str] = field(compare=False)  # of its own units
    units: dict[str, Scale] = field(default_factory=dict, compare=False)
    plain: set[str] = field(default_factory=set, compare=False)  # the names that take no prefix
    offsets: dict[str, Fraction] = field(default_factory=dict, compare=False)  # zero on the scale of °C, in kelvins
    measures: dict[frozenset[tuple[str, int]], str] = field(
        default_factory=dict, compare=False
    )  # by powers of dimensions

    def scale(self, name: str) -> Scale:
        """Return the scale of one unit by its name or symbol, with or without a prefix and the s of a plural.

        >>> system_of("").scale("GiB"), system_of("").scale("kilowatts")
        ((Fraction(1073741824, 1), {'information': 1}), (Fraction(1000, 1), {'energy': 1, 'time': -1}))

        Raises LookupError for an unknown unit. A symbol of one letter has no plural: "hs" is unknown.
        """
        for stem, shortest in ((name, 1), (name.removesuffix("s"), 2)):
            for prefix, times in self.prefixes.items():
                symbol = stem[len(prefix) :]
                is_known = stem.startswith(prefix) and symbol in self.units and len(symbol) >= shortest
                if is_known and not (prefix and symbol in self.plain):
                    factor, powers = self.units[symbol]
                    return times * factor, powers
        raise LookupError(name)

    def define(self, names: str, definition: str, *, takes_prefixes: bool) -> None:
        """Add a unit under all its names. Raises ShardwiseError."""
        scale, offset = _defined(names, definition, self.scale)
        for name in names.split():
            self.units[name] = scale
            self.plain.discard(name) if takes_prefixes else self.plain.add(name)
            if offset:
                self.offsets[name] = offset * scale[0]


def qualified(text: str, system: str) -> str:
    """Return a unit's text together with its system; a text that has one keeps it.

    >>> qualified("m/s", '{"systems":["si"]}'), qualified("GB", "")
    ('m/s {"systems":["si"]}', 'GB')
    """
    return f"{text} {system}" if system and " {" not in text else text


def unqualified(text: str) -> tuple[str, UnitSystem]:
    """Split a unit's text from its system. Raises ShardwiseError, as `system_of` does."""
    plain, brace, definition = text.partition(" {")
    return plain, system_of(brace.strip() + definition)


def system_text(systems: tuple[str, ...], units: Mapping[str, str], prefixed: tuple[str, ...]) -> str:
    """Return the text of a system: "" if it is that of computing. `units` are its own: their names, and the definition.

    The second name is the plural. Raises ShardwiseError, as `system_of` does.
    """
    if systems == ("computing",) and not units:
        return ""
    found = {"systems": list(systems), "units": dict(units), "prefixed": list(prefixed)}
    text = json.dumps(
        {name: value for name, value in found.items() if value}, ensure_ascii=False, separators=(",", ":")
    )
    system_of(text)
    return text


@lru_cache(maxsize=64)
def system_of(text: str) -> UnitSystem:
    """Return the system with this text. Raises ShardwiseError if one of its units has a definition that cannot be read."""
    data = json.loads(text) if text else {}
    tables = [SYSTEMS[name] for name in data.get("systems", ("computing",))]
    own: Mapping[str, str] = data.get("units", {})
    prefixed = data.get("prefixed", ())
    prefixes = {"": Fraction(1)}
    for table in tables:
        prefixes |= {name: Fraction(times) for names, times in table.prefixes.items() for name in names.split()}
    own_dimensions = (definition.strip("[]") for definition in own.values() if definition.startswith("["))
    system = UnitSystem(
        text,
        has_powers=any(table.has_powers for table in tables),
        prefixes=prefixes,
        counted=(*(name for table in tables for name in table.counted), *own_dimensions),
        plurals=dict(names.split()[:2] for names in own),
    )
    for table in tables:
        for names, definition in table.units.items():
            system.define(names, definition, takes_prefixes=True)
        for names, definition in table.plain.items():
            system.define(names, definition, takes_prefixes=False)
    for names, definition in own.items():
        system.define(names, definition, takes_prefixes=names.split()[0] in prefixed)
    for table in tables:
        for unit, words in table.measures.items():
            powers = parsed_product(unit, system.scale)[1] if unit else {}
            system.measures[frozenset(powers.items())] = words
    return system


def _defined(names: str, definition: str, scale: Callable[[str], Scale]) -> tuple[Scale, Fraction]:
    """Return the scale of a unit, and the offset of its zero in itself. Raises ShardwiseError."""
    if definition.startswith("["):
        return (Fraction(1), {definition.strip("[]"): 1}), Fraction(0)
    found = _DEFINED.fullmatch(definition.strip())
    try:
        if found is None:
            raise LookupError(definition)
        above, _, below = (found["number"] or "1").partition("/")
        factor, powers = parsed_product(found["unit"].strip(), scale)
        return (Fraction(above) / Fraction(below or "1") * factor, powers), Fraction(found["offset"] or 0)
    except (LookupError, ValueError, ZeroDivisionError):
        raise ShardwiseError(
            f"{names.split()[0]}: “{definition}” is neither a number with a unit, such as 201.168 m, nor a unit"
        ) from None


def parsed_product(text: str, scale: Callable[[str], Scale]) -> Scale:
    """Return the scale of a product or quotient of units, read from left to right: a/b*c is (a/b)*c.

    >>> parsed_product("GB/s", system_of("").scale), parsed_product("m/s²", system_of('{"systems":["si"]}').scale)[1]
    ((Fraction(1000000000, 1), {'information': 1, 'time': -1}), {'length': 1, 'time': -2})

    Raises LookupError if it is not one.
    """
    text = _POWER.sub(lambda found: lowered(f"^{''.join(filter(None, found.groups()))}"), text)
    tokens = _TOKEN.findall(text)
    if "".join(tokens) != re.sub(r"\s+", "", text):
        raise LookupError(text)
    factor, powers = _product(tokens, scale)
    if tokens:
        raise LookupError(text)
    return factor, {name: power for name, power in powers.items() if power}


def _product(tokens: list[str], scale: Callable[[str], Scale]) -> Scale:
    """Remove a product from the head of `tokens`."""
    factor, first = _term(tokens, scale)
    powers = dict(first)
    while tokens and tokens[0] in ("*", "/"):
        sign = 1 if tokens.pop(0) == "*" else -1
        times, more = _term(tokens, scale)
        factor *= times**sign
        for name, power in more.items():
            powers[name] = powers.get(name, 0) + sign * power
    return factor, powers


def _term(tokens: list[str], scale: Callable[[str], Scale]) -> Scale:
    """Remove one unit with its exponent, or a product in brackets, from the head of `tokens`. Raises LookupError."""
    token = tokens.pop(0)
    if token == "1":
        found: Scale = Fraction(1), {}
    elif token == "(":
        found = _product(tokens, scale)
        if tokens.pop(0) != ")":
            raise LookupError("a bracket is never closed")
    else:
        found = scale(token)
    if tokens and tokens[0].startswith("^"):
        exponent = int(tokens.pop(0)[1:])
        if abs(exponent) > 9:
            raise LookupError(token)
        found = found[0] ** exponent, {name: power * exponent for name, power in found[1].items()}
    return found
