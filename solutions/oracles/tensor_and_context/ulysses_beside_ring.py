"""TP, Ulysses and ring attention, counted value by value on one GPU."""

from __future__ import annotations

from fractions import Fraction


def long_sequence_split(
    *, tokens: int, hidden: int, heads: int, kv_heads: int, state_bytes: float, tp: int, ulysses: int, ring: int
) -> dict[str, float]:
    """Count one GPU's values: those it sums over TP, those it trades under Ulysses, and the block that it passes on."""
    measures = {
        "kv_heads_left": float(Fraction(kv_heads, tp * ulysses)),
        "block_tokens": float(Fraction(tokens, ring)),
        "held_bytes": float(Fraction(state_bytes) / tp),
    }
    if kv_heads % (tp * ulysses) or heads % (tp * ulysses) or tokens % (ulysses * ring):
        return {**measures, "exposed_bytes": 0.0, "hop_bytes": 0.0}
    own_tokens, width = Fraction(tokens, ulysses * ring), Fraction(hidden, heads)
    sums = Fraction(0)
    for _ in range(2):  # attention and MLP
        for _ in range(2):  # a reduce-scatter and an all-gather
            sums += own_tokens * hidden * (tp - 1) / tp
    leaving = own_tokens * (ulysses - 1) / ulysses
    trades = sum(leaving * Fraction(count, tp) * width for count in (heads, heads, kv_heads, kv_heads))  # Q, O, K, V
    block = 2 * Fraction(tokens, ring) * Fraction(kv_heads, tp * ulysses) * width
    return {**measures, "exposed_bytes": float(2 * (sums + trades)), "hop_bytes": float(2 * block)}
