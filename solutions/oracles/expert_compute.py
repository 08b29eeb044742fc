"""Tokens of an expert, dealt out one micro-batch after the other, and searched for on a played machine."""

from __future__ import annotations

from fractions import Fraction

from .roofline import compute_bound_tokens
from .search import smallest


def tokens_per_expert(*, tokens: int, experts: int, experts_per_token: int, ep: int) -> float:
    """Every rank adds its copies to a pool, and the pool is dealt out to the experts of all ranks."""
    pool = 0
    for _ in range(ep):
        pool += sum(tokens for _ in range(experts_per_token))
    held = experts // ep
    return float(Fraction(pool, ep) / held)


def micro_batch_that_fills(
    *, hidden: int, expert_ffn_hidden: int, experts: int, experts_per_token: int, ep: int, peak_flop_per_s: float,
    memory_bytes_per_s: float,
) -> int:  # fmt: skip
    """Search for the least micro-batch that brings an expert as many tokens as the machine needs to keep computing."""
    needed = compute_bound_tokens(
        inputs=hidden, outputs=expert_ffn_hidden, peak_flop_per_s=peak_flop_per_s, memory_bytes_per_s=memory_bytes_per_s
    )
    return smallest(
        lambda tokens: (
            tokens_per_expert(tokens=tokens, experts=experts, experts_per_token=experts_per_token, ep=ep) >= needed
        ),
        largest=10**9,
    )
