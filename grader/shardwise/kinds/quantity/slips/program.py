"""Programs: many expressions that share most of their parts, evaluated together in one pass."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shardwise.kinds.quantity.slips.expressions import FUNCTIONS, TracedNode, traced_nodes


@dataclass(frozen=True)
class Program:
    """Steps over a list of values: first the arguments, then the constants, then the result of each operation on two earlier values."""

    arguments: tuple[tuple[str, float], ...]  # by name, with the value for draws without that name
    numbers: tuple[float, ...]
    steps: tuple[tuple[str, int, int], ...]  # an operation with one operand gets it twice
    results: tuple[int, ...]

    def run(self, values: Mapping[str, float]) -> list[float]:
        """Return the value of each expression; nan if it has none."""
        found: list[float] = [values.get(name, default) for name, default in self.arguments]
        found += self.numbers
        for operation, first, last in self.steps:
            found.append(OPERATIONS[operation](found[first], found[last]))
        return [found[place] for place in self.results]


def program(roots: Sequence[TracedNode], names: Sequence[str] | None = None) -> Program:
    """Compile these expressions into a program; its arguments are these names in this order, or all names that occur."""
    unique = {id(here): here for root in roots for here in traced_nodes(root)}
    leaves = [here for here in unique.values() if not here.parts]
    known = {here.name: here.value for here in leaves if not here.is_number}
    arguments = known if names is None else {name: known.get(name, 0.0) for name in names}
    numbers = dict.fromkeys(here.value for here in leaves if here.is_number or here.name not in arguments)
    by_name = {name: place for place, name in enumerate(arguments)}
    by_value = {value: len(arguments) + place for place, value in enumerate(numbers)}
    steps: dict[tuple[str, int, int], int] = {}
    places: dict[int, int] = {}
    for key, here in unique.items():
        if here.parts:
            step = here.operation, places[id(here.parts[0])], places[id(here.parts[-1])]
            places[key] = steps.setdefault(step, len(arguments) + len(numbers) + len(steps))
        else:
            places[key] = by_name[here.name] if here.name in by_name else by_value[here.value]
    return Program(tuple(arguments.items()), tuple(numbers), tuple(steps), tuple(places[id(root)] for root in roots))


def disturbed(values: Mapping[str, Any], turn: int) -> dict[str, float]:
    """Return the values changed at random, so that no relation between them remains."""
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
    **{name: _of_one(getattr(math, name)) for name in ("ceil", "floor", *FUNCTIONS)},
}
