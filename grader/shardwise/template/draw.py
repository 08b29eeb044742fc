"""A draw: what the seed decides of a question. Parameters are drawn until their constraints hold and the kind accepts them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

from shardwise.errors import Reject, ShardwiseError
from shardwise.template.expressions import evaluate, is_true, number_in_unit
from shardwise.template.parameters import Parameter
from shardwise.template.references import References
from shardwise.template.rng import Rng

T = TypeVar("T")
MAX_ATTEMPTS = 500  # at the lint's floor of 10 % accepted, the chance of 500 rejections in a row is 1e-23


@dataclass(frozen=True)
class Draw:
    """The parameters of one question in base units, the random streams, and the references of its bank."""

    rng: Rng
    params: Mapping[str, Parameter]
    values: Mapping[str, Any]
    references: References
    complete: Callable[[Mapping[str, Any]], Mapping[str, Any]] = dict  # adds what follows from any such values
    where: Sequence[str] = ()  # constraints of a whole that this is the draw of a part of

    def evaluate(self, expression: str | int | float | bool, **more: Any) -> Any:
        """The value of an author's expression, with more names than the parameters'. Raises BadExpression."""
        return evaluate(expression, {**self.references.helpers, **self.values, **more})

    def is_true(self, condition: str | bool) -> bool:
        """Whether an author's condition is true of this draw. Raises BadExpression."""
        return is_true(condition, {**self.references.helpers, **self.values})

    @cached_property
    def printed(self) -> Mapping[str, Any]:
        """The names that prose knows: parameters that print themselves in their author's units, and the helpers."""
        named = {
            name: number_in_unit(self.values[name], parameter.unit, parameter.direction or "none")
            for name, parameter in self.params.items()
        }
        return {**named, **self.references.helpers}


def values_of(params: Mapping[str, Parameter], rng: Rng, references: References) -> dict[str, Any]:
    """Every parameter once, in base units."""
    return _completed(params, _rolled(params, rng), references)


def _rolled(params: Mapping[str, Parameter], rng: Rng) -> dict[str, Any]:
    """The parameters that do not follow from others."""
    return {
        name: parameter.base(parameter.roll(rng.number(name)))
        for name, parameter in params.items()
        if parameter.derived is None
    }


def _completed(params: Mapping[str, Parameter], rolled: Mapping[str, Any], references: References) -> dict[str, Any]:
    """Every parameter, in the order in which they are written."""
    values = dict(rolled)
    for name, parameter in params.items():
        if parameter.derived is not None:
            values[name] = whole(evaluate(parameter.derived, {**references.helpers, **values}))
    return {name: values[name] for name in params}


def _allowed(
    params: Mapping[str, Parameter], where: Sequence[str], rolled: Mapping[str, Any], references: References
) -> dict[str, Any] | None:
    """Every parameter; None where they break a constraint."""
    values = _completed(params, rolled, references)
    names = {**references.helpers, **values}
    return values if all(is_true(condition, names) for condition in where) else None


def with_other_values(drawn: Draw, where: Sequence[str], others: Mapping[str, Any]) -> Draw | None:
    """Return the same draw with other values of some parameters, in base units; None where they break a constraint."""
    rolled = {name: value for name, value in drawn.values.items() if drawn.params[name].derived is None}
    values = _allowed(drawn.params, where, {**rolled, **others}, drawn.references)
    return None if values is None else Draw(drawn.rng, drawn.params, values, drawn.references)


def whole(value: Any) -> Any:
    """A value as it is, a float without a fraction as a whole number."""
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 2**53 else value


def draw(
    params: Mapping[str, Parameter],
    where: Sequence[str],
    *,
    seed: str,
    problem: str,
    references: References,
    accept: Callable[[Draw], T],
) -> tuple[Draw, T]:
    """Draw until the constraints hold and `accept` raises no Reject; gives the draw and what `accept` made of it.

    Raises ShardwiseError when MAX_ATTEMPTS draws are all rejected.
    """
    why = "a constraint under `where` fails"
    for attempt in range(MAX_ATTEMPTS):
        rng = Rng(seed, problem, attempt)
        values = _allowed(params, where, _rolled(params, rng), references)
        if values is None:
            continue
        drawn = Draw(rng, params, values, references)
        try:
            return drawn, accept(drawn)
        except Reject as reason:
            why = str(reason)
    raise ShardwiseError(
        f"{problem}: {MAX_ATTEMPTS} draws for seed {seed} were all rejected; loosen its constraints. The last: {why}."
    )
