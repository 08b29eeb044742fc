"""A Hugging Face configuration as a model: which file it is, which architecture, and everything that it does not say."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

from ...facts.tables import table
from ..decoder import Block, Model
from . import mixers, mlps
from .keys import LARGEST, Keys
from .small import small_parameters

NESTED = ("text_config", "llm_config", "language_config")  # where a multimodal configuration has its decoder
OTHER_FILES = {  # a key that gives a file away, and what it is
    "weight_map": "an index of weights", "added_tokens_decoder": "a tokenizer's configuration", "chat_template": "a tokenizer's configuration",
    "peft_type": "an adapter's configuration", "image_processor_type": "a preprocessor's configuration", "producer": "a quantization's configuration",
}  # fmt: skip
MOST_LAYERS = 10_000
EMPTY: dict[str, Any] = dict.fromkeys(("layers", "hidden", "ffn_hidden", "heads", "kv_heads", "vocabulary"), 1) | {
    "name": ""
}


@dataclass(frozen=True)
class Configuration:
    """A model that was read, and what to know about how."""

    model: Model
    notes: tuple[str, ...] = ()


def read_configuration(text: str, *, name: str) -> Configuration:
    """The model of a config.json, as it is published.

    Raises:  ValueError with every fault: a file of another kind, missing or absurd values, what the planner does not know.
    Source:  transformers; facts that files leave out are in architectures.yaml.

    >>> text = '{"model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32,'
    >>> text += '"num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128256}'
    >>> read_configuration(text, name="Llama-3.1-8B").model.parameters
    8030261248
    """
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}: {error.msg}"
        raise ValueError(f"this is not JSON ({where}); download config.json again") from None
    except (ValueError, RecursionError) as error:
        what = "is nested too deeply" if isinstance(error, RecursionError) else "has a number with too many digits"
        raise ValueError(f"this JSON {what}; give the model's config.json") from None
    if not isinstance(data, Mapping):
        raise ValueError("expected the keys of a config.json between braces, and found something else")
    return configured(data, name=name)


def configured(data: Mapping[str, Any], *, name: str) -> Configuration:
    """The model of the keys of a configuration. Raises ValueError as read_configuration."""
    outer = data
    for part in NESTED:
        if isinstance(data.get(part), Mapping):
            tied = {"tie_word_embeddings": data["tie_word_embeddings"]} if "tie_word_embeddings" in data else {}
            data = {**tied, **{key: value for key, value in data[part].items() if value is not None}}
    implied = _implied(outer, data)
    keys = Keys(data, implied.get("usual", {}))
    model = _pruned(keys, implied, name) if keys.has("block_configs") else _model(keys, implied, name)
    small = 0 if keys.faults else small_parameters(keys, implied, model)
    faults = [
        *keys.faults,
        *([] if keys.faults else keys.left()),
    ]  # a fault stops the reading, and leaves good keys over
    if faults:
        raise ValueError("\n".join(dict.fromkeys(faults)))
    return Configuration(replace(model, small=small), tuple(_notes(outer, data, model)))


def _implied(outer: Mapping[str, Any], data: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the architecture means beyond the file's keys."""
    known = table("planner/configurations/architectures.yaml")
    kind = data.get("model_type") or outer.get("model_type")
    if not any(key in data for key in ("hidden_size", "n_embd", "model_type", "d_model")):
        found = next((what for key, what in OTHER_FILES.items() if key in outer), "")
        if not found and ("temperature" in outer or "top_p" in outer or "do_sample" in outer):
            found = "a generation configuration"
        if not found and "dim" in outer and "n_layers" in outer:
            found = "Mistral's or Meta's params.json"
        raise ValueError(f"this is {found or 'not a configuration of a model'}; give the model's config.json")
    if not kind:
        raise ValueError('model_type is missing; add the architecture, such as "model_type": "llama"')
    if not isinstance(kind, str) or kind not in known:
        near = get_close_matches(str(kind), known, n=2, cutoff=0.75)
        like = f" Similar names are {' and '.join(near)}." if near else ""
        raise ValueError(
            f"the architecture {str(kind)[:40]!r} is unknown.{like} If its layers are those of a known one, set model_type to that, "
            f"such as llama or deepseek_v3. Known are {', '.join(kind for kind in known if 'beyond' not in known[kind])}."
        )
    implied: dict[str, Any] = known[kind]
    if "beyond" in implied:
        raise ValueError(f"the architecture {kind} has {implied['beyond']}, which the planner cannot express")
    return {**known[implied["like"]], **implied} if "like" in implied else implied


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
    if any(block.mixer in ("delta", "mamba", "lightning") for block in blocks):
        shape["recurrence"] = mixers.recurrence(keys, implied.get("recurrent", "delta"), sizes, hidden)
    dense = next((place for place, block in enumerate(blocks) if block.is_mixture), layers)
    if any(block.mlp == "dense" for block in blocks) and not widths["ffn_hidden"]:
        keys.faults.append("intermediate_size is missing; add it, because some layers have no experts.")
    if not any(block.is_mixture for block in blocks):
        shape |= {"experts": 0, "experts_per_token": 0}
    usual = _made(keys, {**shape, "dense_layers": dense if shape.get("experts") else 0})
    return usual if usual.blocks == tuple(blocks) or keys.faults else replace(usual, pattern=tuple(blocks))


