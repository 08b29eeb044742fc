"""Tensor parallelism, played: small matrices are cut, multiplied by several ranks, and every value that is sent is counted."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ..activations import activations
from ..search import bisect

Matrix = NDArray[np.float64]
BF16_BYTES = 2
BLOCKS = 2  # of a layer: attention and MLP, each of which is columns, something between, and rows


@dataclass
class Wires:
    """Ranks on a ring that add up or gather matrices chunk by chunk, and note what each sends."""

    ranks: int
    sent: Counter[int] = field(default_factory=Counter)  # values, by rank
    collectives: Counter[str] = field(default_factory=Counter)

    def reduce_scatter(self, parts: list[Matrix]) -> list[Matrix]:
        """Each rank's rows of the sum: a part of the sum goes around, and each rank adds its own."""
        self.collectives["reduce-scatter"] += 1
        chunks = [np.array_split(part, self.ranks) for part in parts]
        finished = []
        for owner in range(self.ranks):
            moving = chunks[(owner + 1) % self.ranks][owner]
            for hop in range(1, self.ranks):
                self.sent[(owner + hop) % self.ranks] += moving.size
                moving = moving + chunks[(owner + hop + 1) % self.ranks][owner]
            finished.append(moving)
        return finished

    def all_gather(self, shards: list[Matrix]) -> list[Matrix]:
        """All rows for each rank: every shard goes around the ring, until all have seen it."""
        self.collectives["all-gather"] += 1
        for owner, shard in enumerate(shards):
            for hop in range(self.ranks - 1):
                self.sent[(owner + hop) % self.ranks] += shard.size
        return [np.concatenate(shards)] * self.ranks

    def all_reduce(self, parts: list[Matrix]) -> list[Matrix]:
        """Both phases, counted as one collective."""
        gathered = self.all_gather(self.reduce_scatter(parts))
        self.collectives -= Counter(("reduce-scatter", "all-gather"))
        self.collectives["all-reduce"] += 1
        return gathered


@dataclass(frozen=True)
class Played:
    """What one layer sent in its forward pass, in forward and backward, and with a repeated forward pass, per token and channel."""

    sent: dict[str, Fraction]
    all_reduces: dict[str, int]
    sharded: dict[str, Fraction]  # the same with sequence parallelism, which keeps the gathered inputs
    right: bool  # outputs and input gradients equal those of the uncut layer


@lru_cache(maxsize=256)
def play_layer(ranks: int) -> Played:
    """Run a small layer on cut matrices, forward and backward, with all-reduces and then with sequence parallelism."""
    tokens, hidden, inner = 2 * ranks, 3, 2 * ranks
    rng = np.random.default_rng(ranks)
    weights = [(rng.normal(size=(hidden, inner)), rng.normal(size=(inner, hidden))) for _ in range(BLOCKS)]
    batch = rng.normal(size=(tokens, hidden))
    gradient = rng.normal(size=(tokens, hidden))
    expected = _uncut(batch, gradient, weights)
    sent: dict[str, Fraction] = {}
    counts: dict[str, int] = {}
    sharded: dict[str, Fraction] = {}
    right = True
    for span in ("forward", "step", "step with recompute"):
        plain, cut = Wires(ranks), Wires(ranks)
        for wires, sequence in ((plain, False), (cut, True)):
            output, inputs = _forward(wires, batch, weights, sequence)
            right &= np.allclose(output, expected[0])
            if span == "step with recompute":
                _, inputs = _forward(wires, batch, weights, sequence)
            if span != "forward":
                right &= np.allclose(_backward(wires, gradient, inputs, weights, sequence), expected[1])
        for wires, into in ((plain, sent), (cut, sharded)):
            into[span] = Fraction(sum(wires.sent.values()), ranks * tokens * hidden)
        counts[span] = plain.collectives["all-reduce"]
    return Played(sent, counts, sharded, right)


def _uncut(batch: Matrix, gradient: Matrix, weights: list[tuple[Matrix, Matrix]]) -> tuple[Matrix, Matrix]:
    inputs = []
    for first, second in weights:
        inputs.append(batch)
        batch = np.tanh(batch @ first) @ second
    output = batch
    for (first, second), entered in zip(reversed(weights), reversed(inputs), strict=True):
        gradient = ((gradient @ second.T) * (1 - np.tanh(entered @ first) ** 2)) @ first.T
    return output, gradient


