"""The random numbers of a question: each has its own stream, the same on every machine.

A number is the SHA-256 of (seed, problem id, name, attempt), so adding, removing or reordering parameters does not change
other numbers.
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
    problem: str  # the problem's id
    attempt: int = 0  # number of draws that were rejected before this one

    def number(self, name: str) -> int:
        """Return an integer below 2**64 for the stream of this name."""
        text = "\0".join((str(self.seed), self.problem, name, str(self.attempt)))
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")

    def pick(self, values: Sequence[T], name: str) -> T:
        """Return one of the values."""
        return values[self.number(name) * len(values) >> 64]

    def shuffled(self, values: Sequence[T], name: str) -> list[T]:
        """Return the values in an order that the seed decides."""
        places = sorted(range(len(values)), key=lambda place: self.number(f"{name}:{place}"))
        return [values[place] for place in places]

    @property
    def steady(self) -> Rng:
        """Return the streams of the first attempt, so that the order of options does not depend on rejections."""
        return Rng(self.seed, self.problem)
