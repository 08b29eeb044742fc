"""FLOP per token for any shape that the planner knows, by part, and per step with recomputation."""

from __future__ import annotations

from ..facts.arguments import require_counts
from ..roofline import flops
from .recompute import recomputed_modules
from .shapes import Batch, Layout, Model


def forward_flop(model: Model, *, sequence: int, causal: bool = False) -> dict[str, float]:
    """FLOP per token in a forward pass: projections, core attention, MLPs and output layer of the whole model.

    In a mixture, a token uses its own experts, the shared ones and the router. Equal to flops.forward_flop for a Llama.

    Units:   sequence in tokens. Results in FLOP.
    Raises:  ValueError as the parts of flops.py.
    Source:  flops.py; latent attention: DeepSeek-AI 2024, arXiv:2405.04434, section 2.1.

    >>> llama = Model("8B", layers=32, hidden=4096, ffn_hidden=14336, heads=32, kv_heads=8, vocabulary=128256)
    >>> round(sum(forward_flop(llama, sequence=8192).values()) / 1e9, 2)
    19.3
    """
    require_counts(sequence=sequence)
    width = model.heads * model.head_dim
    if model.kv_rank:
        width += model.heads * model.rope_head_width // 2
    scores = flops.score_flop(tokens=sequence, sequence_length=sequence, hidden=width, causal=causal) / sequence
    inner = model.mixture_layers * (model.experts_per_token + model.shared_experts) * model.expert_ffn_hidden
    inner += (model.layers - model.mixture_layers) * model.ffn_hidden
    mlp = flops.mlp_flop(tokens=1, hidden=model.hidden, ffn_hidden=inner, mlp_matrices=model.mlp_matrices)
    return {
        "projections": 2.0 * model.layers * model.attention_parameters,
        "scores": model.layers * scores,
        "mlp": mlp + 2.0 * model.mixture_layers * model.hidden * model.experts,
        "output": flops.output_flop(tokens=1, hidden=model.hidden, vocabulary=model.vocabulary),
    }


def step_flop(model: Model, layout: Layout, batch: Batch, *, again: bool) -> float:
    """FLOP per step: three times the forward pass, with attention over all pairs; with `again`, also recomputation.

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
