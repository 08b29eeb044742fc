"""Memory of a GPU under DualPipe: both of its stages are placed, and the schedule shows what is held at a time."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from ..pipeline import dualpipe


@lru_cache(maxsize=256)
def _holders(stages: int, dp: int, ep: int) -> tuple[int, int]:
    """Place both stages of every GPU, and count the GPUs with the dense part of stage 0, and those with its first experts."""
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
    """List the weights of both stages on GPU 0: how many they are, and how many GPUs hold the same ones."""
    dense, experts = _holders(stages, dp, ep)
    outside = Fraction(parameters) - Fraction(routed_parameters)
    return [(outside / stages, dense), (Fraction(routed_parameters) / ep / stages, experts)] * 2


def dualpipe_state_bytes(*, parameters: float, routed_parameters: float, stages: int, dp: int, ep: int) -> float:
    """List the tensors of both stages on GPU 0, whole or as one of equal shards among those that hold the same weights."""
    run = {"parameters": parameters, "routed_parameters": routed_parameters}
    held = Fraction(0)
    for weights, holders in stage_weights(**run, stages=stages, dp=dp, ep=ep):
        for width, owners in ((2, 1), (4, 1), (4, holders), (2, holders), (2, holders)):
            held += weights * width / owners
    return float(held)


def kept_layer_bytes(
    *, tokens: int, other_bytes: float, hidden: int, expert_ffn_hidden: int, experts_per_token: int, shared_experts: int
) -> float:
    """Send one token through its experts, and note each tensor that stays."""
    kept = Fraction(other_bytes)
    for _ in range(experts_per_token + shared_experts):
        kept += sum((hidden, expert_ffn_hidden, expert_ffn_hidden))  # the input, the gate, the up projection
    return float(kept * tokens)


def dualpipe_peak_bytes(*, state_bytes: float, layer_bytes: float, layers: int, stages: int) -> float:
    """Run the schedule, and see how many micro-batches of a stage the most loaded GPU holds at a time."""
    in_flight = max(dualpipe.most_held(line) for line in dualpipe.orders(stages, 4 * stages))
    return float(Fraction(state_bytes) + Fraction(layer_bytes) * Fraction(layers, stages) * in_flight)
