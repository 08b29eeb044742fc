"""The tables of units: those of computing, of the SI and of everyday life, as data, with words for what they measure.

A unit is defined by "[dimension]", or by a number and a product of units that are defined above it. Its first name is written
out; symbols and other spellings follow. Units that take no prefix are in `plain`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

COUNTED = ("token", "step", "gpu", "node", "layer", "stage", "sequence", "sample", "micro_batch", "parameter",
           "message", "crash", "head")  # fmt: skip


@dataclass(frozen=True)
class UnitTable:
    """Units that a bank can choose together."""

    prefixes: Mapping[str, int | Fraction]
    units: Mapping[str, str]
    plain: Mapping[str, str]
    measures: Mapping[str, str]  # what a unit measures, in words that a student would use
    counted: tuple[str, ...] = ()  # the dimensions of things that are counted
    has_powers: bool = True  # whether a unit may be squared, and a letter such as M or K is a unit and not a multiple


_BINARY = {"kibi Ki": 2**10, "mebi Mi": 2**20, "gibi Gi": 2**30, "tebi Ti": 2**40, "pebi Pi": 2**50}  # IEC 80000-13

COMPUTING = UnitTable(
    prefixes={  # SI brochure (2019); K is not an SI prefix, but people write KB
        "kilo k K": 10**3, "mega M": 10**6, "giga G": 10**9, "tera T": 10**12, "peta P": 10**15, "exa E": 10**18,
        **_BINARY,
        "milli m": Fraction(1, 10**3), "micro u µ μ": Fraction(1, 10**6), "nano n": Fraction(1, 10**9),
    },
    units={
        "byte B octet": "[information]",
        "bit b": "1/8 B",  # not a plain number; 8 Gbit are 1 GB
        "second s sec": "[time]",
        "minute min": "60 s",
        "hour h hr": "3600 s",
        "day d": "24 h",
        "week": "7 d",
        "flop FLOP": "[computation]",
        "joule J": "[energy]",
        "watt W": "J/s",
        "watt_hour Wh": "3600 J",
        "dollar USD": "[money]",
        "cent": "1/100 dollar",
        "gram g": "[mass]",
        "tonne": "1000000 g",  # without its symbol t, which may mean a thousand or tokens
        **{name: f"[{name}]" for name in COUNTED},
        "GPU": "gpu",
        "seq": "sequence",
        "tok": "token",
        "param": "parameter",
    },
    plain={},
    measures={
        "B": "an amount of data",
        "B/s": "a bandwidth",
        "s": "a time",
        "FLOP": "an amount of work",
        "FLOP/s": "a compute rate",
        "J": "energy",
        "W": "power",
        "dollar": "money",
        "g": "a mass",
        "g/J": "emissions for an amount of energy",
        "GPU*s": "GPU time",
        "": "a plain number",
    },
    counted=COUNTED,
    has_powers=False,
)  # fmt: skip

SI = UnitTable(  # SI brochure, 9th edition (2019), with the non-SI units of its table 8
    prefixes={
        "quetta Q": 10**30, "ronna R": 10**27, "yotta Y": 10**24, "zetta Z": 10**21, "exa E": 10**18, "peta P": 10**15,
        "tera T": 10**12, "giga G": 10**9, "mega M": 10**6, "kilo k K": 10**3, "hecto h": 100, "deca da": 10,
        "deci d": Fraction(1, 10), "centi c": Fraction(1, 100), "milli m": Fraction(1, 10**3),
        "micro u µ μ": Fraction(1, 10**6), "nano n": Fraction(1, 10**9), "pico p": Fraction(1, 10**12),
        "femto f": Fraction(1, 10**15), "atto a": Fraction(1, 10**18), "zepto z": Fraction(1, 10**21), "yocto y": Fraction(1, 10**24),
        **_BINARY,
    },
    units={
        "metre m meter": "[length]",
        "kilogram": "[mass]",
        "gram g gramme": "1/1000 kilogram",
        "second s sec": "[time]",
        "ampere A amp": "[current]",
        "kelvin K": "[temperature]",
        "mole mol": "[amount]",
        "candela cd": "[luminosity]",
        "radian rad": "[angle]",
        "hertz Hz hz": "1 1/s",
        "newton N": "kg*m/s^2",
        "pascal Pa": "N/m^2",
        "joule J": "N*m",
        "newton_metre Nm": "N*m",
        "watt W": "J/s",
        "watt_hour Wh": "3600 J",
        "watt_second Ws": "J",
        "coulomb C": "A*s",
        "ampere_second As": "C",
        "ampere_hour Ah": "3600 C",
        "volt V": "W/A",
        "farad F": "C/V",
        "ohm Ω Ohm": "V/A",
        "siemens S": "A/V",
        "weber Wb": "V*s",
        "tesla T": "Wb/m^2",
        "henry H": "Wb/A",
        "lumen lm": "cd",
        "lux lx": "lm/m^2",
        "becquerel Bq": "1 1/s",
        "gray Gy": "J/kg",
        "sievert Sv": "J/kg",
        "bar": "100000 Pa",
        "litre L l liter": "1/1000 m^3",
        "electronvolt eV": "1.602176634e-19 J",
        "tonne t": "1000 kg",
        "byte B": "[information]",
        "bit b": "1/8 B",
    },
    plain={
        "minute min": "60 s",
        "hour h hr": "3600 s",
        "day d": "24 h",
        "week": "7 d",
        "year yr": "365.25 d",
        "degree deg °": "0.017453292519943295 rad",
        "°C": "K + 273.15",
        "ΔK Δ°C": "K",  # a difference of temperatures
        "dalton Da": "1.66053906892e-27 kg",  # CODATA 2022
        "hectare ha": "10000 m^2",
        "cc ccm": "1 cm^3",
        "kph kmh": "1/3.6 m/s",
        "mps": "m/s",
    },
    measures={
        "m": "a length", "m^2": "an area", "m^3": "a volume", "kg": "a mass", "s": "a time", "1/s": "a frequency or a rate",
        "m/s": "a speed", "m/s^2": "an acceleration", "rad": "an angle", "rad/s": "an angular velocity", "N": "a force",
        "N/m": "a spring constant or a surface tension", "kg*m/s": "a momentum", "kg*m^2": "a moment of inertia",
        "kg/m^3": "a density", "kg/s": "a mass flow", "m^3/s": "a volume flow", "Pa": "a pressure", "J": "an energy or a torque",
        "W": "a power", "W/m^2": "an intensity", "A": "a current", "C": "an electric charge", "V": "a voltage",
        "V/m": "an electric field", "F": "a capacitance", "Ω": "a resistance", "S": "a conductance", "Wb": "a magnetic flux",
        "T": "a magnetic field", "H": "an inductance", "K": "a temperature", "J/K": "a heat capacity",
        "J/(kg*K)": "a specific heat capacity", "J/kg": "an energy per mass", "mol": "an amount of substance", "g/mol": "a molar mass",
        "mol/L": "a concentration", "cd": "a luminous intensity", "B": "an amount of data",
        "B/s": "a bandwidth", "": "a plain number",
    },
)  # fmt: skip

EVERYDAY = UnitTable(
    prefixes={},
    units={"calorie cal": "4.184 J"},
    plain={
        "mile miles mi": "1609.344 m",
        "foot feet ft": "0.3048 m",
        "inch inches in": "0.0254 m",
        "yard yd": "0.9144 m",
        "nautical_mile nmi": "1852 m",
        "mph": "1 mile/h",
        "knot kn": "1 nautical_mile/h",
        "pound lb lbs": "0.45359237 kg",
        "ounce oz": "0.028349523125 kg",
        "gallon gal": "0.003785411784 m^3",  # of the United States
        "atmosphere atm": "101325 Pa",
        "mmHg torr": "133.322387415 Pa",
        "psi": "6894.757293168 Pa",
        "horsepower hp": "745.69987158227022 W",
        "rpm": "0.10471975511965977 rad/s",
        "revolution rev": "6.283185307179586 rad",
        "°F": "5/9 K + 459.67",
        "dollar USD": "[money]",
        "cent": "1/100 dollar",
        "euro € EUR": "[euro]",
        "pound_sterling £ GBP": "[sterling]",
    },
    measures={"dollar": "money", "€": "an amount in euros", "£": "an amount in pounds"},
)

SYSTEMS: Mapping[str, UnitTable] = {"computing": COMPUTING, "si": SI, "everyday": EVERYDAY}
