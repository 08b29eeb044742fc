"""Counts of FLOP: a small linear layer and small attention scores are trained on numbers that note each operation on them."""

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


@lru_cache(maxsize=1)
def attention_flop_per_pair_and_channel() -> Fraction:
    """Run the scores of a small head forward and backward, and divide by its pairs of tokens and its channels.

    Softmax and scaling are omitted, as they are in every count of FLOP; so is the causal mask.
    """
    tokens, channels = 5, 3
    tally: Counter[str] = Counter()
    queries, keys, values = (_matrix(tokens, channels, tally) for _ in range(3))
    probabilities = score_gradient = _matrix(tokens, tokens, tally)
    output_gradient = _matrix(tokens, channels, tally)
    _product(queries, _transposed(keys))  # scores
    _product(probabilities, values)  # output
    _product(_transposed(probabilities), output_gradient)  # gradient of the values
    _product(output_gradient, _transposed(values))  # gradient of the probabilities
    _product(score_gradient, keys)  # gradient of the queries
    _product(_transposed(score_gradient), queries)  # gradient of the keys
    return Fraction(tally.total(), tokens * tokens * channels)


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
