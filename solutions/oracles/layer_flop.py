"""A linear layer, trained on numbers that count: how many operations a weight takes part in for a token."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

Matrix = Sequence[Sequence["Counting"]]


@dataclass(frozen=True)
class Counting:
    """A number that notes every multiplication and addition in a tally, which it shares with the others."""

    value: int
    tally: Counter[str]

    def __add__(self, other: Counting) -> Counting:
        self.tally["add"] += 1
        return Counting(self.value + other.value, self.tally)

    def __mul__(self, other: Counting) -> Counting:
        self.tally["multiply"] += 1
        return Counting(self.value * other.value, self.tally)


@lru_cache(maxsize=1)
def flop_per_weight_and_token() -> Fraction:
    """Run a small layer forward and backward, and divide the operations by its weights and tokens."""
    tokens, inputs, outputs = 5, 3, 4
    tally: Counter[str] = Counter()
    batch = _matrix(tokens, inputs, tally)
    weight = _matrix(inputs, outputs, tally)
    output_gradient = _matrix(tokens, outputs, tally)
    _product(batch, weight)  # forward
    _product(output_gradient, _transposed(weight))  # gradient of the input, for the layer before
    _product(_transposed(batch), output_gradient)  # gradient of the weight
    return Fraction(tally.total(), inputs * outputs * tokens)


def _matrix(rows: int, columns: int, tally: Counter[str]) -> Matrix:
    return [[Counting(row + column, tally) for column in range(columns)] for row in range(rows)]


def _transposed(matrix: Matrix) -> Matrix:
    return list(zip(*matrix, strict=True))


def _product(left: Matrix, right: Matrix) -> Matrix:
    columns = _transposed(right)
    return [[_dot(row, column) for column in columns] for row in left]


def _dot(row: Sequence[Counting], column: Sequence[Counting]) -> Counting:
    """Products are added to an accumulator that starts at zero, as a GPU's multiply-add does."""
    accumulator = Counting(0, row[0].tally)
    for first, second in zip(row, column, strict=True):
        accumulator = accumulator + first * second
    return accumulator
