"""The parameters of a mixture of experts, counted from a list of its tensors, as a checkpoint lists them."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from math import prod

from ...shapes import models
from ..search import smallest

Tensor = tuple[str, tuple[int, ...]]


def tensors(
    *, layers: int, hidden: int, attention_parameters: int, experts: int, expert_ffn_hidden: int, vocabulary: int,
    shared_experts: int = 0, dense_layers: int = 0, ffn_hidden: int = 0, mlp_matrices: int = 3,
    biases: bool = False, router_bias: bool = False, vocabulary_matrices: int = 2,
) -> Iterator[Tensor]:  # fmt: skip
    """Name and shape of each tensor, layer by layer; the dense layers come first."""

    def mlp(name: str, inner: int) -> Iterator[Tensor]:
        for matrix in ["gate", "up", "down"][-mlp_matrices:]:
            yield f"{name}.{matrix}", (hidden, inner)
            if biases:
                yield f"{name}.{matrix}.bias", (hidden if matrix == "down" else inner,)

    for matrix in ["embedding", "output"][:vocabulary_matrices]:
        yield matrix, (vocabulary, hidden)
    for layer in range(layers):
        yield f"{layer}.attention", (attention_parameters,)
        yield f"{layer}.first norm", (hidden,)
        yield f"{layer}.second norm", (hidden,)
        if layer < dense_layers:
            yield from mlp(f"{layer}.mlp", ffn_hidden)
            continue
        yield f"{layer}.router", (experts, hidden)
        if router_bias:
            yield f"{layer}.router.bias", (experts,)
        for shared in range(shared_experts):
            yield from mlp(f"{layer}.shared.{shared}", expert_ffn_hidden)
        for expert in range(experts):
            yield from mlp(f"{layer}.routed.{expert}", expert_ffn_hidden)
    yield "last norm", (hidden,)


def total_parameters(
    *, layers: int, hidden: int, attention_parameters: int, experts: int, expert_ffn_hidden: int, vocabulary: int,
    shared_experts: int = 0, dense_layers: int = 0, ffn_hidden: int = 0, mlp_matrices: int = 3,
    biases: bool = False, router_bias: bool = False, tied: bool = False,
) -> int:  # fmt: skip
    """Add up all tensors."""
    found = tensors(
        layers=layers, hidden=hidden, attention_parameters=attention_parameters, experts=experts,
        expert_ffn_hidden=expert_ffn_hidden, vocabulary=vocabulary, shared_experts=shared_experts, dense_layers=dense_layers,
        ffn_hidden=ffn_hidden, mlp_matrices=mlp_matrices, biases=biases, router_bias=router_bias,
        vocabulary_matrices=1 if tied else 2,
    )  # fmt: skip
    return sum(prod(size) for _, size in found)


def active_parameters(
    *, layers: int, hidden: int, attention_parameters: int, experts: int, experts_per_token: int, expert_ffn_hidden: int, vocabulary: int,
    shared_experts: int = 0, dense_layers: int = 0, ffn_hidden: int = 0, mlp_matrices: int = 3,
    biases: bool = False, router_bias: bool = False, vocabulary_matrices: int = 2,
) -> int:  # fmt: skip
    """Add up the tensors that a token meets, which chose the last experts of each layer."""
    found = tensors(
        layers=layers, hidden=hidden, attention_parameters=attention_parameters, experts=experts,
        expert_ffn_hidden=expert_ffn_hidden, vocabulary=vocabulary, shared_experts=shared_experts, dense_layers=dense_layers,
        ffn_hidden=ffn_hidden, mlp_matrices=mlp_matrices, biases=biases, router_bias=router_bias,
        vocabulary_matrices=vocabulary_matrices,
    )  # fmt: skip
    met = 0
    for name, size in found:
        _, part, *rest = [*name.split("."), "", ""]
        if part != "routed" or int(rest[0]) >= experts - experts_per_token:
            met += prod(size)
    return met


def routed_parameters(
    *, layers: int, hidden: int, experts: int, expert_ffn_hidden: int, dense_layers: int = 0, mlp_matrices: int = 3
) -> int:
    """Add up the tensors that belong to a routed expert."""
    found = tensors(
        layers=layers, hidden=hidden, attention_parameters=1, experts=experts, expert_ffn_hidden=expert_ffn_hidden,
        vocabulary=1, dense_layers=dense_layers, ffn_hidden=1, mlp_matrices=mlp_matrices,
    )  # fmt: skip
    return sum(prod(size) for name, size in found if ".routed." in name)


@lru_cache
def model_active_parameters(*, model: str, vocabulary_matrices: int = 2) -> int:
    """Add up the tensors that a token meets in a published mixture."""
    shape = models.mixture_shape(model=model)
    routed = models.experts_per_token(model=model)
    return active_parameters(**shape, experts_per_token=routed, vocabulary_matrices=vocabulary_matrices)


def upcycled_parameters(*, parameters: float, layers: int, hidden: int, ffn_hidden: int, experts: int) -> float:
    """Take the MLP out of each layer, and put the experts there one by one."""
    left = parameters
    for _ in range(layers):
        left -= prod((3, hidden, ffn_hidden))
        for _ in range(experts):
            left += prod((hidden, ffn_hidden)) * 3
    return left


def most_experts(
    *, other_parameters: float, layers: int, hidden: int, expert_ffn_hidden: int, room_bytes: float,
    bytes_per_parameter: float = 16, mlp_matrices: int = 3,
) -> int:  # fmt: skip
    """Add experts, one in each layer at a time, until the memory does not hold them any more."""

    def too_many(experts: int) -> bool:
        held = Fraction(other_parameters)
        held += experts * sum(hidden * expert_ffn_hidden for _ in range(layers) for _ in range(mlp_matrices))
        return held * Fraction(bytes_per_parameter) > Fraction(room_bytes)

    return smallest(too_many, largest=10**9) - 1