def _forward(
    wires: Wires, batch: Matrix, weights: list[tuple[Matrix, Matrix]], sequence: bool
) -> tuple[Matrix, list[list[Matrix]]]:
    """Columns of the first matrix, then rows of the second; with `sequence` the tokens between blocks are split."""
    held = list(np.array_split(batch, wires.ranks)) if sequence else [batch] * wires.ranks
    inputs = []
    for first, second in weights:
        entered = wires.all_gather(held) if sequence else held
        inputs.append(entered)
        columns, rows = np.array_split(first, wires.ranks, axis=1), np.array_split(second, wires.ranks)
        parts = [np.tanh(x @ a) @ b for x, a, b in zip(entered, columns, rows, strict=True)]
        held = wires.reduce_scatter(parts) if sequence else wires.all_reduce(parts)
    return (np.concatenate(held) if sequence else held[0]), inputs


def _backward(
    wires: Wires, gradient: Matrix, inputs: list[list[Matrix]], weights: list[tuple[Matrix, Matrix]], sequence: bool
) -> Matrix:
    held = list(np.array_split(gradient, wires.ranks)) if sequence else [gradient] * wires.ranks
    for (first, second), entered in zip(reversed(weights), reversed(inputs), strict=True):
        arrived = wires.all_gather(held) if sequence else held
        columns, rows = np.array_split(first, wires.ranks, axis=1), np.array_split(second, wires.ranks)
        parts = [
            ((g @ b.T) * (1 - np.tanh(x @ a) ** 2)) @ a.T
            for g, x, a, b in zip(arrived, entered, columns, rows, strict=True)
        ]
        held = wires.reduce_scatter(parts) if sequence else wires.all_reduce(parts)
    return np.concatenate(held) if sequence else held[0]


# What a GPU holds


def shard_shape(*, inputs: int, outputs: int, tp: int, cut: str, stored: str = "in, out") -> tuple[int, int]:
    """Cut a matrix of no content, as NumPy cuts it, and look at the first part."""
    if min(inputs, outputs, tp) < 1 or stored not in ("in, out", "out, in"):
        raise ValueError("no such matrix")
    matrix = np.broadcast_to(np.int8(0), (inputs, outputs))
    held = matrix if stored == "in, out" else matrix.T
    axis = {"columns": "out", "rows": "in"}.get(cut)
    if axis is None:
        raise ValueError("no such cut")
    rows, columns = np.split(held, tp, axis=stored.split(", ").index(axis))[0].shape
    return rows, columns


