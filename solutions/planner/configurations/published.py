"""Published models by name; published.yaml has the keys of their configurations."""

from __future__ import annotations

from functools import cache
from typing import Any

from ...facts.tables import table
from ...shapes import models
from ..decoder import Model
from .reading import read_keys

# what an entry has besides the keys of the configuration
FACTS = (
    "exact", "copies", "counted", "printed", "cut", "other", "active", "active_tables", "source",
)  # fmt: skip
PATTERNS = ("layer_types", "attn_type_list")  # lists of layers, which repeat if they are shorter than the model


def published_names() -> tuple[str, ...]:
    """Return the names of the models in published.yaml.

    >>> "Qwen3-Next-80B-A3B" in published_names()
    True
    """
    return tuple(_published())


def printed_facts(name: str) -> dict[str, Any]:
    """Return what the maker of a model prints, and where. Raises ValueError for a name that is not in published.yaml.

    >>> printed_facts("Qwen3-8B")["printed"]
    '8.2'
    """
    return {key: value for key, value in _entry(name).items() if key in FACTS}


@cache
def published_model(name: str) -> Model:
    """Return a model of published.yaml. Raises ValueError for a name that is not there.

    >>> published_model("GPT-OSS-20B").parameters
    20914757184
    """
    keys = {key: value for key, value in _entry(name).items() if key not in FACTS}
    for pattern in PATTERNS:
        if pattern in keys:
            cycle = keys[pattern]
            keys[pattern] = [cycle[layer % len(cycle)] for layer in range(keys["num_hidden_layers"])]
    return read_keys(keys, name=name).model


def named_model(name: str) -> Model:
    """Return a model of published.yaml, whose layers can differ, or else of shapes/models.yaml.

    Raises:  ValueError for a name that is in neither.

    >>> named_model("Llama-3-8B").layers, named_model("DeepSeek-V3").experts
    (32, 256)
    """
    if name in _published():
        return published_model(name)
    shape: dict[str, Any] = models.shape(model=name)
    return Model(name=name, tied=bool(shape.pop("tied")), biases=bool(shape.pop("biases")), **shape)


def _entry(name: str) -> dict[str, Any]:
    if name not in _published():
        raise ValueError(f"unknown model {name!r}; published.yaml has {', '.join(published_names())}")
    entry: dict[str, Any] = _published()[name]
    return entry


def _published() -> dict[str, Any]:
    return table("planner/configurations/published.yaml")
