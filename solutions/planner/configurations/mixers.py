"""The mixers of a configuration: heads, latent ranks, recurrent heads, and which layer has which mixer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..blocks import Recurrence
from .keys import Keys

KINDS = {  # layer_types of transformers, and letters of Nemotron-H's pattern
    "full_attention": "full", "attention": "full", "global": "full", "sliding_attention": "window", "local": "window",
    "chunked_attention": "chunked", "linear_attention": "linear", "mamba": "linear", "mamba2": "linear",
}  # fmt: skip


def heads(keys: Keys, hidden: int) -> dict[str, int]:
    """Return the sizes of attention, under the names of Model; latent ranks are 0 for grouped queries."""
    query_heads = keys.count("num_attention_heads", "n_head", "n_heads", "num_heads")
    kv_heads = keys.optional(
        "num_key_value_heads", "num_kv_heads", "n_head_kv", "multi_query_group_num", usual=query_heads
    )
    if keys.flag("multi_query") and not keys.flag("new_decoder_architecture"):  # Falcon-7B, StarCoder
        kv_heads = 1
    if not keys.flag("multi_query_attention", usual=True):
        kv_heads = query_heads
    rank = keys.optional("kv_lora_rank")
    if rank:
        keys.drop("head_dim", "qk_head_dim", "num_key_value_heads")
        width, value = keys.count("qk_nope_head_dim"), keys.count("v_head_dim")
        return {
            "heads": query_heads, "kv_heads": query_heads, "head_width": width, "value_width": value if value != width else 0,
            "kv_rank": rank, "query_rank": keys.optional("q_lora_rank"), "rope_head_width": keys.count("qk_rope_head_dim"),
        }  # fmt: skip
    width = keys.optional("head_dim", "attention_head_dim", "kv_channels", "d_kv")
    value = keys.optional("v_head_dim", usual=width)
    if not keys.faults and query_heads % max(1, kv_heads):
        keys.faults.append(f"num_key_value_heads = {kv_heads} does not divide num_attention_heads = {query_heads}.")
        kv_heads = query_heads
    if not keys.faults and not width and hidden % query_heads:
        keys.faults.append(f"num_attention_heads = {query_heads} does not divide hidden_size = {hidden}; add head_dim.")
    width = width or max(1, hidden // query_heads)
    own_value = value if value not in (0, width) else 0
    return {"heads": query_heads, "kv_heads": kv_heads, "head_width": width, "value_width": own_value}


def recurrence(keys: Keys, kind: str, sizes: Mapping[str, int], hidden: int) -> Recurrence:
    """Return the heads of recurrent layers: lightning, mamba or delta."""
    if kind == "lightning":
        return Recurrence(sizes["heads"], sizes["heads"], sizes["head_width"], sizes["head_width"])
    if kind == "mamba":
        keys.drop("expand", "mamba_expand", "use_conv_bias", "mamba_conv_bias", "use_bias", "mamba_proj_bias")
        value_heads = keys.count("mamba_num_heads", "mamba_n_heads")
        value_width = keys.optional("mamba_head_dim", "mamba_d_head", usual=2 * hidden // value_heads)
        return Recurrence(
            keys.optional("n_groups", "mamba_n_groups", usual=1, least=1), value_heads,
            keys.count("ssm_state_size", "mamba_d_state"), value_width,
            convolution=keys.optional("conv_kernel", "mamba_d_conv", usual=4), gates=1,
        )  # fmt: skip
    nested = keys.value("linear_attn_config")
    if isinstance(nested, Mapping):  # Kimi Delta Attention: low-rank gates
        inner = Keys(nested, {})
        count, width = inner.count("num_heads"), inner.count("head_dim")
        convolution = inner.optional("short_conv_kernel_size", usual=4)
        inner.drop("kda_layers", "full_attn_layers")
        keys.faults += [f"linear_attn_config: {fault}" for fault in (*inner.faults, *inner.left())]
        return Recurrence(count, count, width, width, convolution=convolution, gates=1, gate_rank=width)
    return Recurrence(
        keys.count("linear_num_key_heads"), keys.count("linear_num_value_heads"), keys.count("linear_key_head_dim"),
        keys.count("linear_value_head_dim"), convolution=keys.optional("linear_conv_kernel_dim", usual=4), gates=2,
    )  # fmt: skip


def kinds(keys: Keys, implied: Mapping[str, Any], layers: int, positions: int) -> tuple[list[str], int]:
    """Return the mixer of each layer (full, window, chunked or linear), and the window or chunk in tokens."""
    window = keys.optional("sliding_window", "sliding_window_size", "window_size")
    chunk = keys.optional("attention_chunk_size")
    found = _listed(keys, layers)
    if found is None:
        found = _by_rule(keys, implied, layers, window)
    if window >= positions > 0:  # no two tokens are further apart
        found = ["full" if kind == "window" else kind for kind in found]
    if "window" in found and not window:
        keys.faults.append("sliding_window is missing, but some layers have sliding-window attention; add it.")
    if "chunked" in found and not chunk:
        keys.faults.append("attention_chunk_size is missing, but some layers have chunked attention; add it.")
    return found, max(1, chunk if "chunked" in found else window)


def _listed(keys: Keys, layers: int) -> list[str] | None:
    """Return the mixer of each layer as the file lists them, or None if it does not."""
    keys.drop("full_attention_interval", "sliding_window_pattern", "_sliding_window_pattern", "use_sliding_window",
              "max_window_layers")  # fmt: skip
    types = keys.each("layer_types", layers)
    if types is not None:
        unknown = sorted({str(kind) for kind in types if str(kind) not in KINDS})
        if unknown:
            keys.faults.append(f"layer_types has the unknown kinds {', '.join(unknown)}; known: {', '.join(KINDS)}.")
        return [KINDS.get(str(kind), "full") for kind in types]
    if (pattern := keys.each("hybrid_layer_pattern", layers)) is not None:  # MiMo-V2: 1 is sliding
        return ["window" if kind else "full" for kind in pattern]
    if (pattern := keys.each("attn_type_list", layers)) is not None:  # MiniMax: 1 is softmax attention
        return ["full" if kind else "linear" for kind in pattern]
    if (places := keys.places("attn_layer_indices")) is not None:  # Bamba
        return ["full" if layer in places else "linear" for layer in range(layers)]
    nested = keys.value("linear_attn_config")
    if isinstance(nested, Mapping):  # Kimi Linear numbers layers from 1
        full = Keys(nested, {}).places("full_attn_layers") or set()
        return ["full" if layer + 1 in full else "linear" for layer in range(layers)]
    return None


def _by_rule(keys: Keys, implied: Mapping[str, Any], layers: int, window: int) -> list[str]:
    """Return the mixer of each layer by the rules of the file and the architecture."""
    every = keys.optional("full_attention_interval")
    if every:
        return ["linear" if (layer + 1) % every else "full" for layer in range(layers)]
    if implied.get("recurrent"):
        keys.faults.append("layer_types is missing; add it, because some layers of this architecture are recurrent.")
    if keys.has("attention_chunk_size"):  # Llama 4: every fourth layer attends to all tokens, without rotary positions
        step = keys.optional("no_rope_layer_interval", usual=4, least=1)
        return ["chunked" if (layer + 1) % step else "full" for layer in range(layers)]
    rule = implied.get("windows")
    if keys.has("use_sliding_window"):
        first = keys.optional("max_window_layers", usual=layers, most=10**4)
        return ["full" if layer < first else "window" for layer in range(layers)]
    pattern = keys.value("sliding_window_pattern")
    if isinstance(pattern, str) and pattern and set(pattern) <= set("LG"):  # EXAONE 4: L is sliding
        return ["window" if pattern[layer % len(pattern)] == "L" else "full" for layer in range(layers)]
    if not window or rule is None:
        return ["full"] * layers
    if rule in ("all", "even"):
        return ["window" if rule == "all" or layer % 2 == 0 else "full" for layer in range(layers)]
    step = keys.optional("sliding_window_pattern", "_sliding_window_pattern", usual=rule, least=1)
    return ["window" if (layer + 1) % step else "full" for layer in range(layers)]
