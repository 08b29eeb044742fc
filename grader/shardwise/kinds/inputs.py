"""Inputs on which functions are compared: edges, drawn inputs, and every simpler version of the drawn ones.

A failing input is shrunk the moment it is drawn: each drawn input comes with all those in which some of its
arguments have their simplest value. The first failing case, simplest first, is then the shrunk one, and a lock file
that holds the cases needs no reference to find it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from pydantic import Field

from shardwise.template.parameters import Parameter, Scalar, Steps
from shardwise.template.rng import Rng

DRAWN = 4  # inputs drawn at random for each question


class Input(Parameter):
    """An argument of a function, or a symbol of a formula, and the values it may take, simplest first."""

    argument: str | None = Field(None, description="The reference's keyword; the same name by default.")
    means: str = Field("", description="What it stands for, for the student.")

    def level(self, shown: Scalar) -> _Level:
        """Return what a case needs to know about a value as written."""
        return _Level(shown, self.base(shown), self._rank(shown), repr(shown))  # 1 and 1.0 are equal but not the same

    def _rank(self, shown: Scalar) -> int:
        """Return how far a value is from the simplest one."""
        values = self.values()
        if isinstance(values, Steps):
            return bisect_left(values, shown) if isinstance(shown, int | float) else 0
        if shown in values:
            return values.index(shown)
        return sum(
            isinstance(known, int | float) and isinstance(shown, int | float) and known < shown for known in values
        )


@dataclass(frozen=True)
class Case:
    """One input: as the student's function gets it, and as the reference gets it."""

    shown: Mapping[str, Scalar]
    base: Mapping[str, Scalar]
    edge: bool
    rank: tuple[int, ...]  # how far from simplest


@dataclass(frozen=True)
class _Level:
    """One value of one argument, and what a case needs to know about it."""

    shown: Scalar
    base: Scalar
    rank: int
    written: str


def cases(
    inputs: Mapping[str, Input],
    edges: Sequence[Mapping[str, Scalar]],
    rng: Rng,
    drawn: int = DRAWN,
    always: Sequence[Mapping[str, Scalar]] = (),
) -> list[Case]:
    """Return the distinct inputs: edge cases, then the fixed and drawn ones with simplified versions, simplest first."""
    found: dict[tuple[str, ...], Case] = {}
    for number, edge in enumerate(edges):
        shown = {**_drawn(inputs, rng, f"edge {number}"), **edge}
        _add(found, inputs, tuple(given.level(shown[name]) for name, given in inputs.items()), edge=True)
    for number, given in enumerate(always):
        shown = {**_drawn(inputs, rng, f"always {number}"), **given}
        _add(found, inputs, tuple(each.level(shown[name]) for name, each in inputs.items()), edge=False)
    for number in range(drawn):
        shown = _drawn(inputs, rng, f"case {number}")
        for simpler in _simpler(inputs, shown):
            _add(found, inputs, simpler, edge=False)
    return sorted(found.values(), key=lambda case: (not case.edge, sum(case.rank), case.rank))


def _drawn(inputs: Mapping[str, Input], rng: Rng, stream: str) -> dict[str, Scalar]:
    return {name: given.roll(rng.number(f"{stream}: {name}")) for name, given in inputs.items()}


def _simpler(inputs: Mapping[str, Input], shown: Mapping[str, Scalar]) -> list[tuple[_Level, ...]]:
    """Return all versions of an input with some arguments at their simplest; of more than five arguments, one at a time."""
    drawn = [given.level(shown[name]) for name, given in inputs.items()]
    simplest = [given.level(given.values()[0]) for given in inputs.values()]
    if len(inputs) <= 5:
        both = zip(drawn, simplest, strict=True)
        return list(product(*((item,) if item.written == other.written else (item, other) for item, other in both)))
    alone = [[*simplest[:kept], drawn[kept], *simplest[kept + 1 :]] for kept in range(len(inputs))]
    return [tuple(levels) for levels in (simplest, *alone, drawn)]


def _add(
    found: dict[tuple[str, ...], Case], inputs: Mapping[str, Input], levels: tuple[_Level, ...], *, edge: bool
) -> None:
    identity = tuple([level.written for level in levels])
    if identity not in found:
        found[identity] = Case(
            shown={name: level.shown for name, level in zip(inputs, levels, strict=True)},
            base={
                given.argument or name: level.base for (name, given), level in zip(inputs.items(), levels, strict=True)
            },
            edge=edge,
            rank=tuple(level.rank for level in levels),
        )


def call_text(function: str, inputs: Mapping[str, Any]) -> str:
    """Return a call as a student would type it.

    >>> call_text("transfer_ms", {"message_gb": 1, "hosts": 8})
    'transfer_ms(message_gb=1, hosts=8)'
    """
    return f"{function}({', '.join(f'{name}={typed(value)}' for name, value in inputs.items())})"


def typed(value: Any) -> str:
    """Return a value as one would type it: a large number with a power of ten.

    >>> typed(50000000000.0), typed(1750000000.0), typed(64.0), typed(123456789.0), typed(0.002)
    ('50e9', '1.75e9', '64.0', '123456789.0', '0.002')
    """
    if isinstance(value, float) and 1e5 <= abs(value) < 1e24:
        power = (len(f"{abs(value):.0f}") - 1) // 3 * 3
        short = f"{value / 10**power:.6g}e{power}"
        if float(short) == value and len(short) < 8:
            return short
    return repr(value)
