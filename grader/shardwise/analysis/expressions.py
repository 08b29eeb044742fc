"""Small expressions over a question's key and parameters, which may explain a wrong number."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations, permutations

from shardwise.errors import ShardwiseError
from shardwise.kinds.quantity.general import number_in
from shardwise.kinds.quantity.slips.words import words
from shardwise.question import Question
from shardwise.units import THIN_SPACE, show_number, unit

MOST_PARAMS = 10  # parameters of a question that are tried
_CONSTANTS = (2, 3, 4, 6, 8, 10, 12, 16, 24, 60, 100, 1000, 1024, 3600, 1e6, 1e9)


@dataclass(frozen=True)
class DrawnNumber:
    """A parameter of a question as a number."""

    name: str  # in words, such as "number of nodes"
    value: float  # in base units
    is_plain: bool  # whether it has no dimension


def parameters_of(question: Question) -> list[DrawnNumber]:
    """Return the parameters of a question that are numbers."""
    found = []
    for name, shown in question.params.items():
        text = str(shown)
        number = number_in(text)
        if number and not isinstance(shown, bool) and re.match(r"-?\d", text):
            factor = _factor(text)
            said = words(name).removeprefix("the ")
            found.append(DrawnNumber(said, number * (factor or 1), factor is None))
    return found[:MOST_PARAMS]


def _factor(text: str) -> float | None:
    """Return the size of an amount's unit in base units; None for an amount without a dimension."""
    _, _, after = text.replace(THIN_SPACE, "").partition(" ")
    for name in (after, after.partition(" ")[0]):
        with suppress(ShardwiseError):
            known = unit(name)
            if name and known.dimension != "dimensionless":
                return float(known.factor)
    return None


def small_expressions(key: float, numbers: Sequence[DrawnNumber]) -> Iterator[tuple[str, float]]:
    """Yield small expressions over the key and the parameters, each with its value."""
    for constant in _CONSTANTS:
        yield f"key × {show_number(constant)}", key * constant
        yield f"key ÷ {show_number(constant)}", key / constant
    yield "key²", key * key
    yield "1 ÷ key", 1 / key if key else math.nan
    yield "√key", math.sqrt(abs(key))
    yield "key + 1", key + 1
    yield "key − 1", key - 1
    for number in numbers:
        value, name = number.value, number.name
        yield name, value
        yield f"key + {name}", key + value
        yield f"key − {name}", key - value
        yield f"{name} − key", value - key
        for text, factor in _factors(number):
            yield f"key × {text}", key * factor
            if factor:
                yield f"key ÷ {text}", key / factor
            for constant in (2, 8, 1000):
                yield f"key × {constant} × {text}", key * constant * factor
                if factor:
                    yield f"key × {constant} ÷ {text}", key * constant / factor
    for first, last in combinations(numbers, 2):
        yield f"{first.name} × {last.name}", first.value * last.value
        yield f"{first.name} + {last.name}", first.value + last.value
    for first, last in permutations(numbers, 2):
        yield f"{first.name} − {last.name}", first.value - last.value
        yield f"{first.name} ÷ {last.name}", first.value / last.value
        yield f"key × {first.name} ÷ {last.name}", key * first.value / last.value


def _factors(number: DrawnNumber) -> Iterator[tuple[str, float]]:
    """Yield factors that contain one parameter, each with its value."""
    name, value = number.name, number.value
    yield name, value
    if number.is_plain:
        yield f"({name})²", value * value
        if value not in (0, 1):
            yield f"({name} − 1)", value - 1
        yield f"({name} + 1)", value + 1
        if 0 < value < 1:
            yield f"(1 − {name})", 1 - value
        if value > 1:
            yield f"log₂({name})", math.log2(value)
