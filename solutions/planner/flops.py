"""FLOP per token for any shape that the planner knows, by part, and per step with recomputation."""

from __future__ import annotations

from ..facts.arguments import require_counts
from ..roofline import flops
from .blocks import RECURRENT
from .recompute import recomputed_modules
from .shapes import Batch, Block, Layout, Model


def forward_flop(model: Model, *, sequence: int, causal: bool = False) -> dict[str, float]:
    """Return FLOP per token in a forward pass: projections, core attention, MLPs and output layer of the whole model.

    In a mixture, a token uses its own experts, the shared ones and the router. Multi-token prediction counts its layers and
    its output layers. Full attention counts all pairs of tokens, or half of them if `causal`; a window or a chunk of w
    tokens counts w keys per token, or half. Megatron-LM counts the causal half for both, and TorchTitan all pairs of the
    sequence, with or without a window.

    Units:   sequence in tokens. Results in FLOP.
    Raises:  ValueError as the parts of flops.py.
    Source:  flops.py; latent attention: DeepSeek-AI 2024, arXiv:2405.04434, section 2.1; the others: core_flop.

    >>> llama = Model("8B", layers=32, hidden=4096, ffn_hidden=14336, heads=32, kv_heads=8, vocabulary=128256)
    >>> round(sum(forward_flop(llama, sequence=8192).values()) / 1e9, 2)
    19.3
    """
    require_counts(sequence=sequence)
    further = {model.mtp_block or model.blocks[-1]: model.mtp_layers} if model.mtp_layers else {}
    parts = {"projections": 2.0 * model.mtp_layers * 2 * model.hidden**2, "scores": 0.0, "mlp": 0.0}
    for block, count in (*model.kinds.items(), *further.items()):
        parts["projections"] += count * 2.0 * model.mixer_parameters(block)
        parts["scores"] += count * core_flop(model, block, sequence=sequence, causal=causal)
        parts["mlp"] += count * mlp_flop(model, block)
    logits = flops.output_flop(tokens=1, hidden=model.hidden, vocabulary=model.vocabulary)
    return {**parts, "output": (1 + model.mtp_layers) * logits}


def core_flop(model: Model, block: Block, *, sequence: int, causal: bool = False) -> float:
    """Return FLOP per token in a mixer between its projections, in a forward pass.

        attention:  2 · keys · heads · (h + r + v)      keys: the sequence, or a window or chunk
        delta rule: 8 · heads · k · v                   decay, read, write and query a state of k by v
        Mamba-2:    7 · heads · k · v
        lightning:  4 · heads · k · v                   write and query the state

    Units:   sequence in tokens. Result in FLOP.
    Raises:  ValueError if sequence is below 1.
    Source:  Chowdhery et al. 2022, arXiv:2204.02311, appendix B; delta rule and Mamba-2: Megatron-LM,
             num_floating_point_operations (gdn_layer_flops, mamba_layer_flops); lightning: MiniMax 2025, arXiv:2501.08313, section 2.2.

    >>> core_flop(Model("m", 1, 64, 256, 4, 4, 1000), Block("window", span=128), sequence=4096)    # 128 keys for each token
    32768.0
    """
    require_counts(sequence=sequence)
    if block.mixer == "none":
        return 0.0
    if block.mixer in RECURRENT:
        heads = model.heads_of_recurrence
        return float({"delta": 8, "mamba": 7, "lightning": 4}[block.mixer] * heads.values * heads.key_width)
    keys = min(sequence, block.span or sequence)
    return (1 if causal else 2) * keys * float(score_width(model.at(block), block))


def score_width(model: Model, block: Block) -> int:
    """Return the number of elements in all query heads and all value heads of a layer with attention.

    >>> score_width(Model("m", 1, 64, 256, 4, 4, 1000), Block())
    128
    """
    rope = model.rope_head_width if block.mixer == "latent" else 0
    return model.heads * (model.head_dim + rope + model.value_dim)


def mlp_flop(model: Model, block: Block) -> float:
    """Return FLOP per token in the MLP of a layer in a forward pass: a dense one, or a router and the experts that a token uses.

    >>> mlp_flop(Model("m", 1, 64, 256, 4, 4, 1000), Block())
    98304.0
    """
    if block.mlp == "none":
        return 0.0
    if not block.is_mixture:
        return 2.0 * model.at(block).mlp_parameters
    routed = (
        model.experts_per_token * model.mlp_matrices * (model.expert_input or model.hidden) * model.expert_ffn_hidden
    )
    return 2.0 * (routed + model.common_parameters + model.hidden * model.experts)


def step_flop(model: Model, layout: Layout, batch: Batch, *, again: bool) -> float:
    """Return FLOP per step: three times the forward pass, with attention over all pairs; with `again`, also recomputation.

    Units:   FLOP of all GPUs.
    Source:  flops.step_flop, for the kinds of recomputation that it knows.

    >>> llama = Model("8B", layers=32, hidden=4096, ffn_hidden=14336, heads=32, kv_heads=8, vocabulary=128256)
    >>> batch = Batch(1, 8192)
    >>> once, twice = (step_flop(llama, Layout(recompute="full"), batch, again=again) for again in (False, True))
    >>> round(twice / once, 3)
    1.315
    """
    part = forward_flop(model, sequence=batch.sequence)
    layers = part["projections"] + part["scores"] + part["mlp"]
    repeated = {
        "none": 0.0,
        "operators": (part["projections"] + part["mlp"]) / 2,
        "full": layers,
        "partial": layers * layout.recomputed_layers / model.layers,
    }.get(layout.recompute)
    if repeated is None:
        modules = [recomputed_modules(layout.recompute, block) for block in model.blocks]
        repeated = part["scores"] * sum("core_attn" in each for each in modules) / model.layers
        repeated += part["mlp"] * sum(not each.isdisjoint(("mlp", "moe")) for each in modules) / model.layers
    return batch.tokens * (3 * (layers + part["output"]) + (repeated if again else 0.0))
