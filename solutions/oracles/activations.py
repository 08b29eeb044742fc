"""Activation memory, counted: a layer's operations say what they keep, and a schedule says what is in flight."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from .schedules import schedule

BF16_BYTES = 2


def layer_activation_bytes(*, tokens: int, hidden: int, ffn_hidden: int, heads: int, kv_heads: int, tp: int) -> float:
    """Walk the operations of a layer, and note each tensor that one of them needs again; two may share a tensor."""
    head = hidden // heads
    widths = {
        "input": hidden, "normed input": hidden, "queries": heads * head, "keys": kv_heads * head,
        "values": kv_heads * head, "attention output": heads * head, "middle": hidden, "normed middle": hidden,
        "gate": ffn_hidden, "up": ffn_hidden, "gated": ffn_hidden,
    }  # fmt: skip
    needed_again = {
        "first norm": ["input"],
        "query matrix": ["normed input"],
        "key matrix": ["normed input"],
        "value matrix": ["normed input"],
        "fused attention": ["queries", "keys", "values", "attention output"],
        "output projection": ["attention output"],
        "second norm": ["middle"],
        "gate matrix": ["normed middle"],
        "up matrix": ["normed middle"],
        "product with the gate": ["gate", "up"],
        "down matrix": ["gated"],
    }
    kept = {name for names in needed_again.values() for name in names}
    elements = sum(Fraction(widths[name] * tokens, tp) for name in kept)
    return float(elements * BF16_BYTES)


@lru_cache(maxsize=1024)
def peak_in_flight(rank: int, stages: int, micro_batches: int) -> int:
    """Follow a rank's 1F1B schedule: a forward pass leaves activations, its backward pass frees them."""
    held = peak = 0
    for kind, _, _ in schedule(rank, stages, micro_batches, 1):
        held += 1 if kind == "F" else -1
        peak = max(peak, held)
    return peak


def in_flight_bytes(*, layer_bytes: float, stage_layers: int, stages: int, micro_batches: int) -> float:
    """Weigh what the first rank of the schedule holds at its fullest, layer by layer."""
    return float(sum(peak_in_flight(0, stages, micro_batches) * Fraction(layer_bytes) for _ in range(stage_layers)))


def smallest_pipeline(
    *, weight_bytes: float, activation_bytes: float, tp: int, memory_bytes: float, max_stages: int = 64
) -> int:
    """Fill the fullest GPU of each pipeline, with as many micro-batches as stages, and take the first that fits."""
    for stages in (1 << power for power in range(max_stages.bit_length())):
        slices = tp * stages
        peak = peak_in_flight(0, stages, stages)
        held = Fraction(weight_bytes) / slices + peak * Fraction(activation_bytes) / slices
        if stages <= max_stages and held <= memory_bytes:
            return stages
    raise ValueError("no pipeline fits")
