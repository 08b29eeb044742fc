"""The model that the keys of a configuration describe: its sizes, and the block of each layer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..blocks import RECURRENT, Block
from ..decoder import Model
from . import mixers, mlps
from .keys import LARGEST, Keys

MOST_LAYERS = 10_000
EMPTY: dict[str, Any] = dict.fromkeys(("layers", "hidden", "ffn_hidden", "heads", "kv_heads", "vocabulary"), 1) | {
    "name": ""
}


def build_model(keys: Keys, implied: Mapping[str, Any], name: str) -> Model:
    """Return the model, without the parameters of small_parameters. Faults are added to those of the keys."""
    return _pruned(keys, name) if keys.has("block_configs") else _model(keys, implied, name)


def _model(keys: Keys, implied: Mapping[str, Any], name: str) -> Model:
    listed = keys.value("layers_block_type")
    layers = keys.optional("num_hidden_layers", "n_layer", "n_layers", "num_layers", least=1, most=MOST_LAYERS,
                           usual=len(listed) if isinstance(listed, list) else 0)  # fmt: skip
    layers = layers or keys.count("num_hidden_layers", most=MOST_LAYERS)
    hidden = keys.count("hidden_size", "n_embd", "d_model")
    positions = keys.optional("max_position_embeddings", "n_positions", "n_ctx", most=10**9)
    sizes = mixers.heads(keys, hidden)
    widths = mlps.widths(keys, implied, hidden)
    shape: dict[str, Any] = {
        "name": name, "layers": layers, "hidden": hidden, **sizes, **widths,
        "vocabulary": keys.count("vocab_size", "padded_vocab_size"), "mlp_matrices": implied.get("mlp", 3),
        "tied": keys.flag("tie_word_embeddings", usual=implied.get("tied", False)),
        "gated": keys.flag("attn_output_gate", "attention_output_gate", usual=implied.get("gated", False)),
        "sinks": implied.get("sinks", False), "expert_biases": "experts" in implied.get("biases", ()), **_predicted(keys),
    }  # fmt: skip
    if implied.get("old"):
        keys.drop("word_embed_proj_dim", "scale_attn_by_inverse_layer_idx", "reorder_and_upcast_attn", "apply_residual_connection_post_layernorm",
                  "do_layer_norm_before", "summary_type", "summary_use_proj", "enable_bias", "layer_norm_elementwise_affine", "attention_softmax_in_fp32")  # fmt: skip
        shape |= {"biases": True, "positions": 0 if keys.has("apply_residual_connection_post_layernorm") else positions}
        return _made(keys, shape)
    blocks = _halves(keys, layers)
    if blocks is None:
        found, span = mixers.kinds(keys, implied, layers, positions)
        plain = "latent" if sizes.get("kv_rank") else "full"
        linear = implied.get("recurrent", "delta")
        named = {"full": plain, "linear": linear, "window": "window", "chunked": "chunked"}
        blocks = [
            _block(keys, sizes, named[mixer], mlp, span)
            for mixer, mlp in zip(found, mlps.kinds(keys, widths.get("experts", 0), layers), strict=True)
        ]
    if any(block.mixer in RECURRENT for block in blocks):
        shape["recurrence"] = mixers.recurrence(keys, implied.get("recurrent", "delta"), sizes, hidden)
    dense = next((place for place, block in enumerate(blocks) if block.is_mixture), layers)
    if any(block.mlp == "dense" for block in blocks) and not widths["ffn_hidden"]:
        keys.faults.append("intermediate_size is missing; add it, because some layers have no experts.")
    if not any(block.is_mixture for block in blocks):
        shape |= {"experts": 0, "experts_per_token": 0}
    usual = _made(keys, {**shape, "dense_layers": dense if shape.get("experts") else 0})
    return usual if usual.blocks == tuple(blocks) or keys.faults else replace(usual, pattern=tuple(blocks))


def _block(keys: Keys, sizes: Mapping[str, int], mixer: str, mlp: str, span: int) -> Block:
    """Return the block of a layer. MiMo-V2 has other heads in its windowed layers."""
    own: dict[str, int] = {}
    names = (
        ("heads", "num_attention_heads"),
        ("kv_heads", "num_key_value_heads"),
        ("head_width", "head_dim"),
        ("value_width", "v_head_dim"),
    )
    for size, key in names:
        value = keys.optional(f"swa_{key}")
        if mixer == "window" and value and value != sizes.get(size):
            own[size] = value
    return Block(mixer, mlp, span if mixer in ("window", "chunked") else 0, **own)


def _halves(keys: Keys, layers: int) -> list[Block] | None:
    """Return the blocks of Nemotron-H, where a layer is a mixer or an MLP; None for other files."""
    letters = {
        "M": Block("mamba", "none"),
        "*": Block("full", "none"),
        "-": Block("none"),
        "E": Block("none", "mixture"),
    }
    words = {"mamba": "M", "attention": "*", "mlp": "-", "moe": "E"}
    pattern = keys.each("hybrid_override_pattern", layers) or keys.each("layers_block_type", layers)
    if pattern is None:
        return None
    pattern = [words.get(str(kind), str(kind)) for kind in pattern]
    if unknown := sorted({kind for kind in pattern if kind not in letters}):
        keys.faults.append(
            f"hybrid_override_pattern has the unknown kinds {', '.join(unknown)}; known: {', '.join(letters)}."
        )
    return [letters.get(kind, Block()) for kind in pattern]


def _predicted(keys: Keys) -> dict[str, Any]:
    """Return the number of layers that predict further tokens, and their block if the file gives it."""
    count = keys.optional("num_nextn_predict_layers", "mtp_num_hidden_layers", "mtp_num_layers")
    modules = keys.optional("num_mtp_modules")
    if keys.flag("use_mtp"):
        count = modules * keys.optional("mtp_transformer_layers", usual=1)
    keys.drop("mtp_transformer_layers", "mtp_use_dedicated_embeddings")
    kind = keys.value("mtp_hybrid_override_pattern", "mtp_layers_block_type")
    block = Block(mlp="mixture") if kind in ("*E", ["attention", "moe"]) else None
    if kind and not block:
        keys.faults.append(f"mtp_hybrid_override_pattern = {kind!r:.40} is unknown; known: *E.")
    return {"mtp_layers": count, "mtp_block": block}


def _pruned(keys: Keys, name: str) -> Model:
    """Return a model from an architecture search (DeciLM, Nemotron Super), whose layers have heads and widths of their own."""
    rows = keys.value("block_configs")
    layers, hidden = keys.count("num_hidden_layers", most=MOST_LAYERS), keys.count("hidden_size")
    heads = keys.count("num_attention_heads")
    blocks = []
    for row in rows if isinstance(rows, list) else []:
        attention, mlp = (
            Keys(row if isinstance(row, Mapping) else {}, {}).value(part) for part in ("attention", "ffn")
        )
        if not isinstance(attention, Mapping) or not isinstance(mlp, Mapping):
            keys.faults.append("block_configs must have `attention` and `ffn` for each layer.")
            break
        if attention.get("replace_with_linear") or mlp.get("replace_with_linear"):
            keys.faults.append("block_configs replaces a layer by a linear map, which the planner cannot express.")
        share = mlp.get("ffn_mult")
        rounded = -(-int(2 * share * hidden / 3) // 256) * 256 if type(share) is float and 0 < share < LARGEST else 0
        inner = Keys({**mlp, **attention}, {})
        width = inner.optional("intermediate_size", usual=rounded)
        kv_heads = heads // inner.optional("n_heads_in_group", usual=1, least=1)
        keys.faults += inner.faults
        if not mlp.get("no_op") and not width:
            keys.faults.append("block_configs must have ffn_mult or intermediate_size for each layer with an MLP.")
        blocks.append(
            Block("none" if attention.get("no_op") else "full", "none" if mlp.get("no_op") else "dense",
                  kv_heads=0 if attention.get("no_op") else kv_heads, ffn_hidden=0 if mlp.get("no_op") else width)
        )  # fmt: skip
    widest = max((block.ffn_hidden for block in blocks), default=1)
    shape = {"name": name, "layers": layers, "hidden": hidden, "ffn_hidden": max(1, widest), "heads": heads,
             "kv_heads": max((block.kv_heads for block in blocks), default=1) or 1, "vocabulary": keys.count("vocab_size"),
             "tied": keys.flag("tie_word_embeddings")}  # fmt: skip
    keys.drop("num_key_value_heads", "intermediate_size", "head_dim")
    if len(blocks) != layers:
        keys.faults.append(
            f"block_configs must list a value for each of the {layers} layers, not {len(blocks)} values."
        )
    return _made(keys, shape | ({} if keys.faults else {"pattern": tuple(blocks)}))


def _made(keys: Keys, shape: dict[str, Any]) -> Model:
    try:
        return Model(**shape if not keys.faults else EMPTY)
    except ValueError as error:
        keys.faults.append(f"{error}.")
        return Model(**EMPTY)
