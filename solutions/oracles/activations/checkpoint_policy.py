"""Checkpoint policies, tensor by tensor: each tensor is either stored or recomputed."""

from __future__ import annotations

from fractions import Fraction


def operation_costs(
    *, sequence: int, hidden: int, ffn_hidden: int, heads: int, kv_heads: int, flop_per_s: float, bytes_per_s: float
) -> dict[str, tuple[float, float]]:
    """Add up the tensors of a layer; time matmuls by their FLOP and elementwise operations by the bytes they move."""
    head = hidden // heads
    pairs_per_token = Fraction(sequence, 2)  # causal
    tensors: list[tuple[str, int, Fraction | int, int]] = [
        # operation, width, multiplications per token, tensors read and written of that width
        ("norms", hidden, 0, 2), ("norms", hidden, 0, 2),
        ("qkv", hidden, hidden * hidden, 0), ("qkv", kv_heads * head, hidden * kv_heads * head, 0),
        ("qkv", kv_heads * head, hidden * kv_heads * head, 0),
        ("attention", hidden, 2 * pairs_per_token * head * heads, 0),
        ("gate_up", ffn_hidden, hidden * ffn_hidden, 0), ("gate_up", ffn_hidden, hidden * ffn_hidden, 0),
        ("product", ffn_hidden, 0, 3),
    ]  # fmt: skip
    kept: dict[str, Fraction] = {}
    again: dict[str, Fraction] = {}
    for operation, width, multiplications, moved in tensors:
        seconds = 2 * multiplications / Fraction(flop_per_s) + Fraction(2 * moved * width) / Fraction(bytes_per_s)
        kept[operation] = kept.get(operation, Fraction(0)) + 2 * width
        again[operation] = again.get(operation, Fraction(0)) + seconds
    return {operation: (float(kept[operation]), float(again[operation])) for operation in kept}


def policy_cost(
    *, norms: str, qkv: str, attention: str, gate_up: str, product: str, tokens: int, layers: int, sequence: int,
    hidden: int, ffn_hidden: int, heads: int, kv_heads: int, flop_per_s: float, bytes_per_s: float,
) -> dict[str, float]:  # fmt: skip
    """Walk through the layers, and count each output either as memory or as time."""
    costs = operation_costs(
        sequence=sequence, hidden=hidden, ffn_hidden=ffn_hidden, heads=heads, kv_heads=kv_heads, flop_per_s=flop_per_s,
        bytes_per_s=bytes_per_s,
    )  # fmt: skip
    choice = {"norms": norms, "qkv": qkv, "attention": attention, "gate_up": gate_up, "product": product}
    kept, added = Fraction(0), Fraction(0)
    for _ in range(layers):
        kept += tokens * 2 * (hidden + hidden)
        for operation, (held_bytes, again_s) in costs.items():
            if choice[operation] == "keep":
                kept += tokens * Fraction(held_bytes)
            else:
                added += tokens * Fraction(again_s)
    return {"kept_bytes": float(kept), "added_s": float(added)}
