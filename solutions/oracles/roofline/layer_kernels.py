"""A layer's kernels, played on a machine that computes while it fetches, tile by tile and tensor by tensor."""

from __future__ import annotations

from fractions import Fraction

from .flops import score_flop
from .roofline import fused_attention_intensity, roofline_seconds, touched_by_a_product


def _played(
    tokens: int, sequence_length: int, hidden: int, ffn_hidden: int, heads: int, kv_heads: int, tp: int
) -> list[tuple[Fraction, Fraction]]:
    """FLOP and bytes of each kernel: products tile by tile, the others by the list of tensors that they read and write."""
    if hidden % heads or heads % kv_heads or kv_heads % tp:
        raise ValueError("heads do not divide")
    head = hidden // heads
    width, kv_width, inner = heads // tp * head, kv_heads // tp * head, ffn_hidden // tp
    kernels: list[tuple[Fraction, Fraction]] = []
    for inputs, outputs in [
        (hidden, width),
        (hidden, kv_width),
        (hidden, kv_width),
        (width, hidden),
        (hidden, inner),
        (hidden, inner),
        (inner, hidden),
    ]:
        flop, elements = touched_by_a_product(tokens, inputs, outputs)
        kernels.append((Fraction(flop), Fraction(2 * sum(elements.values()))))
    tensors = [
        ("norm", hidden, ["in"], ["out"], 4),
        ("sum", hidden, ["stream", "branch"], ["stream"], 1),
        ("norm", hidden, ["in"], ["out"], 4),
        ("sum", hidden, ["stream", "branch"], ["stream"], 1),
        ("gating", inner, ["gate", "up"], ["gated"], 5),
    ]
    for _, size, read, written, work in tensors:
        elements_of_one = tokens * size
        moved = sum(2 * elements_of_one for _ in [*read, *written])
        kernels.append((Fraction(work * elements_of_one), Fraction(moved)))
    scores = score_flop(tokens=tokens, sequence_length=sequence_length, hidden=width)
    intensity = fused_attention_intensity(
        queries=sequence_length, keys=sequence_length, heads=heads // tp, kv_heads=kv_heads // tp, head_dim=head
    )
    kernels.append((Fraction(scores), Fraction(scores) / Fraction(intensity)))
    return kernels


def layer_seconds(
    *, tokens: int, sequence_length: int, hidden: int, ffn_hidden: int, heads: int, kv_heads: int,
    peak_flop_per_s: float, memory_bytes_per_s: float, tp: int = 1, matmul_efficiency: float = 1.0,
) -> float:  # fmt: skip
    """Run the kernels on the machine, each when the one before it is done."""
    return sum(
        roofline_seconds(
            flop=float(flop), moved_bytes=float(moved), peak_flop_per_s=matmul_efficiency * peak_flop_per_s,
            memory_bytes_per_s=memory_bytes_per_s,
        )
        for flop, moved in _played(tokens, sequence_length, hidden, ffn_hidden, heads, kv_heads, tp)
    )  # fmt: skip


def memory_bound_share(
    *, tokens: int, sequence_length: int, hidden: int, ffn_hidden: int, heads: int, kv_heads: int,
    peak_flop_per_s: float, memory_bytes_per_s: float, tp: int = 1,
) -> float:  # fmt: skip
    """Run the layer once more on a machine with endless memory bandwidth: a kernel that gets faster was waiting."""
    whole = waiting = 0.0
    for flop, moved in _played(tokens, sequence_length, hidden, ffn_hidden, heads, kv_heads, tp):
        case = {"flop": float(flop), "moved_bytes": float(moved), "peak_flop_per_s": peak_flop_per_s}
        seconds = roofline_seconds(memory_bytes_per_s=memory_bytes_per_s, **case)
        whole += seconds
        if roofline_seconds(memory_bytes_per_s=1e30, **case) < seconds:
            waiting += seconds
    return waiting / whole
