"""Recomputation in the backward pass: how many layers a group, how many layers at all, and which tensors go first."""

from __future__ import annotations

import math
from functools import partial

from ..facts.arguments import require_counts, require_positive
from ..roofline.flops import layer_flop, score_flop

PARTS = ("norm output", "SwiGLU product", "attention output", "gate and up", "queries, keys and values", "layer")


def grouped_bytes(*, layers: int, every: int, input_bytes: float, layer_bytes: float, in_flight: int = 1) -> float:
    """Peak of activations when every k-th layer's input is kept and the rest is recomputed, group by group.

        bytes = in_flight · (L/k) · input_bytes + k · layer_bytes

    Each micro-batch in flight keeps its checkpoints. One group at a time is recomputed, and keeps all of its layers then.

    Units:   input_bytes and layer_bytes in bytes, for one micro-batch and one layer; the rest are counts. Result in bytes.
    Raises:  ValueError if a size is not positive, a count is below 1, or every does not divide the layers.
    Source:  Chen et al. 2016, arXiv:1604.06174, section 4.1; Narayanan et al. 2021, arXiv:2104.04473, section 3.5.

    >>> [grouped_bytes(layers=100, every=k, input_bytes=1, layer_bytes=1) for k in (1, 10, 100)]
    [101, 20, 101]
    """
    require_counts(layers=layers, every=every, in_flight=in_flight)
    require_positive(input_bytes=input_bytes, layer_bytes=layer_bytes)
    if layers % every:
        raise ValueError(f"groups of {every} layers must divide the {layers} layers")
    checkpoints = layers // every
    return in_flight * checkpoints * input_bytes + every * layer_bytes


def best_group(*, layers: int, input_bytes: float, layer_bytes: float, in_flight: int = 1) -> int:
    """The number of layers in a group that takes the least memory; of equally good ones the smallest.

        k* = √(in_flight · L · input_bytes / layer_bytes),  and then the better of the divisors of L on both sides

    With equal sizes and one micro-batch that is √L. Every choice of k recomputes the same: all layers, once.

    Units:   as in grouped_bytes. Result is a number of layers that divides `layers`.
    Raises:  ValueError if a size is not positive or a count is below 1.
    Source:  Chen et al. 2016, arXiv:1604.06174, section 4.1; Narayanan et al. 2021, arXiv:2104.04473, section 3.5, whose
             number of checkpoints c is L/k.

    >>> best_group(layers=100, input_bytes=1, layer_bytes=1)
    10
    >>> best_group(layers=32, input_bytes=67e6, layer_bytes=1141e6)   # Llama 3 8B, 8192 tokens
    1
    """
    require_counts(layers=layers, in_flight=in_flight)
    require_positive(input_bytes=input_bytes, layer_bytes=layer_bytes)
    best = math.sqrt(in_flight * layers * input_bytes / layer_bytes)
    divisors = [every for every in range(1, layers + 1) if layers % every == 0]
    below = max((every for every in divisors if every <= best), default=1)
    above = min((every for every in divisors if every >= best), default=layers)
    peak = partial(grouped_bytes, layers=layers, input_bytes=input_bytes, layer_bytes=layer_bytes, in_flight=in_flight)
    return min(below, above, key=lambda every: (peak(every=every), every))


def layers_to_recompute(
    *, layers: int, layer_bytes: float, input_bytes: float, room_bytes: float, in_flight: int = 1
) -> int:
    """The fewest layers that must be recomputed, each for itself, so that the activations fit.

        n ≥ (in_flight · L · layer_bytes - room) / (in_flight · (layer_bytes - input_bytes))

    A recomputed layer keeps its input in place of everything. What it holds while it is recomputed is omitted.

    Units:   sizes in bytes, for one micro-batch and one layer; room_bytes for all. Result is a number of layers.
    Raises:  ValueError if an argument is out of range, or recomputing all layers is not enough.
    Source:  Korthikanti et al. 2022, arXiv:2205.05198, section 5 (checkpoint some of the layers); Megatron-LM,
             --recompute-method block with --recompute-num-layers.

    >>> layers_to_recompute(layers=32, layer_bytes=1141e6, input_bytes=67e6, room_bytes=25e9)
    11
    """
    require_counts(layers=layers, in_flight=in_flight)
    require_positive(layer_bytes=layer_bytes, input_bytes=input_bytes, room_bytes=room_bytes)
    if input_bytes >= layer_bytes:
        raise ValueError("a layer keeps more than its input")
    missing_bytes = in_flight * layers * layer_bytes - room_bytes
    saved_bytes = in_flight * (layer_bytes - input_bytes)
    count = max(0, math.ceil(missing_bytes / saved_bytes - 1e-12))
    if count > layers:
        raise ValueError("even the inputs of all layers do not fit")
    return count


