"""Who stores what: the tensors of each recipe as arrays of a width, added up one by one."""

from __future__ import annotations

from collections.abc import Iterator

WIDTHS = {"FP32": 4, "BF16": 2, "FP16": 2, "FP8": 1, "INT8": 1}  # bytes per element
TENSORS = {
    "FP32": {"weights": "FP32", "gradients": "FP32", "mean": "FP32", "mean square": "FP32"},
    "mixed precision": {"weights": "BF16", "gradients": "BF16", "master": "FP32", "mean": "FP32", "mean square": "FP32"},
    "mixed precision, FP32 gradients": {
        "weights": "BF16", "gradients": "FP32", "master": "FP32", "mean": "FP32", "mean square": "FP32",
    },
    "pure BF16": {"weights": "BF16", "gradients": "BF16", "mean": "BF16", "mean square": "BF16"},
    "8-bit Adam": {"weights": "BF16", "gradients": "BF16", "master": "FP32", "mean": "INT8", "mean square": "INT8"},
    "DeepSeek-V3": {"weights": "FP8", "gradients": "FP32", "master": "FP32", "mean": "BF16", "mean square": "BF16"},
    "FP8-LM": {"weights": "FP8", "gradients": "FP8", "master": "FP16", "mean": "FP8", "mean square": "FP16"},
}  # fmt: skip


def held(recipe: str, *, with_gradients: bool, with_weights: bool = True) -> Iterator[int]:
    """The width of every tensor that is held."""
    if recipe not in TENSORS:
        raise ValueError("no such recipe")
    for tensor, kind in TENSORS[recipe].items():
        if (with_gradients or tensor != "gradients") and (with_weights or tensor != "weights"):
            yield WIDTHS[kind]


def state_bytes_per_parameter(*, recipe: str, with_gradients: bool = True, with_weights: bool = True) -> float:
    """The row of the table, summed up."""
    return sum(held(recipe, with_gradients=with_gradients, with_weights=with_weights))


def state_bytes(*, parameters: float, recipe: str, with_gradients: bool = True) -> float:
    """Each tensor with an element for every parameter."""
    return float(sum(width * parameters for width in held(recipe, with_gradients=with_gradients)))


def kept_activation_bytes(
    *, layers: int, tensors: int, sequences: int, sequence_length: int, hidden: int, bytes_per_element: float
) -> float:
    """Layer by layer, tensor by tensor, sequence by sequence."""
    total = 0.0
    for _layer in range(layers):
        for _tensor in range(tensors):
            for _sequence in range(sequences):
                total += sequence_length * hidden * bytes_per_element
    return total


def fp8_weight_bytes(*, parameters: float, keeps_bf16: bool, second_copy: bool) -> float:
    """The copies, one by one."""
    copies = ["FP8"]
    if second_copy:
        copies.append("FP8")
    if keeps_bf16:
        copies.append("BF16")
    return float(sum(WIDTHS[copy] * parameters for copy in copies))


def least_change_that_fits(*, parameters: float, gpus: int, room_bytes: float) -> str:
    """Of the recipes that fit, the one that keeps the most bytes."""
    offers = {"mixed precision": "mixed precision", "8-bit Adam": "8-bit moments", "pure BF16": "stochastic rounding"}
    fitting = {
        sum(held(recipe, with_gradients=True)): called
        for recipe, called in offers.items()
        if state_bytes(parameters=parameters, recipe=recipe) <= room_bytes * gpus
    }
    return fitting[max(fitting)] if fitting else "nothing fits"
