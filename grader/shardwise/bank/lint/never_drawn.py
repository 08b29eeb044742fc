"""Values that a template lists but no draw has: the author expects them, but no student ever sees them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from shardwise.template.parameters import Parameter

ENOUGH = 1000  # draws: a value that none of them has never occurs, or too rarely to rely on
EACH = 20  # times that a value would occur if no draw were rejected; with a longer list, chance alone would miss some values

REMEDY = (
    "No student ever sees that value. Remove it, or relax what rejects it: a condition under `where`, "
    "or a mistake that is then too close to the key."
)


class Waiting:
    """The values that a template lists and that no draw has had yet."""

    def __init__(self, params: Mapping[str, Parameter], draws: int) -> None:
        self._params, self._draws = params, draws
        self._waiting = {
            name: {parameter.base(value): value for value in parameter.values()}
            for name, parameter in params.items()
            if (parameter.choice or parameter.range) and draws >= max(ENOUGH, EACH * len(parameter.values()))
        }

    def drawn(self, values: Mapping[str, Any]) -> None:
        """Record the values of a draw, in base units."""
        for name, waiting in self._waiting.items():
            waiting.pop(values[name], None)

    def faults(self) -> Iterator[tuple[str, str]]:
        """Yield the parameters with values that no draw had, and a message; nothing if there are too few draws to tell."""
        for name, waiting in self._waiting.items():
            if not waiting:
                continue
            listed = self._params[name].values()
            never = _listed(list(waiting.values()))
            left = [value for value in listed if value not in waiting.values()]
            if len(left) == 1:
                yield name, f"params.{name} is {left[0]} in all of {self._draws:,} draws, and never {never}"
            else:
                yield name, f"params.{name} is never {never} in {self._draws:,} draws"


def _listed(values: list[Any]) -> str:
    *others, last = map(str, values)
    return f"{', '.join(others)} or {last}" if others else last
