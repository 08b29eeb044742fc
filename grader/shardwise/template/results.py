"""Results: the numbers of a case's earlier parts, which expressions in later parts can use, such as `parts.stages`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

RESULTS = "parts"  # the name in expressions


def full_name(name: str) -> str:
    """Return the name of a result among the values of a draw: "parts.stages" for "stages"."""
    return f"{RESULTS}.{name}"


class Results:
    """Numbers by name, as attributes."""

    def __init__(self, numbers: Mapping[str, Any]) -> None:
        vars(self).update(numbers)

    def __iter__(self) -> Iterator[str]:
        return iter(vars(self))

    def replaced(self, values: Mapping[str, Any]) -> Results:
        """Return the same results with numbers replaced by those under their full names in some values."""
        return Results({name: values.get(full_name(name), number) for name, number in vars(self).items()})


def among(values: Mapping[str, Any], numbers: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a draw with results added: together under one name, and each under its full name."""
    return {**values, RESULTS: Results(numbers), **{full_name(name): number for name, number in numbers.items()}}
