"""Reading of Hugging Face configurations: recognition of the file and its architecture, and notes on the model."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

from ...facts.tables import table
from ..decoder import Model
from .building import build_model
from .keys import Keys
from .small import small_parameters

NESTED = ("text_config", "llm_config", "language_config")  # where a multimodal configuration has its decoder
OTHER_FILES = {  # a key that gives a file away, and what it is
    "weight_map": "an index of weights", "added_tokens_decoder": "a tokenizer's configuration", "chat_template": "a tokenizer's configuration",
    "peft_type": "an adapter's configuration", "image_processor_type": "a preprocessor's configuration", "producer": "a quantization's configuration",
}  # fmt: skip


@dataclass(frozen=True)
class Configuration:
    """A model from a configuration, with notes on what was not counted."""

    model: Model
    notes: tuple[str, ...] = ()


def read_configuration(text: str, *, name: str) -> Configuration:
    """Return the model of a config.json.

    Raises:  ValueError with every fault: a file of another kind, missing or impossible values, unknown keys and architectures.
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
    return read_keys(data, name=name)


def read_keys(data: Mapping[str, Any], *, name: str) -> Configuration:
    """Return the model of a configuration, given as its keys. Raises ValueError like read_configuration."""
    outer = data
    for part in NESTED:
        if isinstance(data.get(part), Mapping):
            tied = {"tie_word_embeddings": data["tie_word_embeddings"]} if "tie_word_embeddings" in data else {}
            data = {**tied, **{key: value for key, value in data[part].items() if value is not None}}
    implied = _implied(outer, data)
    keys = Keys(data, implied.get("usual", {}))
    model = build_model(keys, implied, name)
    small = 0 if keys.faults else small_parameters(keys, implied, model)
    if faults := keys.faults or list(keys.left()):  # a fault stops the reading, and good keys remain unread
        raise ValueError("\n".join(dict.fromkeys(faults)))
    return Configuration(replace(model, small=small), tuple(_notes(outer, data, model)))


def _implied(outer: Mapping[str, Any], data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts of the architecture that the file does not state."""
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
        like = f" Did you mean {' or '.join(near)}?" if near else ""
        raise ValueError(
            f"the architecture {str(kind)[:40]!r} is unknown.{like} If its layers are those of a known one, set model_type to that, "
            f"such as llama or deepseek_v3. Known: {', '.join(kind for kind in known if 'beyond' not in known[kind])}."
        )
    implied: dict[str, Any] = known[kind]
    if "beyond" in implied:
        raise ValueError(f"the architecture {kind} has {implied['beyond']}, which the planner cannot express")
    return {**known[implied["like"]], **implied} if "like" in implied else implied


def _notes(outer: Mapping[str, Any], data: Mapping[str, Any], model: Model) -> list[str]:
    """Return notes on what is not counted, and on parameters that are trained in addition to the printed total."""
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
