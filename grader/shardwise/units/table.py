"""The table of units: every prefix and unit with its name and symbols, and names of dimensions."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

Scale = tuple[Fraction, Mapping[str, int]]  # the size of a unit in base units, and the power of each dimension

COUNTED = ("token", "step", "gpu", "node", "layer", "stage", "sequence", "sample", "micro_batch", "parameter",
           "message", "crash", "head")  # fmt: skip

_PREFIXES: dict[str, int | Fraction] = {  # SI brochure (2019) and IEC 80000-13; K is not an SI prefix, but people write KB
    "kilo k K": 10**3, "mega M": 10**6, "giga G": 10**9, "tera T": 10**12, "peta P": 10**15, "exa E": 10**18,
    "kibi Ki": 2**10, "mebi Mi": 2**20, "gibi Gi": 2**30, "tebi Ti": 2**40, "pebi Pi": 2**50,
    "milli m": Fraction(1, 10**3), "micro u µ μ": Fraction(1, 10**6), "nano n": Fraction(1, 10**9),
}  # fmt: skip

_UNITS: dict[str, tuple[int | Fraction, Mapping[str, int]]] = {
    "byte B octet": (1, {"information": 1}),
    "bit b": (Fraction(1, 8), {"information": 1}),  # not a plain number; 8 Gbit are 1 GB
    "second s sec": (1, {"time": 1}),
    "minute min": (60, {"time": 1}),
    "hour h hr": (3_600, {"time": 1}),
    "day d": (86_400, {"time": 1}),
    "week": (604_800, {"time": 1}),
    "flop FLOP": (1, {"computation": 1}),
    "joule J": (1, {"energy": 1}),
    "watt W": (1, {"energy": 1, "time": -1}),
    "watt_hour Wh": (3_600, {"energy": 1}),
    "dollar USD": (1, {"money": 1}),
    "cent": (Fraction(1, 100), {"money": 1}),
    "gram g": (1, {"mass": 1}),
    "tonne": (10**6, {"mass": 1}),  # without its symbol t, which may mean a thousand or tokens
    **{name: (1, {name: 1}) for name in COUNTED},
    "GPU": (1, {"gpu": 1}),
    "seq": (1, {"sequence": 1}),
    "tok": (1, {"token": 1}),
    "param": (1, {"parameter": 1}),
}

MEASURES = {  # the quantities with a dimension, in words that a student would use
    "[information]": "an amount of data",
    "[information] / [time]": "a bandwidth",
    "[time]": "a time",
    "[computation]": "an amount of work",
    "[computation] / [time]": "a compute rate",
    "[energy]": "energy",
    "[energy] / [time]": "power",
    "[money]": "money",
    "[mass]": "a mass",
    "[mass] / [energy]": "emissions for an amount of energy",
    "[gpu] * [time]": "GPU time",
    "dimensionless": "a plain number",
}

PREFIXES = {"": Fraction(1)} | {
    spelled: Fraction(times) for names, times in _PREFIXES.items() for spelled in names.split()
}
UNITS: Mapping[str, Scale] = {
    spelled: (Fraction(factor), powers) for names, (factor, powers) in _UNITS.items() for spelled in names.split()
}


def scale(name: str) -> Scale:
    """Return the scale of one unit by its name or symbol, with or without a prefix and the s of a plural.

    >>> scale("GiB"), scale("kilowatts")
    ((Fraction(1073741824, 1), {'information': 1}), (Fraction(1000, 1), {'energy': 1, 'time': -1}))

    Raises LookupError if there is no such unit. A symbol of one letter has no plural: "hs" is unknown.
    """
    for stem, shortest in ((name, 1), (name.removesuffix("s"), 2)):
        for prefix, times in PREFIXES.items():
            symbol = stem[len(prefix) :]
            if stem.startswith(prefix) and symbol in UNITS and len(symbol) >= shortest:
                factor, powers = UNITS[symbol]
                return times * factor, powers
    raise LookupError(name)
