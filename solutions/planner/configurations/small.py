"""Parameters that no matrix multiplication uses: norms beyond the usual two, biases, sinks and one-number gates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..blocks import RECURRENT, Block
from ..decoder import Model
from .keys import Keys


def biases(keys: Keys, implied: Mapping[str, Any]) -> set[str]:
    """Return which matrices have biases, by the architecture and by the switches of the file."""
    found = set(implied.get("biases", ()))
    whole = keys.value("attention_bias")
    named = keys.value("qkv_bias", "use_qkv_bias", "add_qkv_bias", "attention_qkv_bias")
    for given in (whole, named):
        if given is not None:
            found = found | {"qkv"} if given else found - {"qkv"}
    if whole and implied.get("qk_norm") != "head" and "biases" not in implied:
        found |= {"out"}  # Llama's attention_bias is of all four matrices
    out = keys.value("attention_out_bias", "o_proj_bias", "attention_o_bias")
    if out is not None:
        found = found | {"out"} if out else found - {"out"}
    if keys.flag("mlp_bias"):
        found |= {"mlp"}
    if keys.flag("lm_head_bias"):
        found |= {"head"}
    if keys.flag("use_bias") or keys.flag("bias") or keys.flag("add_bias_linear"):
        found |= {"qkv", "out", "mlp"}
    if keys.flag("use_routing_bias") or keys.flag("moe_router_enable_expert_bias") or keys.flag("moe_use_aux_free"):
        found |= {"router"}
    return found


def small_parameters(keys: Keys, implied: Mapping[str, Any], model: Model) -> int:
    """Return the number of parameters beyond matrices and one RMSNorm before each mixer and MLP."""
    biased = biases(keys, implied)
    norms = implied.get("norms", 2)
    if keys.flag("parallel_attn") and not keys.flag("new_decoder_architecture"):
        norms = 1  # attention and MLP of a layer of Falcon-7B share one
    per_norm = 2 if implied.get("norm_biases") else 1
    named = keys.value("use_qk_norm", "qk_layernorm", "qk_norm")
    qk_norm = implied.get("qk_norm", "head" if named else "none")
    if named is False:
        qk_norm = "none"
    if keys.value("qk_norm_type") == "per_layer":
        qk_norm = "width"
    sinks = model.sinks or keys.flag("add_swa_attention_sink_bias")
    keys.drop("add_full_attention_sink_bias")
    whole = (per_norm - 1 if norms else -1) * model.hidden  # the last norm; OLMo's norms have no parameters
    whole += model.vocabulary if "head" in biased else 0
    for block, count in model.kinds.items():
        each = (block.halves * norms * per_norm // 2 - block.halves) * model.hidden
        each += _of_mixer(model.at(block), block, biased, qk_norm, sinks)
        if block.mlp == "dense" and "mlp" in biased:
            each += (model.mlp_matrices - 1) * model.at(block).ffn_hidden + model.hidden
        if block.is_mixture:
            each += model.experts if "router" in biased else 0
            each += model.hidden if implied.get("shared_gate") and model.shared_experts else 0
        whole += count * each
    return whole


def _of_mixer(shape: Model, block: Block, biased: set[str], qk_norm: str, sinks: bool) -> int:
    if block.mixer in RECURRENT:
        heads = shape.heads_of_recurrence
        mixed = 2 * heads.keys + heads.values
        if heads.gate_rank:  # A per head, dt per key element, a norm per head
            return heads.value_heads + heads.keys + heads.value_width
        return {  # A and dt per head, with D and the convolution's biases for Mamba-2, and a norm
            "delta": 2 * heads.value_heads + heads.value_width,
            "mamba": 3 * heads.value_heads + mixed + heads.values,
            "lightning": heads.values,
        }[block.mixer]
    if block.mixer in ("none", "latent"):
        return 0
    keys_and_values = shape.kv_heads * (shape.head_dim + shape.value_dim)
    found = {"head": 2 * shape.head_dim, "width": (shape.heads + shape.kv_heads) * shape.head_dim, "none": 0}[qk_norm]
    found += shape.heads * shape.head_dim + keys_and_values if "qkv" in biased else 0
    found += shape.hidden if "out" in biased else 0
    return found + (shape.heads if sinks and (shape.sinks or block.mixer == "window") else 0)
