"""Published models by name, as cards.yaml has the keys of their configurations."""

from __future__ import annotations

from functools import cache
from typing import Any

from ...facts.tables import table
from ...shapes import models
from ..decoder import Model
from .reading import configured

FACTS = (
    "exact",
    "copies",
    "counted",
    "printed",
    "cut",
    "other",
    "active",
    "active_tables",
    "source",
)  # what a card has besides the keys of the configuration


def card_names() -> tuple[str, ...]:
    """The models of cards.yaml.

    >>> "Qwen3-Next-80B-A3B" in card_names()
    True
    """
    return tuple(_cards())


def card(name: str) -> dict[str, Any]:
    """What the maker of a model prints, and where. Raises ValueError for a name that cards.yaml lacks.

    >>> card("Qwen3-8B")["printed"]
    '8.2'
    """
    if name not in _cards():
        raise ValueError(f"cards.yaml lacks {name!r}; it has {', '.join(card_names())}")
    return {key: value for key, value in _cards()[name].items() if key in FACTS}


@cache
def carded_model(name: str) -> Model:
    """A model of cards.yaml. A list of layers that is shorter than the model repeats.

    >>> carded_model("GPT-OSS-20B").parameters
    20914757184
    """
    card(name)
    keys = {key: value for key, value in _cards()[name].items() if key not in FACTS}
    for pattern in ("layer_types", "attn_type_list"):
        if pattern in keys:
            cycle, layers = keys[pattern], keys["num_hidden_layers"]
            keys[pattern] = [cycle[layer % len(cycle)] for layer in range(layers)]
    return configured(keys, name=name).model


def named_model(name: str) -> Model:
    """A model of cards.yaml or of shapes/models.yaml by name. Cards know layers of different kinds, and come first.

    Raises:  ValueError for a name that both lack.

    >>> named_model("Llama-3-8B").layers, named_model("DeepSeek-V3").experts
    (32, 256)
    """
    if name in _cards():
        return carded_model(name)
    shape: dict[str, Any] = models.shape(model=name)
    return Model(name=name, tied=bool(shape.pop("tied")), biases=bool(shape.pop("biases")), **shape)


def _cards() -> dict[str, Any]:
    return table("planner/configurations/cards.yaml")
