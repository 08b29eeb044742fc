"""Recomputation, played: checkpoints are laid down and taken up again, operations are written down one by one."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from ..communication.parts import in_parts


@lru_cache(maxsize=4096)
def grouped_bytes(*, layers: int, every: int, input_bytes: float, layer_bytes: float, in_flight: int = 1) -> float:
    """Lay down checkpoints in the forward passes, then play the oldest micro-batch's backward pass group by group."""
    (of_input, of_layer), parts_a_byte = in_parts(input_bytes, layer_bytes)
    held = 0
    checkpoints: list[int] = []
    for micro_batch in range(in_flight):
        for layer in range(layers):
            if layer % every == 0:
                held += of_input
                if micro_batch == 0:
                    checkpoints.append(layer)
    peak = held
    end = layers
    for start in reversed(checkpoints):
        for _ in range(start, end):
            held += of_layer
            peak = max(peak, held)
        held -= (end - start) * of_layer + of_input
        end = start
    return float(peak / parts_a_byte)


def best_group(*, layers: int, input_bytes: float, layer_bytes: float, in_flight: int = 1) -> int:
    """Play every size of group that divides the layers."""
    tried = {
        every: grouped_bytes(
            layers=layers, every=every, input_bytes=input_bytes, layer_bytes=layer_bytes, in_flight=in_flight
        )
        for every in range(1, layers + 1)
        if layers % every == 0
    }
    return min(tried, key=lambda every: (tried[every], every))


def layers_to_recompute(
    *, layers: int, layer_bytes: float, input_bytes: float, room_bytes: float, in_flight: int = 1
) -> int:
    """Recompute one layer more until the sum over layers and micro-batches fits."""
    for count in range(layers + 1):
        kept = [input_bytes] * count + [layer_bytes] * (layers - count)
        if in_flight * sum(Fraction(size) for size in kept) <= Fraction(room_bytes) * (1 + Fraction(1, 10**12)):
            return count
    raise ValueError("nothing is enough")


def _product(rows: float, inner: float, columns: float) -> float:
    """FLOP of a matrix product: a multiplication and an addition for each of its steps."""
    return 2 * rows * inner * columns


def flop_per_byte(
    *, part: str, sequence: int, hidden: int, ffn_hidden: int, heads: int, kv_heads: int, causal: bool = True
) -> float:
    """Write down the operations of a layer for a whole sequence, what each costs, and the 16-bit tensors that it makes."""
    head = hidden // heads
    pairs = sequence * sequence * (0.5 if causal else 1)
    s, d, f, kv = sequence, hidden, ffn_hidden, head * kv_heads
    operations = {  # name: (FLOP, elements that are kept)
        "norm output": (4 * s * d, s * d),
        "queries": (_product(s, d, d), s * d),
        "keys": (_product(s, d, kv), s * kv),
        "values": (_product(s, d, kv), s * kv),
        "attention output": (sum(2 * 2 * pairs * head for _ in range(heads)), s * d),
        "output projection": (_product(s, d, d), s * d),  # the middle, input of the second norm
        "second norm output": (4 * s * d, s * d),
        "gate": (_product(s, d, f), s * f),
        "up": (_product(s, d, f), s * f),
        "SwiGLU product": (6 * s * f, s * f),
        "down": (_product(s, f, d), 0),
    }
    groups = {
        "gate and up": ("gate", "up"),
        "queries, keys and values": ("queries", "keys", "values"),
        "layer": tuple(operations),
    }
    chosen = [operations[name] for name in groups.get(part, (part,))]
    flop = sum(cost for cost, _ in chosen)
    if part == "layer":  # elementwise work is omitted of a layer's count
        flop -= sum(operations[name][0] for name in ("norm output", "second norm output", "SwiGLU product"))
    return float(flop / (2 * sum(elements for _, elements in chosen)))


def time_overhead(*, plain_s: float, recomputed_s: float) -> float:
    """Compare the steps that an hour has room for."""
    plain, recomputed = 3600 / plain_s, 3600 / recomputed_s
    return (plain - recomputed) / recomputed
