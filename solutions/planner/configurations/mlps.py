"""The MLPs of a configuration: dense widths, routed and shared experts, and which layers have which."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .keys import Keys

COUNT = ("num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts", "num_moe_experts")
TOP_K = (
    "num_experts_per_tok", "num_experts_per_token", "experts_per_token", "moe_topk", "moe_top_k", "moe_k",
    "top_k_experts",
)  # fmt: skip
WIDTH = ("moe_intermediate_size", "expert_intermediate_size", "moe_ffn_hidden_size")
SHARED = ("n_shared_experts", "num_shared_experts", "num_shared_expert", "moe_num_shared_experts")
SHARED_WIDTH = (
    "shared_expert_intermediate_size", "moe_shared_expert_intermediate_size", "shared_intermediate_size",
    "share_expert_dim",
)  # fmt: skip


def widths(keys: Keys, implied: Mapping[str, Any], hidden: int) -> dict[str, int]:
    """Return the sizes of the MLPs, under the names of Model."""
    experts = keys.optional(*COUNT)
    named = (
    "intermediate_size_mlp", "dense_intermediate_size", "intermediate_size", "n_inner", "ffn_dim",
    "ffn_hidden_size",
)  # fmt: skip
    if implied.get("mlp") == 2:  # GPT-2, BLOOM and Falcon leave the usual width out
        if (kind := keys.value("mlp_type")) not in (None, "default"):  # StarCoder2
            keys.faults.append(f"mlp_type = {kind!r:.40} is unknown; known: default.")
        dense = keys.optional(*named, usual=4 * hidden)
    elif experts:
        dense = keys.optional(*named)
    else:
        dense = keys.optional(*named, *SHARED_WIDTH) or keys.count("intermediate_size")
    if not experts:
        keys.drop(*TOP_K, *WIDTH, *SHARED, *SHARED_WIDTH)
        return {"ffn_hidden": dense}
    width = keys.count(*((implied["expert_width"],) if "expert_width" in implied else WIDTH))
    top_k = keys.count(*TOP_K)
    if top_k > experts:
        keys.faults.append(f"{top_k} experts per token are more than the {experts} experts.")
    groups, limit = (keys.optional(name) for name in ("n_group", "topk_group"))
    return {"ffn_hidden": dense, "experts": experts, "node_limit": limit if limit < groups else 0, "experts_per_token": top_k, "expert_ffn_hidden": width,
            "shared_experts": _shared(keys, implied, width),
            "expert_input": keys.optional("moe_latent_size", "routed_expert_hidden_size")}  # fmt: skip


def _shared(keys: Keys, implied: Mapping[str, Any], width: int) -> int:
    """Return the number of shared experts, each as wide as a routed expert."""
    count = keys.optional(*SHARED, usual=implied.get("shared", 0))
    whole = keys.optional(*SHARED_WIDTH)
    if whole % width:
        keys.faults.append(
            f"a shared width of {whole} is not a multiple of the experts' {width}, which the planner cannot express."
        )
    return whole // width or count


def kinds(keys: Keys, experts: int, layers: int) -> list[str]:
    """Return "mixture" or "dense" for each layer."""
    if not experts:
        keys.drop(
            "first_k_dense_replace", "moe_layer_freq", "decoder_sparse_step", "mlp_only_layers", "mlp_layer_types"
        )
        return ["dense"] * layers
    if (types := keys.each("mlp_layer_types", layers)) is not None:
        return ["dense" if kind == "dense" else "mixture" for kind in types]
    if isinstance(freq := keys.value("moe_layer_freq"), list):
        return ["mixture" if kind else "dense" for kind in keys.each("moe_layer_freq", layers) or [1] * layers]
    chosen = keys.places("moe_layers_enum", "moe_layers")
    if chosen is not None:
        keys.drop("interleave_moe_layer_step")
        return ["mixture" if layer in chosen else "dense" for layer in range(layers)]
    first = keys.optional("first_k_dense_replace", "moe_layer_start_index", "moe_layer_num_skipped", most=10**4)
    last = keys.optional("moe_layer_end_index", usual=-1, least=-1, most=10**4)
    step = keys.optional(
        "decoder_sparse_step", "interleave_moe_layer_step", "moe_layer_interval", usual=1, least=1, most=10**4
    )
    freq = keys.optional("moe_layer_freq", usual=1, least=1, most=10**4)
    plain = keys.places("mlp_only_layers") or set()
    found = []
    for layer in range(layers):
        is_mixture = layer >= first and (last < 0 or layer <= last) and layer % freq == 0 and (layer + 1) % step == 0
        found.append("mixture" if is_mixture and layer not in plain else "dense")
    return found
