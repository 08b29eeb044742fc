"""The keys of a configuration, read by type; wrong values and keys that were not read are reported together."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from ...facts.tables import table

LARGEST = 10**7  # of a size; the largest vocabulary so far has 262,208 entries
SHOWN = 60  # characters of a value in a message


class Keys:
    """The keys of one configuration, with the usual values of its architecture for keys that the file lacks."""

    def __init__(self, given: Mapping[str, Any], usual: Mapping[str, Any]) -> None:
        self.faults: list[str] = []
        self._given = {name: value for name, value in given.items() if value is not None}
        self._usual = usual
        self._read: set[str] = set()

    def has(self, name: str) -> bool:
        """Return whether a key is given and is not null, false, 0 or empty. This does not mark it as read."""
        return bool(self._given.get(name))

    def value(self, *names: str) -> Any:
        """Return the value of the first of these keys that is given, else the architecture's, else None."""
        self._read.update(names)
        values = (where[name] for where in (self._given, self._usual) for name in names if name in where)
        return next(values, None)

    def count(self, *names: str, least: int = 1, most: int = LARGEST) -> int:
        """Return a required size."""
        value = self.optional(*names, least=least, most=most, usual=-1)
        if value == -1:
            self.faults.append(f"{' or '.join(names)} is missing; add it.")
            return 1
        return value

    def optional(self, *names: str, usual: int = 0, least: int = 0, most: int = LARGEST) -> int:
        """Return an optional size. A list with a value per layer is accepted if all values are equal."""
        value = self.value(*names)
        if isinstance(value, list) and value and all(other == value[0] for other in value):
            value = value[0]
        if value is None:
            return usual
        if isinstance(value, bool) or not isinstance(value, int | float) or value % 1 or not least <= value <= most:
            name = next((name for name in names if name in self._given), names[0])
            self.faults.append(f"{name} must be a whole number from {least} to {most:,}, not {_shown(value)}.")
            return max(1, usual)
        return int(value)

    def flag(self, *names: str, usual: bool = False) -> bool:
        """Return a key that is true or false."""
        value = self.value(*names)
        if value is None:
            return usual
        if value not in (True, False):
            self.faults.append(f"{names[0]} must be true or false, not {_shown(value)}.")
        return bool(value)

    def each(self, name: str, layers: int) -> list[Any] | None:
        """Return a list with a value per layer, or None if it is not given."""
        value = self.value(name)
        if value is None:
            return None
        if isinstance(value, str):
            value = list(value)
        if not isinstance(value, list) or len(value) != layers:
            size = f"{len(value)} values" if isinstance(value, list) else _shown(value)
            self.faults.append(f"{name} must list a value for each of the {layers} layers, not {size}.")
            return None
        return value

    def places(self, *names: str) -> set[int] | None:
        """Return layer numbers, given as a list or as text with commas, or None if they are not given."""
        value = self.value(*names)
        if value is None:
            return None
        if isinstance(value, str):
            value = [int(place) if place.strip().isdigit() else place for place in value.split(",")]
        if not isinstance(value, list) or not all(type(place) is int for place in value):
            self.faults.append(f"{names[0]} must list layer numbers, not {_shown(value)}.")
            return set()
        return set(value)

    def drop(self, *names: str) -> None:
        """Mark keys as read whose values do not matter."""
        self._read.update(names)

    def left(self) -> Iterator[str]:
        """Yield a fault for each key that was not read and has a value, unless harmless.yaml has it."""
        for name, value in self._given.items():
            if name in self._read or not value or _harmless().fullmatch(name):
                continue
            yield (
                f"{name} = {_shown(value)} is unknown, and may change what a layer is. "
                "Delete it if it does not; otherwise the planner cannot express this model."
            )


@cache
def _harmless() -> re.Pattern[str]:
    groups = table("planner/configurations/harmless.yaml").values()
    return re.compile("|".join(pattern for group in groups for pattern in group))


def _shown(value: Any) -> str:
    text = repr(value) if not isinstance(value, int) or abs(value) < 10**SHOWN else "a number that is far too large"
    return text if len(text) <= SHOWN else f"{text[:SHOWN]} …"
