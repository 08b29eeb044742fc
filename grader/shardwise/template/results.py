"""Results: the numbers of a case's earlier parts, which expressions of later ones name `parts.stages`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

RESULTS = "parts"  # what expressions call them


def full_name(name: str) -> str:
    """What a result is called among the values of a draw: "parts.stages" for "stages"."""
    return f"{RESULTS}.{name}"


class Results:
    """Numbers by name, as attributes."""

    def __init__(self, numbers: Mapping[str, Any]) -> None:
        vars(self).update(numbers)

    def __iter__(self) -> Iterator[str]:
        return iter(vars(self))

    def replaced(self, values: Mapping[str, Any]) -> Results:
        """The same with the numbers that stand under their full names among some values."""
        return Results({name: values.get(full_name(name), number) for name, number in vars(self).items()})


def among(values: Mapping[str, Any], numbers: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a draw with results beside them: together under one name, and each under its full one."""
    return {**values, RESULTS: Results(numbers), **{full_name(name): number for name, number in numbers.items()}}
