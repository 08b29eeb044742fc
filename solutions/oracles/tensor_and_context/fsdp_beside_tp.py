"""FSDP next to tensor parallelism, played: a ring passes the weights on, and a small layer the sums of activations."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from .tensor_parallel import BF16_BYTES, play_layer


def layer_bytes_sent(*, tokens: int, hidden: int, layer_parameters: float, fsdp: int, tp: int) -> float:
    """Weights hop by hop, shard by shard; activations as many as a played layer sent for each token and channel."""
    if tokens % fsdp:
        raise ValueError("no even shares of tokens")
    shard_bytes = BF16_BYTES * layer_parameters / tp / fsdp
    sent = 0.0
    for _ in range(fsdp - 1):
        sent += shard_bytes
    return sent + float(play_layer(tp).sent["forward"] * Fraction(tokens, fsdp) * hidden * BF16_BYTES)


def lightest_fsdp_degree(*, tokens: int, hidden: int, layer_parameters: float, gpus: int) -> int:
    """Double the degree as long as less is sent than before."""
    sent = partial(layer_bytes_sent, tokens=tokens, hidden=hidden, layer_parameters=layer_parameters)
    fsdp = 1
    while fsdp < gpus:
        now = sent(fsdp=fsdp, tp=gpus // fsdp)
        if sent(fsdp=2 * fsdp, tp=gpus // (2 * fsdp)) >= now:
            break
        fsdp *= 2
    return fsdp
