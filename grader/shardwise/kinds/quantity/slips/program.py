"""Programs: many expressions that share most of their parts, worked out together in one pass."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shardwise.kinds.quantity.slips.expressions import Node, nodes


@dataclass(frozen=True)
class Program:
    """Steps over a list of values: first the leaves, then what each operation makes of earlier values."""

    arguments: tuple[tuple[str, float], ...]  # by name; the value where a draw has none of that name
    numbers: tuple[float, ...]
    steps: tuple[tuple[Callable[..., float], int, int], ...]  # an operation of one number is given it twice
    results: tuple[int, ...]

    def run(self, values: Mapping[str, float]) -> list[float]:
        """The value of each expression; nan where it has none."""
        found: list[float] = [values.get(name, default) for name, default in self.arguments]
        found += self.numbers
        append = found.append
        for work, first, last in self.steps:
            append(work(found[first], found[last]))
        return [found[place] for place in self.results]


def program(roots: Sequence[Node]) -> Program:
    """The program that works out these expressions."""
    unique: dict[int, Node] = {}
    for root in roots:
        for here in nodes(root):
            unique[id(here)] = here
    arguments = {here.name: here.value for here in unique.values() if here.operation == "argument"}
    numbers = {here.value: None for here in unique.values() if here.is_number}
    by_name = {name: place for place, name in enumerate(arguments)}
    by_value = {value: len(arguments) + place for place, value in enumerate(numbers)}
    places: dict[int, int] = {}
    steps: list[tuple[Callable[..., float], int, int]] = []
    known: dict[tuple[str, tuple[int, ...]], int] = {}
    for key, here in unique.items():
        if not here.parts:
            places[key] = by_value[here.value] if here.is_number else by_name[here.name]
            continue
        parts = tuple(places[id(part)] for part in here.parts)
        if (here.operation, parts) not in known:
            known[here.operation, parts] = len(arguments) + len(numbers) + len(steps)
            steps.append((OPERATIONS[here.operation], parts[0], parts[-1]))
        places[key] = known[here.operation, parts]
    return Program(tuple(arguments.items()), tuple(numbers), tuple(steps), tuple(places[id(root)] for root in roots))


def disturbed(values: Mapping[str, Any], turn: int) -> dict[str, float]:
    """Return values that have nothing to do with each other any more."""
    return {
        name: value + 3 + 2 * turn + 5 * place if isinstance(value, int) else value * (1.1 + 0.3 * turn + 0.07 * place)
        for place, (name, value) in enumerate(values.items())
        if isinstance(value, int | float) and not isinstance(value, bool)
    }


def _of_one(work: Callable[[float], float]) -> Callable[[float, float], float]:
    def run(value: float, _: float) -> float:
        try:
            return work(value)
        except (ArithmeticError, ValueError):
            return math.nan

    return run


def _power(base: float, exponent: float) -> float:
    try:
        power: Any = base**exponent
        return math.nan if isinstance(power, complex) else float(power)
    except ArithmeticError:
        return math.nan


def _rest(above: float, below: float) -> float:
    return above % below if below else math.nan


def _over(above: float, below: float) -> float:
    return above / below if below else math.nan


OPERATIONS: Mapping[str, Callable[[float, float], float]] = {
    "plus": operator.add,
    "minus": operator.sub,
    "times": operator.mul,
    "over": _over,
    "negative": lambda value, _: -value,
    "power": _power,
    "rest": _rest,
    "round": _of_one(lambda value: math.floor(value + 0.5)),
    **{name: _of_one(getattr(math, name)) for name in ("ceil", "floor", "log", "log2", "log10", "sqrt", "exp", "cos")},
}
