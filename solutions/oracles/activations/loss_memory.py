"""Logits, allocated: every copy is a tensor that is added, and chunks are tried until one fits."""

from __future__ import annotations

from ..search import bisect


def loss_bytes(*, tokens: int, vocabulary: int, copies_16: int = 1, copies_32: int = 2, tp: int = 1) -> float:
    """Add up the copies, each as a tensor on one GPU."""
    own_columns = vocabulary / tp
    tensors = [(tokens, own_columns, 2)] * copies_16 + [(tokens, own_columns, 4)] * copies_32
    return float(sum(rows * columns * width for rows, columns, width in tensors))


def layers_equal_to_the_loss(*, vocabulary: int, token_layer_bytes: float, bytes_per_logit: float = 10) -> float:
    """Bisect for the number of layers that weigh as much."""
    held = sum(bytes_per_logit for _ in range(vocabulary))
    return bisect(lambda layers: layers * token_layer_bytes - held, 0.0, 1e9)


def loss_chunks(*, tokens: int, vocabulary: int, room_bytes: float, bytes_per_logit: float = 10, tp: int = 1) -> int:
    """Cut the tokens into ever more equal chunks until the logits of one fit."""
    for chunks in range(1, tokens + 1):
        if tokens % chunks == 0 and tokens // chunks * vocabulary * bytes_per_logit <= room_bytes * tp:
            return chunks
    raise ValueError("not even a token fits")
