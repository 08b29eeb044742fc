"""TP, Ulysses and ring attention on one long sequence: memory, traffic, and what is hidden."""

from __future__ import annotations

from ..facts.arguments import require_counts, require_positive
from .context_parallel import all_to_all_bytes, hop_bytes
from .tensor_parallel import traffic_bytes


def long_sequence_split(
    *, tokens: int, hidden: int, heads: int, kv_heads: int, state_bytes: float, tp: int, ulysses: int, ring: int
) -> dict[str, float]:
    """Return the memory and the forward traffic of a layer per GPU when tp · ulysses · ring GPUs share one sequence.

        heads of a GPU   k / (t·u)          tokens of a ring block   S / r         states   bytes / t
        exposed          2 all-reduces of S/(u·r) tokens over t   +   all-to-alls of S/r tokens over u, a/t and k/t heads

    All-to-alls trade tokens for heads within a ring rank; the ring then passes on blocks of S/r tokens of the heads that are left.

    Units:   counts; state_bytes of all weights and states that TP divides. Results: heads, tokens, bytes.
    Raises:  ValueError if a count is below 1 or the bytes are not positive.
    Source:  Jacobs et al. 2023, arXiv:2309.14509, section 3; Fang & Zhao 2024, arXiv:2405.07719 (Ulysses with a ring);
             Narayanan et al. 2021, arXiv:2104.04473, section 3.2.

    >>> run = {"tokens": 262144, "hidden": 8192, "heads": 64, "kv_heads": 8, "state_bytes": 160e9}
    >>> split = long_sequence_split(**run, tp=4, ulysses=2, ring=8)
    >>> [round(split[name] / 1e6, 1) for name in ("exposed_bytes", "hop_bytes", "held_bytes")]
    [880.8, 16.8, 40000.0]
    """
    require_counts(tokens=tokens, hidden=hidden, heads=heads, kv_heads=kv_heads, tp=tp, ulysses=ulysses, ring=ring)
    require_positive(state_bytes=state_bytes)
    measures = {
        "kv_heads_left": kv_heads / (tp * ulysses),
        "block_tokens": tokens / ring,
        "held_bytes": state_bytes / tp,
    }
    if kv_heads % (tp * ulysses) or heads % (tp * ulysses) or tokens % (ulysses * ring):
        return {**measures, "exposed_bytes": 0.0, "hop_bytes": 0.0}
    width = hidden // heads
    summed = traffic_bytes(tokens=tokens // (ulysses * ring), hidden=hidden, layers=1, tp=tp, span="forward")
    traded = all_to_all_bytes(
        tokens=tokens // ring, heads=heads // tp, kv_heads=kv_heads // tp, head_width=width, cp=ulysses
    )
    block = hop_bytes(tokens_per_gpu=tokens // ring, kv_heads=kv_heads // (tp * ulysses), head_width=width)
    return {**measures, "exposed_bytes": summed + traded, "hop_bytes": block}
