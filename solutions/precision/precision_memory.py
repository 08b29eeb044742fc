"""What recipes of mixed precision keep of a model: bytes per parameter, activations, and the copies that FP8 needs."""

from __future__ import annotations

from typing import NamedTuple

from ..facts.arguments import require_counts, require_positive


class Recipe(NamedTuple):
    """Bytes per parameter of each tensor; 0 where a recipe has no such tensor."""

    weight: float
    gradient: float
    master: float
    first_moment: float
    second_moment: float


RECIPES = {
    "FP32": Recipe(4, 4, 0, 4, 4),  # Rajbhandari et al. 2020, arXiv:1910.02054, section 3.1, without its 16-bit copies
    "mixed precision": Recipe(2, 2, 4, 4, 4),  # the same section: K = 12
    "mixed precision, FP32 gradients": Recipe(2, 4, 4, 4, 4),  # Llama Team 2024, arXiv:2407.21783, section 3.3.2
    "pure BF16": Recipe(2, 2, 0, 2, 2),  # Zamirai et al. 2020, arXiv:2010.06192
    "8-bit Adam": Recipe(2, 2, 4, 1, 1),  # Dettmers et al. 2022, arXiv:2110.02861, without the scales of its blocks
    "DeepSeek-V3": Recipe(1, 4, 4, 2, 2),  # DeepSeek-AI 2024, arXiv:2412.19437, section 3.3.3
    "FP8-LM": Recipe(1, 1, 2, 1, 2),  # Peng et al. 2023, arXiv:2310.18313, section 2.2
}


def _recipe(name: str) -> Recipe:
    if name not in RECIPES:
        raise ValueError(f"unknown recipe {name!r}; known: {', '.join(RECIPES)}")
    return RECIPES[name]


def state_bytes_per_parameter(*, recipe: str, with_gradients: bool = True, with_weights: bool = True) -> float:
    """Model states of a recipe: weights and gradients if they are counted, master copy and both moments.

    Units:   bytes per parameter.
    Raises:  ValueError for an unknown recipe.
    Source:  named next to each of RECIPES.

    >>> [state_bytes_per_parameter(recipe=name) for name in ("FP32", "mixed precision")]            # no saving
    [16, 16]
    >>> [state_bytes_per_parameter(recipe=name, with_gradients=False) for name in ("FP32", "mixed precision")]
    [12, 14]
    """
    kept = _recipe(recipe)
    uncounted = (0 if with_gradients else kept.gradient) + (0 if with_weights else kept.weight)
    return sum(kept) - uncounted


def state_bytes(*, parameters: float, recipe: str, with_gradients: bool = True) -> float:
    """Model states of a recipe for a whole model.

    Units:   parameters is a count; result in bytes.
    Raises:  ValueError if parameters is not positive, or for an unknown recipe.
    Source:  named next to each of RECIPES.

    >>> state_bytes(parameters=13e9, recipe="mixed precision", with_gradients=False) / 1e9
    182.0
    """
    require_positive(parameters=parameters)
    return parameters * state_bytes_per_parameter(recipe=recipe, with_gradients=with_gradients)


def kept_activation_bytes(
    *, layers: int, tensors: int, sequences: int, sequence_length: int, hidden: int, bytes_per_element: float
) -> float:
    """Activations of some tensors a layer, all as wide as the model.

        bytes = layers · tensors · b · s · d · bytes_per_element

    Tensors and bytes are two factors, and "2·b·s·d" does not say which of them its 2 is.

    Shapes:  (b, s, d) each
    Units:   bytes per element; all others are counts. Result in bytes.
    Raises:  ValueError if a count is below 1, or the width not positive.
    Source:  arithmetic; the tensors of a real layer: Korthikanti et al. 2022, arXiv:2205.05198, section 4.1.

    >>> size = {"layers": 80, "tensors": 2, "sequences": 4, "sequence_length": 4096, "hidden": 8192}
    >>> round((kept_activation_bytes(**size, bytes_per_element=2) - kept_activation_bytes(**size, bytes_per_element=1)) / 1e9, 2)
    21.47
    """
    require_counts(layers=layers, tensors=tensors, sequences=sequences, sequence_length=sequence_length, hidden=hidden)
    require_positive(bytes_per_element=bytes_per_element)
    elements = layers * tensors * sequences * sequence_length * hidden
    return elements * bytes_per_element


def fp8_weight_bytes(*, parameters: float, keeps_bf16: bool, second_copy: bool) -> float:
    """Return the bytes of the weights of FP8 layers on a GPU: the FP8 ones, a second FP8 copy, and the BF16 ones they are cast from.

        bytes = (1 + [second copy] + 2·[BF16]) · P

    Hopper multiplies FP8 matrices in one layout only, so the backward pass reads a transposed copy. Blackwell needs none
    with one scale for each tensor. In MXFP8 the blocks of the backward pass lie along the other dimension, and it needs one.

    Units:   parameters is a count; result in bytes.
    Raises:  ValueError if parameters is not positive.
    Source:  Transformer Engine documentation, "Performance considerations", section "Handling transposes", and "MXFP8".

    >>> [fp8_weight_bytes(parameters=8e9, keeps_bf16=kept, second_copy=True) / 1e9 for kept in (False, True)]
    [16.0, 32.0]
    """
    require_positive(parameters=parameters)
    return parameters * (1 + (1 if second_copy else 0) + (2 if keeps_bf16 else 0))


ON_OFFER = (
    ("mixed precision", "mixed precision"),
    ("8-bit Adam", "8-bit moments"),
    ("pure BF16", "stochastic rounding"),
)


def least_change_that_fits(*, parameters: float, gpus: int, room_bytes: float) -> str:
    """The first recipe whose states fit when all of them are sharded: the usual one, 8-bit moments, or BF16 without a master copy.

        16P/N,  10P/N,  8P/N

    Without a master copy the weights must be rounded stochastically, since small updates vanish when rounded to nearest.

    Units:   parameters and gpus are counts; room in bytes.
    Raises:  ValueError if parameters or room is not positive, or gpus below 1.
    Source:  Dettmers et al. 2022, arXiv:2110.02861; Zamirai et al. 2020, arXiv:2010.06192.

    >>> [least_change_that_fits(parameters=8e9, gpus=2, room_bytes=room) for room in (70e9, 50e9, 35e9, 20e9)]
    ['mixed precision', '8-bit moments', 'stochastic rounding', 'nothing fits']
    """
    require_positive(parameters=parameters, room_bytes=room_bytes)
    require_counts(gpus=gpus)
    for recipe, called in ON_OFFER:
        if state_bytes(parameters=parameters, recipe=recipe) / gpus <= room_bytes:
            return called
    return "nothing fits"
