"""FLOP of a decoder, traced: shapes walk through the model, every product is noted, and the notes are played backwards."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from math import prod

import numpy as np

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Product:
    """A product of two stacks of matrices, of which perhaps only a part of the elements is computed."""

    left: Shape
    right: Shape
    has_weight: bool
    kept: Fraction

    def flop(self) -> Fraction:
        """Multiply and add, for every element of the result and every element of the inner dimension."""
        *stack, rows, inner = self.left
        return 2 * prod(stack) * rows * inner * self.right[-1] * self.kept


@dataclass
class Tape:
    """Products in the order in which a forward pass meets them."""

    products: list[Product] = field(default_factory=list)

    def multiply(self, left: Shape, right: Shape, *, weight: bool, kept: Fraction = Fraction(1)) -> Shape:
        """Note a product, and return the shape of its result."""
        if left[-1] != right[-2] or left[:-2] != right[:-2]:
            raise ValueError(f"{left} and {right} do not multiply")
        self.products.append(Product(left, right, weight, kept))
        return (*left[:-1], right[-1])

    def forward(self) -> Fraction:
        """FLOP of the pass that was noted."""
        return sum((product.flop() for product in self.products), Fraction(0))

    def backward(self, *, weights: bool | None = None) -> Fraction:
        """FLOP of the gradients, last product first: of the weights alone, of all else alone, or of everything."""
        total = Fraction(0)
        for product in reversed(self.products):
            result = (*product.left[:-1], product.right[-1])
            for_left = Product(result, _turned(product.right), False, product.kept)
            for_right = Product(_turned(product.left), result, product.has_weight, product.kept)
            total += sum(
                (part.flop() for part in (for_left, for_right) if weights is None or part.has_weight is weights),
                Fraction(0),
            )
        return total


def _turned(shape: Shape) -> Shape:
    return (*shape[:-2], shape[-1], shape[-2])


@lru_cache(maxsize=256)
def _unmasked(sequence_length: int) -> Fraction:
    """Share of all pairs that a causal mask leaves, walked row by row; half of the diagonal counts."""
    earlier = int(np.arange(sequence_length, dtype=np.int64).sum())
    return (earlier + Fraction(sequence_length, 2)) / sequence_length**2


def _attention(tape: Tape, tokens: int, sequence_length: int, hidden: int, heads: int, causal: bool) -> Shape:
    """Scores of all heads of all sequences; keys and values were copied to the query heads that share them."""
    stack = (tokens // sequence_length, heads)
    queries = keys = (*stack, sequence_length, hidden // heads)
    kept = _unmasked(sequence_length) if causal else Fraction(1)
    probabilities = tape.multiply(queries, _turned(keys), weight=False, kept=kept)
    tape.multiply(probabilities, keys, weight=False, kept=kept)
    return (tokens, hidden)


@lru_cache(maxsize=1024)
def _parts(
    tokens: int, sequence_length: int, hidden: int, ffn_hidden: int, heads: int, kv_heads: int, mlp_matrices: int,
    causal: bool,
) -> dict[str, Tape]:  # fmt: skip
    """The products of one layer, walked from its input to its output, on a tape for each part."""
    if tokens % sequence_length:
        raise ValueError("a sequence is cut")
    if hidden % heads or heads % kv_heads:
        raise ValueError("heads do not divide")
    projections, scores, mlp = Tape(), Tape(), Tape()
    inside: Shape = (tokens, hidden)
    head = hidden // heads
    for width in (heads * head, kv_heads * head, kv_heads * head):
        projections.multiply(inside, (hidden, width), weight=True)
    mixed = _attention(scores, tokens, sequence_length, hidden, heads, causal)
    inside = projections.multiply(mixed, (hidden, hidden), weight=True)
    for _ in range(mlp_matrices - 1):
        wide = mlp.multiply(inside, (hidden, ffn_hidden), weight=True)
    mlp.multiply(wide, (ffn_hidden, hidden), weight=True)
    return {"projections": projections, "scores": scores, "mlp": mlp}


def projection_flop(*, tokens: int, hidden: int, heads: int, kv_heads: int) -> float:
    """Walk a layer, and add up the products with the attention matrices."""
    return float(_parts(tokens, tokens, hidden, hidden, heads, kv_heads, 2, False)["projections"].forward())


def score_flop(*, tokens: int, sequence_length: int, hidden: int, causal: bool = False) -> float:
    """Walk a layer, and add up the products without weights."""
    return float(_parts(tokens, sequence_length, hidden, hidden, 1, 1, 2, causal)["scores"].forward())


def mlp_flop(*, tokens: int, hidden: int, ffn_hidden: int, mlp_matrices: int = 3) -> float:
    """Walk a layer, and add up the products of its MLP."""
    return float(_parts(tokens, tokens, hidden, ffn_hidden, 1, 1, mlp_matrices, False)["mlp"].forward())


def _output(tokens: int, hidden: int, vocabulary: int) -> Tape:
    tape = Tape()
    tape.multiply((tokens, hidden), (hidden, vocabulary), weight=True)
    return tape


def output_flop(*, tokens: int, hidden: int, vocabulary: int) -> float:
    """Note the last product of the model."""
    return float(_output(tokens, hidden, vocabulary).forward())


def layer_flop(
    *, tokens: int, sequence_length: int, hidden: int, ffn_hidden: int, heads: int, kv_heads: int,
    mlp_matrices: int = 3, causal: bool = False,
) -> float:  # fmt: skip
    """Walk a layer, and add up its products."""
    parts = _parts(tokens, sequence_length, hidden, ffn_hidden, heads, kv_heads, mlp_matrices, causal)
    return float(sum(tape.forward() for tape in parts.values()))


def layer_pass_flop(
    *, part: str, tokens: int, sequence_length: int, hidden: int, ffn_hidden: int, heads: int, kv_heads: int,
    mlp_matrices: int = 3, causal: bool = False,
) -> float:  # fmt: skip
    """Walk a layer forward, or play its tape backwards and keep one kind of gradient."""
    tapes = _parts(tokens, sequence_length, hidden, ffn_hidden, heads, kv_heads, mlp_matrices, causal).values()
    passes = {
        "F": lambda tape: tape.forward(),
        "B": lambda tape: tape.backward(weights=False),
        "W": lambda tape: tape.backward(weights=True),
    }
    return float(sum(passes[part](tape) for tape in tapes))


def forward_flop(
    *, tokens: int, sequence_length: int, layers: int, hidden: int, ffn_hidden: int, heads: int, kv_heads: int,
    vocabulary: int, mlp_matrices: int = 3, causal: bool = False,
) -> float:  # fmt: skip
    """Walk the decoder layer by layer to its output."""
    total = Fraction(0)
    for _ in range(layers):
        parts = _parts(tokens, sequence_length, hidden, ffn_hidden, heads, kv_heads, mlp_matrices, causal)
        total += sum(tape.forward() for tape in parts.values())
    return float(total + _output(tokens, hidden, vocabulary).forward())


@lru_cache(maxsize=2048)
def step_flop(
    *, tokens: int, sequence_length: int, layers: int, hidden: int, ffn_hidden: int, heads: int, kv_heads: int,
    vocabulary: int, mlp_matrices: int = 3, causal: bool = False, recompute: str = "none",
) -> float:  # fmt: skip
    """Walk the decoder forward, then backward; before a layer's gradients, walk again what was not kept of it."""
    parts = _parts(tokens, sequence_length, hidden, ffn_hidden, heads, kv_heads, mlp_matrices, causal)
    output = _output(tokens, hidden, vocabulary)
    dropped = {"none": (), "selective": ("scores",), "full": tuple(parts)}[recompute]
    passes = {name: (tape.forward(), tape.backward()) for name, tape in parts.items()}  # of one layer; all are alike
    total = output.forward() + output.backward()
    for _ in range(layers):
        for name, (forward, backward) in passes.items():
            total += forward + backward
            if name in dropped:
                total += forward
    return float(total)
