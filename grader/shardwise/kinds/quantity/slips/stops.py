"""Stops: parameters and intermediate results, which a student may hand in instead of the final result."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

from shardwise.kinds.quantity.slips.arguments import UNSAID, Known, argument_named, reference_arguments
from shardwise.kinds.quantity.slips.expressions import TracedNode, traced_nodes
from shardwise.kinds.quantity.slips.phrases import formula, names, nesting
from shardwise.kinds.quantity.slips.program import Program, program
from shardwise.kinds.quantity.slips.tracing import traced
from shardwise.kinds.quantity.slips.words import is_understood, pronoun
from shardwise.template.draw import Draw
from shardwise.template.expressions import number_in_unit
from shardwise.template.parameters import Parameter
from shardwise.units import unit

MOST = 20  # in a key
MOST_NAMED = 3  # arguments of an intermediate result, since its formula names them all
LONGEST = 100  # characters of that formula
DEEPEST = 1  # sums and divisors inside other operations of it
LEAST = 5  # smaller whole numbers are in many questions, so that they say nothing

_PLACE = re.compile(r"\{(\w+)\}")

Stop = tuple[float, str]  # a value in base units, and a sentence about it


@dataclass(frozen=True)
class Stops:
    """The intermediate results of an expression, and the formula of each."""

    program: Program
    says: tuple[str, ...]

    def of(self, draw: Draw, template: Any) -> tuple[Stop, ...]:
        """Return the numbers of this draw that a student may stop at, the question's own first."""
        found = {
            value: f"Your answer equals {said}, which {'are' if pronoun(said) == 'them' else 'is'} given in the question."
            for value, said in _given(draw, template)
        }
        for value, said in zip(self.program.run(draw.values)[1:], self.says, strict=True):
            if math.isfinite(value) and not (float(value).is_integer() and abs(value) < LEAST):
                found.setdefault(value, f"Your answer equals {with_numbers(said, draw)}, an intermediate result.")
        return tuple(found.items())[:MOST]


def stops_in(template: Any, draw: Draw) -> tuple[Stop, ...]:
    """Return the numbers of a draw that a student may stop at; none if its reference cannot be traced."""
    answer = template.answer
    root = traced(draw.references, answer.reference, draw.values, answer.arguments)
    return () if root is None else stops_of(root, reference_arguments(template, root, draw.values)).of(draw, template)


def stops_of(root: TracedNode, known: Known) -> Stops:
    """Return the parts of an expression that a student may stop at, the last ones first."""
    parts = [
        here
        for here in reversed(traced_nodes(root))
        if here.operation not in ("argument", "number") and here is not root
    ]
    kept: dict[str, TracedNode] = {}
    for here in parts:
        if 0 < len(names(here)) <= MOST_NAMED:
            said = formula(here, known)
            if UNSAID not in said and len(said) < LONGEST and nesting(here) <= DEEPEST:
                kept.setdefault(f"`{said}`", here)
    return Stops(program([root, *kept.values()]), tuple(kept))


def with_numbers(said: str, draw: Draw) -> str:
    """Return a phrase with its placeholders replaced by the numbers of a draw, as the prompt prints them."""
    return _PLACE.sub(lambda place: _printed(place[1], draw), said)


def _printed(name: str, draw: Draw) -> str:
    parameter = draw.params[name]
    value = number_in_unit(draw.values[name], parameter.unit, parameter.direction or "none")
    return str(getattr(value, "text", value))


def _given(draw: Draw, template: Any) -> list[tuple[float, str]]:
    """Return the parameters that the prompt prints and that have the dimension of the answer."""
    wanted = unit(template.answer.unit).dimension
    found = []
    for name, parameter in template.params.items():
        value, phrase = draw.values.get(name), argument_named(name, has_unit=parameter.unit is not None)
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or (abs(value) < LEAST and float(value).is_integer())
        ):
            continue
        is_printed = re.search(rf"{{{{-?\s*{re.escape(name)}\b", template.prompt) is not None
        if is_printed and _dimension(parameter) == wanted and is_understood(name, template.prompt):
            found.append((float(value), phrase))
    return found


def _dimension(parameter: Parameter) -> str:
    return unit(parameter.unit).dimension if parameter.unit else "dimensionless"
