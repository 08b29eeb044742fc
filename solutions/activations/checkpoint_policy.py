"""Checkpoint policies for single operations: what a layer keeps, and what it computes a second time."""

from __future__ import annotations

from typing import TypedDict

from ..facts.arguments import require_counts, require_positive

KEEP, REPEAT = "keep", "repeat"
OPERATIONS = ("norms", "qkv", "attention", "gate_up", "product")


class PolicyCost(TypedDict):
    """The cost of a policy: bytes kept in all layers, and the seconds that recomputation adds to a micro-batch."""

    kept_bytes: float
    added_s: float


def operation_costs(
    *, sequence: int, hidden: int, ffn_hidden: int, heads: int, kv_heads: int, flop_per_s: float, bytes_per_s: float
) -> dict[str, tuple[float, float]]:
    """Return, for each operation, the bytes per token of its output and the seconds per token to repeat it.

        norms       2 · 2d bytes             reads and writes them: 8d bytes / β
        qkv         2(d + 2k)                2 · d · (d + 2k) FLOP / F
        attention   2d                       2 · s · d FLOP / F, causal
        gate_up     2 · 2f                   4 · d · f FLOP / F
        product     2f                       reads two tensors and writes one: 6f bytes / β

    Units:   counts; FLOP/s and bytes/s (of the GPU's memory) that a GPU achieves. Results in bytes and seconds, per token and layer.
    Raises:  ValueError if a count is below 1 or a rate is not positive.
    Source:  Korthikanti et al. 2022, arXiv:2205.05198, section 4 and appendix A, counted for Llama-style layers.

    >>> llama = {"sequence": 8192, "hidden": 4096, "ffn_hidden": 14336, "heads": 32, "kv_heads": 8}
    >>> costs = operation_costs(**llama, flop_per_s=400e12, bytes_per_s=2.6e12)
    >>> {name: (round(kept / 1e3), round(added * 1e9)) for name, (kept, added) in costs.items()}    # kB, ns
    {'norms': (16, 13), 'qkv': (12, 126), 'attention': (8, 168), 'gate_up': (57, 587), 'product': (29, 33)}
    """
    require_counts(sequence=sequence, hidden=hidden, ffn_hidden=ffn_hidden, heads=heads, kv_heads=kv_heads)
    require_positive(flop_per_s=flop_per_s, bytes_per_s=bytes_per_s)
    qkv = hidden + 2 * (hidden // heads * kv_heads)
    return {
        "norms": (2.0 * 2 * hidden, 8 * hidden / bytes_per_s),
        "qkv": (2.0 * qkv, 2 * hidden * qkv / flop_per_s),
        "attention": (2.0 * hidden, 2 * sequence * hidden / flop_per_s),
        "gate_up": (2.0 * 2 * ffn_hidden, 4 * hidden * ffn_hidden / flop_per_s),
        "product": (2.0 * ffn_hidden, 6 * ffn_hidden / bytes_per_s),
    }


def policy_cost(
    *, norms: str, qkv: str, attention: str, gate_up: str, product: str, tokens: int, layers: int, sequence: int,
    hidden: int, ffn_hidden: int, heads: int, kv_heads: int, flop_per_s: float, bytes_per_s: float,
) -> PolicyCost:  # fmt: skip
    """Return the activation memory of a policy in all layers, and the time that it adds to a micro-batch.

        kept = L · tokens · (2 · 2d + outputs that are kept)      added = L · tokens · (seconds of the repeated ones)

    The input of the layer and the residual stream between attention and MLP are always kept. What is repeated starts from
    what is kept, or from what was repeated just before.

    Units:   each operation is "keep" or "repeat"; the rest as in operation_costs. Results in bytes and seconds.
    Raises:  ValueError for another word, or as operation_costs.
    Source:  as in operation_costs; torch.utils.checkpoint, create_selective_checkpoint_contexts.

    >>> llama = {"sequence": 8192, "hidden": 4096, "ffn_hidden": 14336, "heads": 32, "kv_heads": 8}
    >>> run = {**llama, "tokens": 8192, "layers": 32, "flop_per_s": 400e12, "bytes_per_s": 2.6e12}
    >>> cost = policy_cost(norms="repeat", qkv="keep", attention="keep", gate_up="keep", product="repeat", **run)
    >>> round(cost["kept_bytes"] / 1e9, 1), round(cost["added_s"] * 1e3, 1)    # GB, ms
    (24.7, 12.0)
    """
    require_counts(tokens=tokens, layers=layers)
    choices = {"norms": norms, "qkv": qkv, "attention": attention, "gate_up": gate_up, "product": product}
    costs = operation_costs(
        sequence=sequence, hidden=hidden, ffn_hidden=ffn_hidden, heads=heads, kv_heads=kv_heads, flop_per_s=flop_per_s,
        bytes_per_s=bytes_per_s,
    )  # fmt: skip
    kept, added = 2.0 * 2 * hidden, 0.0
    for name, choice in choices.items():
        if choice not in (KEEP, REPEAT):
            raise ValueError(f"{name} must be 'keep' or 'repeat', not {choice!r}")
        held_bytes, again_s = costs[name]
        kept += held_bytes if choice == KEEP else 0
        added += again_s if choice == REPEAT else 0
    return {"kept_bytes": layers * tokens * kept, "added_s": layers * tokens * added}
