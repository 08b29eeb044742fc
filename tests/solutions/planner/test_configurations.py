"""Configurations: parameters as the makers of the models count them, and faults of files that cannot be read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from solutions.planner.configurations.published import printed_facts, published_model, published_names
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
    """Return whether a count is within 0.5 % of a printed number of billions, or within its last digit, rounded, where that is coarser."""
    half = 0.5 * 10.0 ** -len(printed.partition(".")[2])
    return abs(count / 1e9 - float(printed)) <= max(half, 0.005 * float(printed))


def is_cut_off(count: float, printed: str) -> bool:
    """Return whether a printed number of billions is the start of a count's digits."""
    return 0 <= count / 1e9 - float(printed) < 10.0 ** -len(printed.partition(".")[2])


def counts_and_prints(name: str) -> Iterator[tuple[str, float, str]]:
    """Yield each number that the maker of a model prints: its key, the reader's count, and the print."""
    facts, model = printed_facts(name), published_model(name)
    left_out = (2 - facts.get("active_tables", 2)) * model.vocabulary * model.hidden
    if "printed" in facts:
        yield "printed", model.parameters + 1e9 * facts.get("other", 0), facts["printed"]
    if "active" in facts:
        yield "active", model.active_parameters - left_out, facts["active"]


@pytest.mark.parametrize("name", published_names())
def test_a_published_model_has_the_parameters_of_the_released_weights(name: str) -> None:
    facts, model = printed_facts(name), published_model(name)
    assert facts["source"] and {"exact", "counted"} & set(facts)
    if "exact" in facts:
        further = model.mtp_parameters + facts["copies"] * model.vocabulary * model.hidden if "copies" in facts else 0
        loose = 1e-6 if model.mtp_layers and further else 0  # norms of multi-token prediction
        assert model.parameters + further == pytest.approx(facts["exact"], rel=loose, abs=0)


@pytest.mark.parametrize("name", [name for name in published_names() if "counted" in printed_facts(name)])
def test_a_count_that_no_source_confirms_is_unchanged(name: str) -> None:
    facts = printed_facts(name)
    assert published_model(name).parameters == facts["counted"] and "exact" not in facts


@pytest.mark.parametrize("name", published_names())
def test_a_published_model_is_within_half_a_per_cent_of_its_print_or_rounds_to_it(name: str) -> None:
    for key, count, printed in counts_and_prints(name):
        if key not in printed_facts(name).get("cut", ()):
            assert is_as_printed(count, printed), key


@pytest.mark.parametrize("name", [name for name in published_names() if "cut" in printed_facts(name)])
def test_a_print_that_was_cut_off_has_the_first_digits_of_the_count(name: str) -> None:
    prints = {key: (count, printed) for key, count, printed in counts_and_prints(name)}
    for key in printed_facts(name)["cut"]:
        assert is_cut_off(*prints[key]) and not is_as_printed(*prints[key])


def test_a_cut_off_print_is_not_a_rounded_one() -> None:
    assert is_as_printed(16.26e9, "16") and not is_as_printed(16.26e9, "16.0")
    assert not is_as_printed(16.6e9, "16") and is_cut_off(16.6e9, "16")
    assert is_as_printed(1.2358e9, "1.23") and not is_as_printed(142.77e9, "142")


def test_there_are_forty_published_models_and_one_name_means_one_model() -> None:
    assert len(published_names()) >= 40
    for name in set(published_names()) & set(models.names()):
        assert models.parameters(model=name) == pytest.approx(published_model(name).parameters, rel=0.001), name
        assert named_model(name) is published_model(name)


def mixers(name: str) -> list[str]:
    return [block.mixer for block in published_model(name).blocks]


def test_layers_of_different_kinds_keep_their_order() -> None:
    delta, full = Block("delta", "mixture"), Block("full", "mixture")
    assert published_model("Qwen3-Next-80B-A3B").blocks[:5] == (delta, delta, delta, full, delta)
    assert published_model("GPT-OSS-20B").blocks[:2] == (Block("window", "mixture", 128), full)
    assert mixers("Gemma-3-27B")[3:7] == ["window", "window", "full", "window"]
    hybrid = published_model("Nemotron-3-Nano-30B-A3B")
    assert hybrid.blocks[4:7] == (Block("mamba", "none"), Block("full", "none"), Block("none", "mixture"))
    assert hybrid.kinds[Block("mamba", "none")] == 23 and hybrid.kinds[Block("full", "none")] == 6
    llama = published_model("Llama-4-Maverick").blocks
    assert llama[:4] == (
        Block("chunked", "dense", 8192),
        Block("chunked", "mixture", 8192),
        Block("chunked", "dense", 8192),
        full,
    )
    assert published_model("MiMo-V2-Flash").blocks[1].kv_heads == 8
    assert mixers("MiniMax-Text-01")[6:9] == ["lightning", "full", "lightning"]


