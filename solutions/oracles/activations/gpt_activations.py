"""A GPT layer, operation by operation: which tensors each of them saves on one GPU, and what a played schedule piles up."""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import NamedTuple

from ..pipeline.schedules import schedule
from ..search import bisect


class Saved(NamedTuple):
    """A tensor that an operation keeps for its backward pass: its dimensions on one GPU, and bytes for each element."""

    operation: str
    tensor: str
    dimensions: tuple[float, ...]
    width: int

    @property
    def size(self) -> float:
        return prod(self.dimensions) * self.width


def saved_tensors(
    micro_batch: int, sequence: float, hidden: int, heads: int, tp: int = 1, sequence_parallel: bool = False,
    recompute: str = "none",
) -> list[Saved]:  # fmt: skip
    """Walk through a layer, and write down what each operation saves; a tensor that two of them need is saved once."""
    own_heads = len(range(0, heads, tp))
    head = hidden / heads
    own_tokens = sequence / tp if sequence_parallel else sequence
    whole = (own_tokens, micro_batch, hidden)
    cut = (sequence, micro_batch, own_heads, head)
    wide = (sequence, micro_batch, 4 * hidden / tp)
    scores = (micro_batch, own_heads, sequence, sequence)
    if recompute == "full":
        return [Saved("checkpoint", "layer input", whole, 2)]
    attention_core = [
        Saved("softmax", "probabilities", scores, 2),
        Saved("dropout of the probabilities", "mask", scores, 1),
        Saved("product with the values", "dropped probabilities", scores, 2),
    ]
    return [
        Saved("first norm", "layer input", whole, 2),
        Saved("query, key and value matrices", "normed input", whole, 2),
        Saved("product of queries and keys", "queries", cut, 2),
        Saved("product of queries and keys", "keys", cut, 2),
        *(attention_core if recompute == "none" else []),
        Saved("product with the values", "values", cut, 2),
        Saved("output projection", "attention output", cut, 2),
        Saved("dropout after attention", "mask", whole, 1),
        Saved("second norm", "middle", whole, 2),
        Saved("first MLP matrix", "normed middle", whole, 2),
        Saved("GELU", "its input", wide, 2),
        Saved("second MLP matrix", "its input", wide, 2),
        Saved("dropout after the MLP", "mask", whole, 1),
    ]


def layer_bytes(
    *, micro_batch: int, sequence: float, hidden: int, heads: int, tp: int = 1, sequence_parallel: bool = False,
    recompute: str = "none",
) -> float:  # fmt: skip
    """Weigh the saved tensors one by one."""
    rows = saved_tensors(micro_batch, sequence, hidden, heads, tp, sequence_parallel, recompute)
    return float(sum(row.size for row in rows))


def score_factor(*, sequence: int, hidden: int, heads: int) -> float:
    """Weigh the tensors of the attention core, and divide by the elements of a tensor as wide as the model."""
    rows = saved_tensors(1, sequence, hidden, heads)
    return sum(row.size for row in rows if row.dimensions[-1] == row.dimensions[-2]) / (sequence * hidden)


def cut_of_baseline(
    *, sequence: int, hidden: int, heads: int, tp: int, sequence_parallel: bool = False, recompute: str = "none"
) -> float:
    """Weigh one layer twice."""
    plain = sum(row.size for row in saved_tensors(1, sequence, hidden, heads, tp))
    return plain / sum(row.size for row in saved_tensors(1, sequence, hidden, heads, tp, sequence_parallel, recompute))


def score_share(*, sequence: float, hidden: int, heads: int) -> float:
    """Weigh the layer with and without its attention core."""
    sizes = {kind: layer_bytes(micro_batch=1, sequence=sequence, hidden=hidden, heads=heads, recompute=kind)
             for kind in ("none", "selective")}  # fmt: skip
    return (sizes["none"] - sizes["selective"]) / sizes["none"]


@lru_cache(maxsize=1024)
def _held_pieces(stages: int, virtual_stages: int) -> int:
    """Follow the first rank's schedule: a forward pass leaves its piece, the backward pass clears it."""
    held = peak = 0
    for kind, _, _ in schedule(0, stages, 4 * stages, virtual_stages):
        held += 1 if kind == "F" else -1
        peak = max(peak, held)
    return peak


def first_stage_bytes(
    *, micro_batch: int, sequence: int, hidden: int, heads: int, layers: int, stages: int = 1, virtual_stages: int = 1,
    tp: int = 1, sequence_parallel: bool = False, recompute: str = "none",
) -> float:  # fmt: skip
    """Pile up the tensors of a layer in every piece that the first rank holds."""
    layer = layer_bytes(
        micro_batch=micro_batch, sequence=sequence, hidden=hidden, heads=heads, tp=tp,
        sequence_parallel=sequence_parallel, recompute=recompute,
    )  # fmt: skip
    piece_layers = layers // (stages * virtual_stages)
    return layer * piece_layers * _held_pieces(stages, virtual_stages)


def outside_the_layers_bytes(
    *, micro_batch: int, sequence: int, hidden: int, vocabulary: int, stages: int = 1, tp: int = 1
) -> float:
    """List what is saved before and behind the layers of the first stage, micro-batch by micro-batch."""
    own = (sequence / tp, micro_batch, hidden)
    rows = [Saved("embedding dropout", f"mask of micro-batch {place}", own, 1) for place in range(stages)]
    if stages == 1:
        rows += [
            Saved("last norm", "its input", own, 2),
            Saved("output layer", "its input", own, 2),
            Saved("cross-entropy", "logits", (sequence, micro_batch, vocabulary / tp), 4),
        ]
    return float(sum(row.size for row in rows))


def stage_output_bytes(*, micro_batch: int, sequence: int, hidden: int, in_flight: int) -> float:
    """Add up the output tensors that a stage would hold."""
    rows = [Saved("send", f"micro-batch {place}", (sequence, micro_batch, hidden), 2) for place in range(in_flight)]
    return float(sum(row.size for row in rows))


def longest_sequence(
    *, room_bytes: float, layers: int, hidden: int, heads: int, micro_batch: int = 1, tp: int = 1,
    recompute: str = "none",
) -> float:  # fmt: skip
    """Bisect for the length at which the weighed tensors of all layers fill the room."""

    def left_over(sequence: float) -> float:
        layer = layer_bytes(
            micro_batch=micro_batch, sequence=sequence, hidden=hidden, heads=heads, tp=tp, sequence_parallel=True,
            recompute=recompute,
        )  # fmt: skip
        return layers * layer - room_bytes

    return bisect(left_over, 0.0, 1e12)
