"""Compute and communication that recomputation repeats in a layer."""

from __future__ import annotations

from dataclasses import dataclass

from .layer import Pass
from .recompute import WHOLE, recomputed_modules
from .shapes import Block, Layout, Model


@dataclass(frozen=True)
class Repeated:
    """The repeated part of one layer's forward pass: seconds of compute, and shares of the communication."""

    compute: float
    tensor: float = 0.0
    context: float = 0.0
    expert: float = 0.0


def recomputed(forward: Pass, model: Model, layout: Layout, block: Block) -> Repeated:
    """Return the compute and communication that recomputation repeats in one layer.

    none        nothing                       full      everything
    operators   every second matmul, and the small kernels (torchtitan's selective recomputation)
    partial     everything, in some of the layers
    modules     those of recompute.py. A recomputed MLP repeats half of TP's communication, and recomputed experts their dispatch
                and combine; moe_act, layernorm and mla_up_proj repeat none.

    Source:  Megatron-LM, core/transformer/moe/moe_layer.py: the checkpointed function includes dispatch and combine.

    >>> llama = Model("8B", layers=32, hidden=4096, ffn_hidden=14336, heads=32, kv_heads=8, vocabulary=128256)
    >>> recomputed(Pass(4.0, 3.0, 2.0, 1.0, 0.5, 0.0, 0.0, norms=0.25, activation=0.5), llama, Layout(recompute="layernorm,mlp"), Block())
    Repeated(compute=3.75, tensor=0.5, context=0.0, expert=0.0)
    """
    if layout.recompute == "operators":
        return Repeated(forward.products / 2 + forward.small)
    if layout.recompute == "partial":
        share = layout.recomputed_layers / model.layers
        return Repeated(share * forward.compute, share, share, share)
    modules = recomputed_modules(layout.recompute, block)
    if WHOLE in modules:
        return Repeated(forward.compute, 1.0, 1.0, 1.0)
    seconds = {
        "core_attn": forward.core, "layernorm": forward.norms, "mla_up_proj": forward.latent, "mlp": forward.mlp + forward.activation,
        "moe": forward.mlp + forward.activation, "moe_act": 0.0 if "moe" in modules else forward.activation,
        "shared_experts": 0.0 if "moe" in modules else forward.shared,
    }  # fmt: skip
    sends_mlp = "mlp" in modules or ("moe" in modules and layout.expert_tp > 1)
    return Repeated(
        sum(seconds[name] for name in modules),
        0.5 if sends_mlp else 0.0,
        float("core_attn" in modules),
        float("moe" in modules),
    )