def test_the_usual_pattern_is_not_spelled_out() -> None:
    assert published_model("Kimi-K2").pattern == () and published_model("Kimi-K2").dense_layers == 1
    assert read(sliding_window=4096).model == read().model  # Llama's attention ignores it


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"model_type": "lama"}, "the architecture 'lama' is unknown. Did you mean llama?"),
        ({"model_type": "deepseek_v32"}, "has sparse attention to tokens that an indexer chooses, which the planner cannot"),
        ({"model_type": "gemma4_text"}, "one matrix for keys and values, and experts next to a dense MLP, which the planner cannot"),
        ({"model_type": "starcoder2", "mlp_type": "gated"}, "mlp_type = 'gated' is unknown; known: default."),
        ({"lateral_heads": 4}, "lateral_heads = 4 is unknown, and may change what a layer is."),
        ({"hidden_size": None}, "hidden_size or n_embd or d_model is missing; add it."),
        ({"num_hidden_layers": 10**9}, "num_hidden_layers must be a whole number from 1 to 10,000, not 1000000000."),
        ({"vocab_size": "many"}, "vocab_size must be a whole number from 1 to 10,000,000, not 'many'."),
        ({"num_key_value_heads": 5}, "num_key_value_heads = 5 does not divide num_attention_heads = 32."),
        ({"layer_types": ["full_attention"]}, "layer_types must list a value for each of the 32 layers, not 1 values."),
        ({"layer_types": ["conv"] * 32}, "layer_types has the unknown kinds conv; known: full_attention, "),
        ({"num_experts": 8, "num_experts_per_tok": 9, "moe_intermediate_size": 64}, "9 experts per token are more than"),
        ({"hybrid_override_pattern": "M" * 31 + "?"}, "hybrid_override_pattern has the unknown kinds ?; known: M, *, -, E."),
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
        ("[" * 10**5, "this JSON is nested too deeply"),
        (f'{{"hidden_size": {"9" * 5000}}}', "this JSON has a number with too many digits"),
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


# Files that public repositories hold, without the keys that name files and tokens, and the parameters of the released weights
PUBLISHED = {
    "gpt2": (124_439_808, {
        "activation_function": "gelu_new", "model_type": "gpt2", "n_ctx": 1024, "n_embd": 768, "n_head": 12, "n_layer": 12, "n_positions": 1024,
        "summary_activation": None, "summary_first_dropout": 0.1, "summary_proj_to_labels": True, "summary_type": "cls_index", "summary_use_proj": True,
        "vocab_size": 50257}),
    "Phi-4-mini-instruct": (3_836_021_760, {
        "attention_bias": False, "full_attn_mod": 1, "hidden_size": 3072, "intermediate_size": 8192, "interpolate_factor": 1, "lm_head_bias": False,
        "max_position_embeddings": 131072, "mlp_bias": False, "model_type": "phi3", "num_attention_heads": 24, "num_hidden_layers": 32,
        "num_key_value_heads": 8, "partial_rotary_factor": 0.75, "sliding_window": 262144, "tie_word_embeddings": True, "vocab_size": 200064}),
    "chatglm3-6b": (6_243_584_000, {
        "add_bias_linear": False, "add_qkv_bias": True, "apply_query_key_layer_scaling": True, "attention_softmax_in_fp32": True,
        "bias_dropout_fusion": True, "ffn_hidden_size": 13696, "hidden_size": 4096, "kv_channels": 128, "model_type": "chatglm",
        "multi_query_attention": True, "multi_query_group_num": 2, "num_attention_heads": 32, "num_layers": 28, "original_rope": True,
        "padded_vocab_size": 65024, "post_layer_norm": True, "rmsnorm": True, "seq_length": 8192}),
    "stablelm-2-1_6b": (1_644_515_328, {
        "hidden_size": 2048, "intermediate_size": 5632, "model_type": "stablelm", "num_attention_heads": 32, "num_hidden_layers": 24,
        "num_key_value_heads": 32, "partial_rotary_factor": 0.25, "use_qkv_bias": True, "vocab_size": 100352}),
    "GLM-4-9B-0414": (9_400_279_040, {
        "attention_bias": True, "head_dim": 128, "hidden_size": 4096, "intermediate_size": 13696, "max_position_embeddings": 32768, "model_type": "glm4",
        "num_attention_heads": 32, "num_hidden_layers": 40, "num_key_value_heads": 2, "partial_rotary_factor": 0.5, "vocab_size": 151552}),
    "pythia-1b": (1_011_781_632, {
        "hidden_act": "gelu", "hidden_size": 2048, "intermediate_size": 8192, "max_position_embeddings": 2048, "model_type": "gpt_neox",
        "num_attention_heads": 8, "num_hidden_layers": 16, "rotary_emb_base": 10000, "rotary_pct": 0.25, "tie_word_embeddings": False,
        "use_parallel_residual": True, "vocab_size": 50304}),
}  # fmt: skip


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_published_file_has_the_parameters_of_its_weights(name: str) -> None:
    parameters, keys = PUBLISHED[name]
    assert read_configuration(json.dumps(keys), name=name).model.parameters == parameters