def _block(keys: Keys, sizes: Mapping[str, int], mixer: str, mlp: str, span: int) -> Block:
    """Return a layer's kind. MiMo-V2 has other heads in its windowed layers."""
    own: dict[str, int] = {}
    names = {
        "heads": "num_attention_heads",
        "kv_heads": "num_key_value_heads",
        "head_width": "head_dim",
        "value_width": "v_head_dim",
    }
    for size, key in names.items():
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
        keys.faults.append(f"hybrid_override_pattern has {', '.join(unknown)}; it may have {', '.join(letters)}.")
    return [letters.get(kind, Block()) for kind in pattern]


def _predicted(keys: Keys) -> dict[str, Any]:
    """Return how many layers predict further tokens, and their kind where the file says it."""
    count = keys.optional("num_nextn_predict_layers", "mtp_num_hidden_layers", "mtp_num_layers")
    modules = keys.optional("num_mtp_modules")
    if keys.flag("use_mtp"):
        count = modules * keys.optional("mtp_transformer_layers", usual=1)
    keys.drop("mtp_transformer_layers", "mtp_use_dedicated_embeddings")
    kind = keys.value("mtp_hybrid_override_pattern", "mtp_layers_block_type")
    block = Block(mlp="mixture") if kind in ("*E", ["attention", "moe"]) else None
    if kind and not block:
        keys.faults.append(f"mtp_hybrid_override_pattern = {kind!r:.40} is unknown; it may be '*E'.")
    return {"mtp_layers": count, "mtp_block": block}


def _pruned(keys: Keys, implied: Mapping[str, Any], name: str) -> Model:
    """Return a model that a search made of another one (DeciLM, Nemotron Super): heads and widths per layer."""
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


def _notes(outer: Mapping[str, Any], data: Mapping[str, Any], model: Model) -> list[str]:
    """Return what a reader should know: what is not counted, and what is trained besides the printed total."""
    found = []
    if any(key.endswith(("vision_config", "audio_config")) and outer[key] for key in outer):
        found.append("Only the decoder is planned: the towers for images and sound are not counted.")
    quantised = data.get("quantization_config") or outer.get("quantization_config")
    if quantised:
        method = quantised.get("quant_method", "") if isinstance(quantised, Mapping) else ""
        found.append(
            f"The file is of quantized weights{f' ({method})' if method else ''}; a run trains them in its own precision."
        )
    if model.mtp_layers:
        found.append(
            f"Multi-token prediction trains {model.mtp_parameters / 1e9:.2f} billion parameters more than the total, "
            "which leaves them out."
        )
    return found
