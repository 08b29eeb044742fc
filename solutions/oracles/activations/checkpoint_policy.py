"""A policy, tensor by tensor: each is stored, or made again by its operation."""

from __future__ import annotations

from fractions import Fraction


def policy_cost(
    *, norms: str, qkv: str, attention: str, gate_up: str, product: str, tokens: int, layers: int, sequence: int,
    hidden: int, ffn_hidden: int, heads: int, kv_heads: int, flop_per_s: float, bytes_per_s: float,
) -> dict[str, float]:  # fmt: skip
    """Walk through the tensors of a layer; matrices are timed by their FLOP, elementwise operations by the bytes they move."""
    head = hidden // heads
    pairs_per_token = Fraction(sequence, 2)  # causal
    tensors: list[tuple[str, int, Fraction | int, int]] = [  # operation, width, multiplications per token, tensors read and written of that width
        ("norms", hidden, 0, 2), ("norms", hidden, 0, 2),
        ("qkv", hidden, hidden * hidden, 0), ("qkv", kv_heads * head, hidden * kv_heads * head, 0),
        ("qkv", kv_heads * head, hidden * kv_heads * head, 0),
        ("attention", hidden, 2 * pairs_per_token * head * heads, 0),
        ("gate_up", ffn_hidden, hidden * ffn_hidden, 0), ("gate_up", ffn_hidden, hidden * ffn_hidden, 0),
        ("product", ffn_hidden, 0, 3),
    ]  # fmt: skip
    choice = {"norms": norms, "qkv": qkv, "attention": attention, "gate_up": gate_up, "product": product}
    kept, added = Fraction(2 * (hidden + hidden)), Fraction(0)
    for operation, width, multiplications, moved in tensors:
        if choice[operation] == "keep":
            kept += 2 * width
        else:
            added += 2 * multiplications / Fraction(flop_per_s) + Fraction(2 * moved * width) / Fraction(bytes_per_s)
    return {"kept_bytes": float(layers * tokens * kept), "added_s": float(layers * tokens * added)}
