"""Peak memory per GPU under DualPipe, from the placement of both stages and the order of operations."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from ..pipeline import dualpipe


@lru_cache(maxsize=256)
def _holders(stages: int, dp: int, ep: int) -> tuple[int, int]:
    """Return how many GPUs hold the dense weights of stage 0, and how many hold its first experts."""
    dense = experts = 0
    for replica in range(dp):
        for gpu in range(stages):
            if 0 in (gpu, stages - 1 - gpu):
                dense += 1
                experts += replica % ep == 0
    return dense, experts


def stage_weights(
    *, parameters: float, routed_parameters: float, stages: int, dp: int, ep: int
) -> list[tuple[Fraction, int]]:
    """Return the weights of both stages on GPU 0, each with the number of GPUs that hold a copy."""
    dense, experts = _holders(stages, dp, ep)
    outside = Fraction(parameters) - Fraction(routed_parameters)
    return [(outside / stages, dense), (Fraction(routed_parameters) / ep / stages, experts)] * 2


def dualpipe_state_bytes(*, parameters: float, routed_parameters: float, stages: int, dp: int, ep: int) -> float:
    """Add up the tensors of both stages on GPU 0, sharding optimizer states over the GPUs with the same weights."""
    run = {"parameters": parameters, "routed_parameters": routed_parameters}
    held = Fraction(0)
    for weights, holders in stage_weights(**run, stages=stages, dp=dp, ep=ep):
        for width, owners in ((2, 1), (4, 1), (4, holders), (2, holders), (2, holders)):
            held += weights * width / owners
    return float(held)


def kept_layer_bytes(
    *, tokens: int, other_bytes: float, hidden: int, expert_ffn_hidden: int, experts_per_token: int, shared_experts: int
) -> float:
    """Pass one token through its experts, and add up the tensors that are kept."""
    kept = Fraction(other_bytes)
    for _ in range(experts_per_token + shared_experts):
        kept += sum((hidden, expert_ffn_hidden, expert_ffn_hidden))  # the input, the gate, the up projection
    return float(kept * tokens)


def dualpipe_peak_bytes(*, state_bytes: float, layer_bytes: float, layers: int, stages: int) -> float:
    """Count how many micro-batches the most loaded GPU holds at any point of the schedule."""
    in_flight = max(dualpipe.most_held(line) for line in dualpipe.orders(stages, 4 * stages))
    return float(Fraction(state_bytes) + Fraction(layer_bytes) * Fraction(layers, stages) * in_flight)
