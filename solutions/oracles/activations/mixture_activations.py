"""Activations of mixtures and of latent attention, counted by token, expert and head."""

from __future__ import annotations

from fractions import Fraction

from ..search import bisect

BF16_BYTES = 2


def routed_bytes(*, tokens: int, experts_per_token: int, hidden: int, expert_ffn_hidden: int) -> float:
    """Walk through the operations of an expert, and add up the tensors that its backward pass reads."""
    needed = {"gate matrix": ["copy"], "up matrix": ["copy"], "product": ["gate", "up"], "down matrix": ["gated"]}
    widths = {"copy": hidden, "gate": expert_ffn_hidden, "up": expert_ffn_hidden, "gated": expert_ffn_hidden}
    kept = {name for names in needed.values() for name in names}
    copies = sum(1 for _ in range(tokens) for _ in range(experts_per_token))
    return float(copies * BF16_BYTES * sum(widths[name] for name in kept))


def largest_load_factor(
    *, room_bytes: float, layers_in_flight: int, other_layer_bytes: float, tokens: int, experts_per_token: int,
    hidden: int, expert_ffn_hidden: int,
) -> float:  # fmt: skip
    """Bisect for the load whose activations, summed over the layers, fill the memory."""
    routed = routed_bytes(
        tokens=tokens, experts_per_token=experts_per_token, hidden=hidden, expert_ffn_hidden=expert_ffn_hidden
    )

    def left(load: float) -> float:
        return sum(other_layer_bytes + load * routed for _ in range(layers_in_flight)) - room_bytes

    return bisect(left, 1.0, 1e4)


def up_projection_bytes(*, tokens: int, heads: int, head_dim: int, rope_head_dim: int, tp: int) -> float:
    """Add up queries, keys and values, head by head."""
    elements = Fraction(0)
    for _ in range(heads):
        query = key = head_dim + rope_head_dim
        elements += Fraction((query + key + head_dim) * tokens, tp)
    return float(elements * BF16_BYTES)


def up_projection_saving_bytes(
    *, layers_in_flight: int, tokens: int, heads: int, head_dim: int, rope_head_dim: int, tp: int
) -> float:
    """Simulate a step with and without recomputation, and compare the peaks."""
    size = up_projection_bytes(tokens=tokens, heads=heads, head_dim=head_dim, rope_head_dim=rope_head_dim, tp=tp)
    peaks = []
    for kept in (size, 0.0):
        held = [kept] * layers_in_flight
        peak = 0.0
        while held:
            held[-1] = size  # there already, or recomputed
            peak = max(peak, sum(held))
            held.pop()
        peaks.append(peak)
    return peaks[0] - peaks[1]
