"""Draws: a seed's values for the parameters, drawn until the constraints hold and the kind accepts them."""

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
MAX_ATTEMPTS = 500  # if 10 % are accepted, the lint's minimum, the chance of 500 rejections in a row is 1e-23


@dataclass(frozen=True)
class Draw:
    """The parameters of one question in base units, the random streams, and the references of its bank."""

    rng: Rng
    params: Mapping[str, Parameter]
    values: Mapping[str, Any]
    references: References
    complete: Callable[[Mapping[str, Any]], Mapping[str, Any]] = dict  # adds the values that follow from some values
    where: Sequence[str] = ()  # constraints of the case, if this is the draw of one of its parts

    def evaluate(self, expression: str | int | float | bool, **more: Any) -> Any:
        """Return the value of an author's expression; `more` are additional names. Raises BadExpression."""
        return evaluate(expression, {**self.references.helpers, **self.values, **more})

    def is_true(self, condition: str | bool) -> bool:
        """Return whether an author's condition holds for this draw. Raises BadExpression."""
        return is_true(condition, {**self.references.helpers, **self.values})

    @cached_property
    def printed(self) -> Mapping[str, Any]:
        """Return the names for prose: parameters that print themselves in their author's units, and the helpers."""
        named = {
            name: number_in_unit(self.values[name], parameter.unit, parameter.direction or "none")
            for name, parameter in self.params.items()
        }
        return {**named, **self.references.helpers}


def values_of(params: Mapping[str, Parameter], rng: Rng, references: References) -> dict[str, Any]:
    """Return a value of every parameter, in base units."""
    return _completed(params, _rolled(params, rng), references)


def _rolled(params: Mapping[str, Parameter], rng: Rng) -> dict[str, Any]:
    """Return values of the parameters that are not derived."""
    return {
        name: parameter.base(parameter.roll(rng.number(name)))
        for name, parameter in params.items()
        if parameter.derived is None
    }


def _completed(params: Mapping[str, Parameter], rolled: Mapping[str, Any], references: References) -> dict[str, Any]:
    """Return values of all parameters, in the order of the file."""
    values = dict(rolled)
    for name, parameter in params.items():
        if parameter.derived is not None:
            values[name] = whole(evaluate(parameter.derived, {**references.helpers, **values}))
    return {name: values[name] for name in params}


def _allowed(
    params: Mapping[str, Parameter], where: Sequence[str], rolled: Mapping[str, Any], references: References
) -> dict[str, Any] | None:
    """Return values of all parameters; None if they violate a constraint."""
    values = _completed(params, rolled, references)
    names = {**references.helpers, **values}
    return values if all(is_true(condition, names) for condition in where) else None


def with_other_values(drawn: Draw, where: Sequence[str], others: Mapping[str, Any]) -> Draw | None:
    """Return the same draw with other values of some parameters, in base units; None if they violate a constraint."""
    rolled = {name: value for name, value in drawn.values.items() if drawn.params[name].derived is None}
    values = _allowed(drawn.params, where, {**rolled, **others}, drawn.references)
    return None if values is None else Draw(drawn.rng, drawn.params, values, drawn.references)


def whole(value: Any) -> Any:
    """Return a value, converting a float without a fraction to an integer."""
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
    """Draw until the constraints hold and `accept` raises no Reject; return the draw and the result of `accept`.

    Raises ShardwiseError if MAX_ATTEMPTS draws are rejected.
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
        f"{problem}: {MAX_ATTEMPTS} draws for seed {seed} were all rejected. Relax its constraints. The last: {why}."
    )
