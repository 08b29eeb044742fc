"""The random numbers of a question: each has a stream of its own, the same on every machine.

A number is SHA-256 over (seed, problem id, name, attempt), so adding, removing or reordering what is drawn leaves all
other draws as they were.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Rng:
    """The streams of one question."""

    seed: str
    problem: str  # its id
    attempt: int = 0  # draws that were rejected before this one

    def number(self, name: str) -> int:
        """A whole number below 2**64, for the stream of that name."""
        text = "\0".join((str(self.seed), self.problem, name, str(self.attempt)))
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")

    def pick(self, values: Sequence[T], name: str) -> T:
        """One of the values."""
        return values[self.number(name) * len(values) >> 64]

    def shuffled(self, values: Sequence[T], name: str) -> list[T]:
        """The values in an order of the seed's own."""
        places = sorted(range(len(values)), key=lambda place: self.number(f"{name}:{place}"))
        return [values[place] for place in places]

    @property
    def steady(self) -> Rng:
        """The same streams as if nothing had been rejected: the order of options does not change with the attempt."""
        return Rng(self.seed, self.problem)