def flop_per_byte(
    *, part: str, sequence: int, hidden: int, ffn_hidden: int, heads: int, kv_heads: int, causal: bool = True
) -> float:
    """What it costs to have a part of a layer recomputed, for each byte that it need not keep: the cheapest goes first.

        norm output               ~ 4d / 2d           a few operations for each element
        SwiGLU product            ~ 6f / 2f
        attention output          4·s·d·c / 2d        c is 1/2 with a causal mask, else 1
        gate and up               4·d·f / 4f
        queries, keys and values  2·d·(d+2k) / 2(d+2k)
        layer                     forward pass / (all tensors but the input)

    Units:   counts; `part` is one of PARTS. Result in FLOP per byte, the same for every number of tokens.
    Raises:  ValueError for an unknown part or a count below 1.
    Source:  Korthikanti et al. 2022, arXiv:2205.05198, section 5 (operations for each element) and appendix A, counted
             for RMSNorm (4 operations an element), SwiGLU (6), grouped queries and fused attention.

    >>> shape = {"sequence": 8192, "hidden": 4096, "ffn_hidden": 14336, "heads": 32, "kv_heads": 8}
    >>> [round(flop_per_byte(part=part, **shape)) for part in ("norm output", "gate and up", "attention output")]
    [2, 4096, 8192]
    """
    require_counts(sequence=sequence, hidden=hidden, ffn_hidden=ffn_hidden, heads=heads, kv_heads=kv_heads)
    if part not in PARTS:
        raise ValueError(f"part must be one of {', '.join(PARTS)}, not {part!r}")
    kv_width = hidden // heads * kv_heads
    qkv_width = hidden + 2 * kv_width
    scores = score_flop(tokens=sequence, sequence_length=sequence, hidden=hidden, causal=causal)
    if part == "norm output":
        return 4 * hidden / (2 * hidden)
    if part == "SwiGLU product":
        return 6 * ffn_hidden / (2 * ffn_hidden)
    if part == "attention output":
        return scores / (2 * hidden * sequence)
    if part == "gate and up":
        return 4 * hidden * ffn_hidden / (4 * ffn_hidden)
    if part == "queries, keys and values":
        return 2 * hidden * qkv_width / (2 * qkv_width)
    forward_flop = layer_flop(
        tokens=sequence, sequence_length=sequence, hidden=hidden, ffn_hidden=ffn_hidden, heads=heads, kv_heads=kv_heads,
        causal=causal,
    )  # fmt: skip
    kept_bytes = 2 * sequence * (5 * hidden + 2 * kv_width + 3 * ffn_hidden)
    return forward_flop / kept_bytes


def time_overhead(*, plain_s: float, recomputed_s: float) -> float:
    """What recomputation adds to a time; turned round, what a faster step adds to the throughput.

        overhead = recomputed / plain - 1

    Units:   seconds. Result is a fraction.
    Raises:  ValueError if a time is not positive.
    Source:  Korthikanti et al. 2022, arXiv:2205.05198, Tables 4 and 5.

    >>> round(time_overhead(plain_s=19.6e-3, recomputed_s=27.2e-3), 2)     # a layer of the 22B model
    0.39
    """
    require_positive(plain_s=plain_s, recomputed_s=recomputed_s)
    return recomputed_s / plain_s - 1
