"""Tokens of an expert, dealt out one micro-batch after the other, and searched for on a played machine."""

from __future__ import annotations

from fractions import Fraction

from ..roofline.roofline import touched_by_a_product
from ..search import smallest


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
    """Search for the least micro-batch with which all experts together compute as long as they read weights and pass tokens."""

    def enough(tokens: int) -> bool:
        copies = ep * tokens * experts_per_token  # of all experts; weights are read once by each of them
        flop, elements = touched_by_a_product(copies, hidden, expert_ffn_hidden)
        moved = 2 * (experts * elements["weights"] + elements["activations"] + elements["results"])
        return flop / Fraction(peak_flop_per_s) >= moved / Fraction(memory_bytes_per_s)

    return smallest(enough, largest=10**9)
