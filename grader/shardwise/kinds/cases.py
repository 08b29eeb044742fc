"""Inputs on which functions are compared: edges, drawn values, and every simpler version of the drawn ones.

A failing input is shrunk the moment it is drawn: beside each drawn input stand all those in which some of its
arguments have their simplest value. The first failing case, simplest first, is then the shrunk one, and a lock file
that holds the cases needs no reference to find it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from pydantic import Field

from shardwise.draws import Draw, Scalar
from shardwise.draws import dice as throw
from shardwise.kinds.base import Dice

DRAWN = 4  # inputs drawn at random for each question
ATTEMPTS = 200  # throws until the constraints on inputs hold


class Input(Draw):
    """An argument of a function, or a symbol of a formula, and the values it may take, simplest first."""

    argument: str | None = Field(None, description="The reference's keyword; the same name when left out.")
    means: str = Field("", description="What it stands for, for the student.")


@dataclass(frozen=True)
class Case:
    """One input: as the student's function gets it, and as the reference gets it."""

    shown: Mapping[str, Scalar]
    base: Mapping[str, Scalar]
    edge: bool
    rank: tuple[int, ...]  # how far from simplest


def cases(
    inputs: Mapping[str, Input], edges: Sequence[Mapping[str, Scalar]], dice: Dice, drawn: int = DRAWN
) -> list[Case]:
    """Edges first, then drawn inputs with their simpler versions, simplest first and each once."""
    found: dict[tuple[str, ...], Case] = {}
    for number, edge in enumerate(edges):
        shown = {**_throw(inputs, dice, f"edge {number}"), **edge}
        _add(found, inputs, {name: shown[name] for name in inputs}, edge=True)
    for number in range(drawn):
        shown = _throw(inputs, dice, f"case {number}")
        for simpler in _simpler(inputs, shown):
            _add(found, inputs, simpler, edge=False)
    return sorted(found.values(), key=lambda case: (not case.edge, sum(case.rank), case.rank))


def _throw(inputs: Mapping[str, Input], dice: Dice, stream: str) -> dict[str, Scalar]:
    return {
        name: one.roll(throw(dice.seed, dice.problem, f"{stream}: {name}", dice.attempt))
        for name, one in inputs.items()
    }


def _simpler(inputs: Mapping[str, Input], shown: Mapping[str, Scalar]) -> list[dict[str, Scalar]]:
    """All versions of an input with some arguments at their simplest; with over five arguments, one at a time."""
    simplest = {name: one.values()[0] for name, one in inputs.items()}
    if len(inputs) <= 5:
        masks = list(product((False, True), repeat=len(inputs)))
    else:
        masks = [tuple(place != kept for place in range(len(inputs))) for kept in range(-1, len(inputs))]
        masks.append((False,) * len(inputs))
    return [
        {name: simplest[name] if simple else shown[name] for name, simple in zip(inputs, mask, strict=True)}
        for mask in masks
    ]


def _add(
    found: dict[tuple[str, ...], Case], inputs: Mapping[str, Input], shown: Mapping[str, Scalar], *, edge: bool
) -> None:
    identity = tuple(map(repr, shown.values()))
    if identity not in found:
        base = {one.argument or name: one.base(shown[name]) for name, one in inputs.items()}
        rank = tuple(_rank(one, shown[name]) for name, one in inputs.items())
        found[identity] = Case(dict(shown), base, edge, rank)


def _rank(one: Input, value: Scalar) -> int:
    values = list(one.values())
    if value in values:
        return values.index(value)
    return sum(isinstance(known, int | float) and isinstance(value, int | float) and known < value for known in values)


def call_text(function: str, inputs: Mapping[str, Any]) -> str:
    """A call as a student would type it.

    >>> call_text("all_reduce_ms", {"message_gb": 1, "gpus": 8})
    'all_reduce_ms(message_gb=1, gpus=8)'
    """
    return f"{function}({', '.join(f'{name}={value!r}' for name, value in inputs.items())})"
