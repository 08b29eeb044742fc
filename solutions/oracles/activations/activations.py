"""Activation memory, counted: a layer's operations say what they keep, and a schedule says what is in flight."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from ..pipeline.schedules import schedule

BF16_BYTES = 2


def kept_widths(hidden: int, ffn_hidden: int, heads: int, kv_heads: int) -> dict[str, int]:
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
    return {name: widths[name] for name in kept}


def layer_activation_bytes(*, tokens: int, hidden: int, ffn_hidden: int, heads: int, kv_heads: int, tp: int) -> float:
    """Weigh the tensors that are needed again, each cut over the group."""
    kept = kept_widths(hidden, ffn_hidden, heads, kv_heads)
    elements = sum(Fraction(width * tokens, tp) for width in kept.values())
    return float(elements * BF16_BYTES)


def peak_activation_bytes(
    *, tokens: int, layers: int, recomputed_layers: int, hidden: int, ffn_hidden: int, heads: int, kv_heads: int,
    vocabulary: int, tp: int,
) -> float:  # fmt: skip
    """Take and give back every tensor of a step, layer by layer, and note the most that was held."""
    sizes = {
        name: Fraction(width * tokens * BF16_BYTES, tp)
        for name, width in kept_widths(hidden, ffn_hidden, heads, kv_heads).items()
    }
    left = [{"input": sizes["input"]} if layer < recomputed_layers else dict(sizes) for layer in range(layers)]
    held = peak = sum((size for tensors in left for size in tensors.values()), Fraction(0))
    for width in (2, 4, 4):  # logits, their copy in FP32, and its gradient; all freed before the backward pass goes on
        peak += Fraction(width * tokens * vocabulary, tp)
    while left:
        tensors = left.pop()
        held += sum(size for name, size in sizes.items() if name not in tensors)
        peak = max(peak, held)
        held -= sum(sizes.values())
    return float(peak)


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
    """Fill the most loaded GPU of each pipeline, with as many micro-batches as stages, and take the first that fits."""
    for stages in (1 << power for power in range(max_stages.bit_length())):
        slices = tp * stages
        peak = peak_in_flight(0, stages, stages)
        held = Fraction(weight_bytes) / slices + peak * Fraction(activation_bytes) / slices
        if stages <= max_stages and held <= memory_bytes:
            return stages
    raise ValueError("no pipeline fits")
