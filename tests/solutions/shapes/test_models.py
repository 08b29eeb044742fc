"""The shapes of published models: complete, and true to the number of parameters in the model's name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from solutions.facts.tables import table
from solutions.shapes import models, moe

MODELS = table("shapes/models.yaml")
MIXTURES = [name for name in MODELS if "experts" in MODELS[name]]
DENSE = [name for name in MODELS if name not in MIXTURES]
FIGURES = {
    "layers", "hidden", "ffn_hidden", "heads", "kv_heads", "vocabulary", "context", "mlp", "tied", "learned_positions",
    "biases", "parameters", "source",
}  # fmt: skip
EXPERTS = {"experts", "experts_per_token", "expert_ffn_hidden", "shared_experts", "dense_layers", "head_dim"}
LATENT = {"query_rank", "kv_rank", "rope_head_dim"}
# What the released checkpoints hold, to the last parameter, as the index of their files says.
RELEASED = {
    "Mixtral-8x7B": 46_702_792_704,
    "DeepSeek-V2": 235_741_434_880,
    "DeepSeek-V3": 671_026_419_200,
    "Qwen3-30B-A3B": 30_532_122_624,
    "Qwen3-235B-A22B": 235_093_634_560,
    "GPT-OSS-20B": 20_914_757_184,
    "GPT-OSS-120B": 116_829_156_672,
}


@pytest.mark.parametrize("model", MODELS)
def test_every_model_has_all_figures_and_a_source(model: str) -> None:
    shape = set(MODELS[model])
    needed = set(FIGURES)
    if model in MIXTURES:
        needed |= EXPERTS
        needed -= set() if MODELS[model]["dense_layers"] else {"ffn_hidden"}
        needed |= LATENT if shape & LATENT else set()
        shape -= {"active", "qk_norm", "sinks", "router_bias", "node_limit"}
    assert shape == needed
    assert MODELS[model]["mlp"] in ("gelu", "relu", "swiglu")
    assert len(MODELS[model]["source"]) > 20


@pytest.mark.parametrize("model", MODELS)
def test_the_parameters_counted_from_a_shape_are_those_that_the_source_prints(model: str) -> None:
    printed = MODELS[model]["parameters"] * 1e9
    within = 0.04 if model == "Mistral-7B" else 0.03  # 7.24 is called 7, and 1.56 (with positions) 1.5
    assert models.parameters(model=model) == pytest.approx(printed, rel=max(within, 0.045 if printed < 2e9 else 0))


@pytest.mark.parametrize("model", RELEASED)
def test_the_count_is_that_of_the_released_checkpoint_to_the_last_parameter(model: str) -> None:
    assert models.parameters(model=model) == RELEASED[model]


@pytest.mark.parametrize("model", [name for name in MIXTURES if "active" in MODELS[name]])
def test_the_active_parameters_are_those_that_the_source_prints(model: str) -> None:
    embedding = not model.startswith("GPT-OSS")  # whose model card leaves the embedding out
    counted = models.active_parameters(model=model, vocabulary_matrices=2 if embedding else 1)
    assert counted == pytest.approx(MODELS[model]["active"] * 1e9, rel=0.02 if embedding else 0.002)


def walked(model: str) -> int:
    """Every tensor of a dense model by its shape, one after the other, as a state dict lists them."""
    shape = MODELS[model]
    d, f, head = shape["hidden"], shape["ffn_hidden"], shape["hidden"] // shape["heads"]
    kv = head * shape["kv_heads"]
    linear = [(d, head * shape["heads"]), (d, kv), (d, kv), (head * shape["heads"], d)]
    linear += [(d, f), (d, f), (f, d)] if shape["mlp"] == "swiglu" else [(d, f), (f, d)]
    total = shape["vocabulary"] * d * (1 if shape["tied"] else 2) + (
        shape["context"] * d if shape["learned_positions"] else 0
    )
    for _ in range(shape["layers"]):
        total += sum(rows * columns + (columns if shape["biases"] else 0) for rows, columns in linear)
    norms = 2 * shape["layers"] + 1
    return int(total + norms * d * (2 if shape["biases"] else 1))


@pytest.mark.parametrize("model", DENSE)
def test_parameters_are_those_of_all_tensors_one_by_one(model: str) -> None:
    assert models.parameters(model=model) == walked(model)


@pytest.mark.parametrize("model", DENSE)
def test_the_attention_of_a_dense_model_is_part_of_its_layers(model: str) -> None:
    d, kv = models.hidden(model=model), models.kv_heads(model=model) * models.head_dim(model=model)
    matrices = 2 * d * d + 2 * d * kv
    assert models.attention_parameters(model=model) - matrices in (0, 2 * d + 2 * kv)


@pytest.mark.parametrize(
    ("name", "value"),
    {
        "experts": 160, "experts_per_token": 6, "expert_ffn_hidden": 1536, "shared_experts": 2, "dense_layers": 1,
        "ffn_hidden": 12288, "head_dim": 128, "heads": 128, "layers": 60, "hidden": 5120, "vocabulary": 102400,
    }.items(),
)  # fmt: skip
def test_a_figure_is_that_of_the_model_that_is_named(name: str, value: int) -> None:
    assert getattr(models, name)(model="DeepSeek-V2") == value


def test_a_dense_model_has_no_experts_and_a_mixture_of_experts_alone_no_dense_mlp() -> None:
    assert models.has_experts(model="Grok-1")
    assert not models.has_experts(model="Llama-3-8B")
    with pytest.raises(ValueError, match="Llama-3-8B has no experts"):
        models.experts(model="Llama-3-8B")
    with pytest.raises(ValueError, match="Mixtral-8x7B has no dense MLP"):
        models.ffn_hidden(model="Mixtral-8x7B")


def test_heads_that_do_not_divide_are_refused() -> None:
    with pytest.raises(ValueError, match="must divide"):
        models.decoder_parameters(layers=1, hidden=10, ffn_hidden=4, heads=3, kv_heads=1, vocabulary=7)


SMALL: dict[str, Any] = {
    "layers": 4, "hidden": 8, "attention_parameters": 10, "experts": 6, "expert_ffn_hidden": 5, "vocabulary": 11,
}  # fmt: skip


def test_a_token_of_all_experts_uses_all_parameters() -> None:
    shape: dict[str, Any] = {**SMALL, "dense_layers": 1, "ffn_hidden": 9, "shared_experts": 2}
    assert moe.active_parameters(**shape, experts_per_token=6) == moe.total_parameters(**shape)
    tied = moe.active_parameters(**shape, experts_per_token=6, vocabulary_matrices=1)
    assert tied == moe.total_parameters(**shape, tied=True)


@pytest.mark.parametrize(
    "figure",
    [
        models.experts_per_token, models.expert_ffn_hidden, models.shared_experts, models.dense_layers,
        models.mixture_shape,
    ],
    ids=lambda figure: figure.__name__,
)  # fmt: skip
def test_a_dense_model_is_said_to_have_no_experts(figure: Callable[..., object]) -> None:
    with pytest.raises(ValueError, match=r"^Llama-3-8B has no experts$"):
        figure(model="Llama-3-8B")


def test_what_a_shape_lacks_is_zero() -> None:
    for name, known in MODELS.items():
        shape = models.shape(model=name)
        assert shape["rope_head_width"] == known.get("rope_head_dim", 0)
        assert isinstance(shape["head_width"], int), name
        if name in MIXTURES:
            assert models.mixture_shape(model=name)["ffn_hidden"] == known.get("ffn_hidden", 0)
