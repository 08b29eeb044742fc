"""What each axis sends, message by message: a step is walked through, and every chunk that a ring passes on is added up."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

BF16, FP32 = 2, 4


def _ring(shard_bytes: float, ranks: int) -> float:
    """A gather or a reduce-scatter: one shard leaves a GPU in each round."""
    return sum(shard_bytes for _ in range(ranks - 1))


def _layers(micro_batches: int, stage_layers: int) -> Iterator[str]:
    """The passes through layers that a stage makes in a step."""
    for _ in range(micro_batches):
        for _ in range(stage_layers):
            yield "forward"
        for _ in range(stage_layers):
            yield "backward"


@lru_cache(maxsize=512)
def tp_step_bytes(
    *, micro_batches: int, sequence_length: int, cp: int, tp: int, stage_layers: int, hidden: int
) -> float:
    """In every pass attention and MLP each gather the tokens that the group splits, and scatter the sums again."""
    shard = sequence_length / cp / tp * hidden * BF16
    sent = 0.0
    for _ in _layers(micro_batches, stage_layers):
        for _block in ("attention", "MLP"):
            sent += _ring(shard, tp)  # gather before the first matrix
            sent += _ring(shard, tp)  # reduce-scatter after the last
    return sent


@lru_cache(maxsize=512)
def cp_step_bytes(
    *, micro_batches: int, sequence_length: int, cp: int, tp: int, stage_layers: int, kv_heads: int, head_width: int
) -> float:
    """Keys and values are gathered in every pass, and in a backward pass their gradients go back to their owners."""
    heads_here = len(range(0, kv_heads, tp))
    shard = sequence_length / cp * heads_here * head_width * BF16
    sent = 0.0
    for passing in _layers(micro_batches, stage_layers):
        for _tensor in ("keys", "values"):
            sent += _ring(shard, cp)
            if passing == "backward":
                sent += _ring(shard, cp)
    return sent


def pp_step_bytes(*, micro_batches: int, sequence_length: int, cp: int, tp: int, hidden: int) -> float:
    """Each micro-batch leaves the GPU twice: as activations to the next stage, and as gradients to the one before."""
    sent = 0.0
    for _ in range(micro_batches):
        for _neighbour in ("next", "before"):
            sent += sequence_length / cp * (hidden / tp) * BF16
    return sent


def dp_step_bytes(
    *, stage_layers: int, hidden: int, ffn_hidden: int, heads: int, kv_heads: int, tp: int, cp: int, dp: int
) -> float:
    """List the matrices of the slice, cut each over the ranks that hold it, and pass its chunks around twice."""
    head = hidden // heads
    matrices = [(hidden, hidden), (hidden, kv_heads * head), (hidden, kv_heads * head), (hidden, hidden)]
    matrices += [(hidden, ffn_hidden), (hidden, ffn_hidden), (ffn_hidden, hidden)]
    holders = len([(replica, part) for replica in range(dp) for part in range(cp)])
    sent = 0.0
    for _ in range(stage_layers):
        for rows, columns in matrices:
            chunk = rows * columns / tp / holders
            sent += (chunk * FP32 + chunk * BF16) * (holders - 1)
    return sent
