"""Configurations of published models are read as their makers count them, and files that are not understood say why."""

from __future__ import annotations

import json
from typing import Any

import pytest

from solutions.planner.configurations.cards import card, card_names, carded_model
from solutions.planner.configurations.reading import read_configuration
from solutions.planner.shapes import Block, named_model
from solutions.shapes import models

LLAMA: dict[str, Any] = {
    "model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32, "num_attention_heads": 32,
    "num_key_value_heads": 8, "vocab_size": 128256, "rope_theta": 500000.0, "torch_dtype": "bfloat16",
}  # fmt: skip


def read(**keys: Any) -> Any:
    return read_configuration(json.dumps({**LLAMA, **keys}), name="mine")


def faults_of(text: str) -> str:
    try:
        read_configuration(text, name="mine")
    except ValueError as error:
        return str(error)
    return ""


def is_as_printed(count: float, printed: str) -> bool:
    """Whether a count is within 0.5 % of a printed number of billions, or has its digits, rounded or cut off."""
    unit, more = 10.0 ** -len(printed.partition(".")[2]), count / 1e9 - float(printed)
    return abs(more) <= 0.005 * float(printed) or -unit / 2 <= more < unit


@pytest.mark.parametrize("name", card_names())
def test_a_card_has_the_parameters_that_its_maker_counts(name: str) -> None:
    printed, model = card(name), carded_model(name)
    tables = model.vocabulary * model.hidden
    assert "exact" in printed or "printed" in printed
    if "exact" in printed:
        further = model.mtp_parameters + printed["mtp_tables"] * tables if "mtp_tables" in printed else 0
        assert model.parameters + further == pytest.approx(printed["exact"], rel=1e-6 if further else 0, abs=0)
    if "printed" in printed:
        assert is_as_printed(model.parameters + 1e9 * printed.get("other", 0), printed["printed"])
    if "active" in printed:
        left_out = 2 - printed.get("active_tables", 2)
        assert is_as_printed(model.active_parameters - left_out * tables, printed["active"])


def test_there_are_forty_cards_and_one_name_means_one_model() -> None:
    assert len(card_names()) >= 40
    for name in set(card_names()) & set(models.names()):
        assert models.parameters(model=name) == pytest.approx(carded_model(name).parameters, rel=0.001), name
        assert named_model(name) is carded_model(name)


def test_layers_of_different_kinds_keep_their_order() -> None:
    delta, full = Block("delta", "mixture"), Block("full", "mixture")
    assert carded_model("Qwen3-Next-80B-A3B").blocks[:5] == (delta, delta, delta, full, delta)
    assert carded_model("GPT-OSS-20B").blocks[:2] == (Block("window", "mixture", 128), full)
    assert [block.mixer for block in carded_model("Gemma-3-27B").blocks[3:7]] == ["window", "window", "full", "window"]
    hybrid = carded_model("Nemotron-3-Nano-30B-A3B")
    assert hybrid.blocks[4:7] == (Block("mamba", "none"), Block("full", "none"), Block("none", "mixture"))
    assert hybrid.kinds[Block("mamba", "none")] == 23 and hybrid.kinds[Block("full", "none")] == 6
    llama = carded_model("Llama-4-Maverick").blocks
    assert llama[:4] == (
        Block("chunked", "dense", 8192),
        Block("chunked", "mixture", 8192),
        Block("chunked", "dense", 8192),
        full,
    )
    assert carded_model("MiMo-V2-Flash").blocks[1].kv_heads == 8
    assert [block.mixer for block in carded_model("MiniMax-Text-01").blocks[6:9]] == ["lightning", "full", "lightning"]


def test_the_usual_pattern_is_not_spelled_out() -> None:
    assert carded_model("Kimi-K2").pattern == () and carded_model("Kimi-K2").dense_layers == 1
    assert read(sliding_window=4096).model == read().model  # Llama's attention ignores it


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"model_type": "lama"}, "the architecture 'lama' is unknown. Similar names are llama."),
        ({"model_type": "deepseek_v32"}, "has sparse attention to tokens that an indexer chooses, which the planner cannot"),
        ({"lateral_heads": 4}, "lateral_heads = 4 is unknown, and may change what a layer is."),
        ({"hidden_size": None}, "hidden_size or n_embd or d_model is missing; add it."),
        ({"num_hidden_layers": 10**9}, "num_hidden_layers must be a whole number from 1 to 10,000, not 1000000000."),
        ({"vocab_size": "many"}, "vocab_size must be a whole number from 1 to 10,000,000, not 'many'."),
        ({"num_key_value_heads": 5}, "num_key_value_heads = 5 does not divide num_attention_heads = 32."),
        ({"layer_types": ["full_attention"]}, "layer_types must list a value for each of the 32 layers, not 1 values."),
        ({"layer_types": ["conv"] * 32}, "layer_types names conv, which the planner does not know;"),
        ({"num_experts": 8, "num_experts_per_tok": 9, "moe_intermediate_size": 64}, "9 experts per token are more than"),
        ({"hybrid_override_pattern": "M" * 31 + "?"}, "hybrid_override_pattern has ?; it may have M, *, -, E."),
    ],
)  # fmt: skip
def test_what_is_not_understood_is_named(change: dict[str, Any], words: str) -> None:
    assert words in faults_of(json.dumps({**LLAMA, **change}))


def test_all_faults_of_a_file_come_at_once() -> None:
    wrong = {"hidden_size": None, "vocab_size": -1, "num_attention_heads": [1, 2]}
    assert len(faults_of(json.dumps({**LLAMA, **wrong})).splitlines()) == 3


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"model_type": "llama", ', "this is not JSON (line 1, column"),
        ("[" * 10**5, "this is not JSON (too deep)"),
        ("[1]", "expected the keys of a config.json between braces"),
        ('{"tokenizer_class": "X", "added_tokens_decoder": {}}', "this is a tokenizer's configuration; give the model's config.json"),
        ('{"temperature": 0.6, "top_p": 0.9}', "this is a generation configuration"),
        ('{"weight_map": {}}', "this is an index of weights"),
        ('{"dim": 4096, "n_layers": 32}', "this is Mistral's or Meta's params.json"),
        ('{"hidden_size": 64}', 'model_type is missing; add the architecture, such as "model_type": "llama"'),
        ("{}", "this is not a configuration of a model"),
    ],
)  # fmt: skip
def test_another_file_is_recognised(text: str, words: str) -> None:
    assert words in faults_of(text)


def test_notes_tell_what_is_not_counted() -> None:
    outer = {"model_type": "some_vlm", "text_config": LLAMA, "vision_config": {"depth": 2}, "tie_word_embeddings": True,
             "quantization_config": {"quant_method": "fp8"}}  # fmt: skip
    found = read_configuration(json.dumps(outer), name="mine")
    assert found.model.tied and [note.split(":")[0].split(" (")[0] for note in found.notes] == [
        "Only the decoder is planned", "The file is of quantized weights",
    ]  # fmt: skip
    assert "0.25 billion parameters more" in read(num_nextn_predict_layers=1).notes[0]
