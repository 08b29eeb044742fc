"""The shapes of published models: complete, and true to the number of parameters in the model's name."""

from __future__ import annotations

from pathlib import Path

import pytest
from ruamel.yaml import YAML

from solutions import models

MODELS = YAML(typ="safe").load(Path(models.__file__).with_name("models.yaml").read_text("utf-8"))
FIGURES = {
    "layers", "hidden", "ffn_hidden", "heads", "kv_heads", "vocabulary", "context", "mlp", "tied", "learned_positions",
    "biases", "parameters", "source",
}  # fmt: skip


@pytest.mark.parametrize("model", MODELS)
def test_every_model_has_all_figures_and_a_source(model: str) -> None:
    assert set(MODELS[model]) == FIGURES
    assert MODELS[model]["mlp"] in ("gelu", "relu", "swiglu")
    assert len(MODELS[model]["source"]) > 20


@pytest.mark.parametrize("model", MODELS)
def test_the_parameters_counted_from_a_shape_are_those_that_the_source_prints(model: str) -> None:
    printed = MODELS[model]["parameters"] * 1e9
    within = 0.04 if model == "Mistral-7B" else 0.03  # 7.24 is called 7, and 1.56 (with positions) 1.5
    assert models.parameters(model=model) == pytest.approx(printed, rel=max(within, 0.045 if printed < 2e9 else 0))


def walked(model: str) -> int:
    """Every tensor of a model by its shape, one after the other, as a state dict lists them."""
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


@pytest.mark.parametrize("model", MODELS)
def test_parameters_are_those_of_all_tensors_one_by_one(model: str) -> None:
    assert models.parameters(model=model) == walked(model)


def test_an_unknown_model_is_said_with_those_there_are() -> None:
    with pytest.raises(ValueError, match="Llama-3-8B"):
        models.hidden(model="Llama-9")


def test_heads_that_do_not_divide_are_refused() -> None:
    with pytest.raises(ValueError, match="must divide"):
        models.decoder_parameters(layers=1, hidden=10, ffn_hidden=4, heads=3, kv_heads=1, vocabulary=7)