def _kv_heads_by_rank(heads: int, kv_heads: int, tp: int) -> list[set[int]]:
    """Deal the query heads out, and see which key/value heads each rank's queries use."""
    if heads % tp:
        raise ValueError("heads cannot be dealt out")
    sharing = heads // kv_heads
    mine = heads // tp
    return [{head // sharing for head in range(rank * mine, (rank + 1) * mine)} for rank in range(tp)]


def kv_copies(*, kv_heads: int, tp: int) -> int:
    """Count the ranks that need key/value head 0; there are as many query heads as both numbers divide."""
    if kv_heads % tp and tp % kv_heads:
        raise ValueError("neither divides the other")
    return sum(0 in needed for needed in _kv_heads_by_rank(kv_heads * tp, kv_heads, tp))


def layer_parameters_per_gpu(*, hidden: int, ffn_hidden: int, heads: int, kv_heads: int, tp: int) -> int:
    """List the columns and rows that each rank holds, matrix by matrix, and weigh the most loaded rank."""
    if hidden % heads or heads % kv_heads or ffn_hidden % tp or (kv_heads % tp and tp % kv_heads):
        raise ValueError("no even shares")
    width = hidden // heads
    weighed = []
    for needed in _kv_heads_by_rank(heads, kv_heads, tp):
        queries = heads // tp * width
        inner = len(range(0, ffn_hidden, tp))
        matrices = {
            "query": (hidden, queries), "key": (hidden, len(needed) * width), "value": (hidden, len(needed) * width),
            "output": (queries, hidden), "gate": (hidden, inner), "up": (hidden, inner), "down": (inner, hidden),
        }  # fmt: skip
        weighed.append(sum(rows * columns for rows, columns in matrices.values()))
    return max(weighed)


def weight_bytes_per_gpu(
    *, layers: int, hidden: int, ffn_hidden: int, heads: int, kv_heads: int, tp: int, bytes_per_weight: float = 2
) -> float:
    """Layer after layer."""
    shape = {"hidden": hidden, "ffn_hidden": ffn_hidden, "heads": heads, "kv_heads": kv_heads}
    return sum(bytes_per_weight * layer_parameters_per_gpu(**shape, tp=tp) for _ in range(layers))


def largest_tp(*, heads: int, kv_heads: int, ffn_hidden: int, group: int) -> int:
    """Try every degree: deal out heads and MLP columns, and refuse uneven shares and a head on two ranks."""
    best = 1
    for tp in range(1, group + 1):
        if heads % tp or len({len(range(rank, ffn_hidden, tp)) for rank in range(min(tp, ffn_hidden))}) > 1:
            continue
        by_rank = _kv_heads_by_rank(heads, kv_heads, tp)
        copies = Counter(head for needed in by_rank for head in needed)
        if max(copies.values()) == 1 and tp <= ffn_hidden:
            best = tp
    return best


# What it sends


def all_reduces(*, layers: int, span: str) -> int:
    """Play a layer on two ranks, and count."""
    played = play_layer(2).all_reduces
    if span not in played:
        raise ValueError("no such span")
    return sum(played[span] for _ in range(layers))


def recomputed_layers(*, counted: int, layers: int, micro_batches: int) -> int:
    """Play every number of recomputed layers, and take the one whose trace shows as many."""
    played = play_layer(2).all_reduces
    for recomputed in range(layers + 1):
        trace = [played["step with recompute" if layer < recomputed else "step"] for layer in range(layers)]
        if sum(trace) * micro_batches == counted:
            return recomputed
    raise ValueError("no run shows this")


def phase_bytes(*, tokens: int, hidden: int, tp: int, bytes_per_value: float = 2) -> float:
    """What sequence parallelism sent in a played forward pass, over its collectives."""
    each = play_layer(tp).sharded["forward"] / (2 * BLOCKS)
    return float(each * tokens * hidden * Fraction(bytes_per_value))


def all_reduce_bytes(*, tokens: int, hidden: int, tp: int, bytes_per_value: float = 2) -> float:
    """What a played forward pass sent, over its all-reduces."""
    played = play_layer(tp)
    each = played.sent["forward"] / played.all_reduces["forward"]
    return float(each * tokens * hidden * Fraction(bytes_per_value))


def traffic_bytes(*, tokens: int, hidden: int, layers: int, tp: int, span: str = "step") -> float:
    """What a played layer sent, for every layer, token and channel."""
    sent = play_layer(tp).sent
    if span not in sent:
        raise ValueError("no such span")
    return float(sent[span] * tokens * hidden * layers * BF16_BYTES)


# What it keeps


def kept_bytes(
    *, tokens: int, hidden: int, ffn_hidden: int, heads: int, kv_heads: int, tp: int, sequence_parallel: bool
) -> float:
    """Walk the operations of a layer as one GPU would, and of those tensors that nobody splits take all back."""
    shape = {"tokens": tokens, "hidden": hidden, "ffn_hidden": ffn_hidden, "heads": heads, "kv_heads": kv_heads}
    if sequence_parallel:
        return activations.layer_activation_bytes(**shape, tp=tp)
    whole = activations.layer_activation_bytes(**shape, tp=1)
    between = [np.broadcast_to(np.float16(0), (tokens, hidden)).nbytes for _ in ("in", "normed", "mid", "normed mid")]
    inside = whole - sum(between)
    return sum(between) + inside / tp


def tokens_with_sequence_parallelism(
    *, tokens: int, hidden: int, ffn_hidden: int, heads: int, kv_heads: int, tp: int
) -> float:
    """Bisect for the tokens that fill, with sequence parallelism, what the others fill without."""
    shape = {"hidden": hidden, "ffn_hidden": ffn_hidden, "heads": heads, "kv_heads": kv_heads, "tp": tp}
    filled = kept_bytes(tokens=tokens, **shape, sequence_parallel=False)
    thousand = kept_bytes(tokens=1000, **shape, sequence_parallel=True)
    return bisect(lambda more: more / 1000 * thousand - filled, 0.0, 1e12)
