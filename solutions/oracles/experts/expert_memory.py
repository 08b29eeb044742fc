"""States and gradients of a mixture of experts, played: who owns which tensor, and who sends what around which ring."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import gcd

HELD = {"weights": 2, "gradients": 2, "optimizer": 12}  # bytes of a parameter
SHARDED = {0: set(), 1: {"optimizer"}, 2: {"optimizer", "gradients"}, 3: set(HELD)}


@lru_cache(maxsize=1024)
def expert_replicas(*, dp: int, ep: int) -> int:
    """Number the data-parallel ranks through, give each the expert shard of its number modulo ep, and count who has shard 0."""
    return sum(rank % ep == 0 for rank in range(dp))


@lru_cache(maxsize=1024)
def _ranks_beside(dp: int, ep: int) -> tuple[int, int]:
    """How many ranks share the dense part with rank 0, and how many its experts."""
    return sum(1 for _ in range(dp)), expert_replicas(dp=dp, ep=ep)


def mixture_state_bytes(
    *, dense_parameters: float, routed_parameters: float, dp: int, ep: int, stage: int = 1
) -> float:
    """List what rank 0 holds: of each part, each of its three tensors, whole or as one of equal shards."""
    dense_owners, expert_owners = _ranks_beside(dp, ep)
    parts = [(Fraction(dense_parameters), dense_owners), (Fraction(routed_parameters) / ep, expert_owners)]
    held = Fraction(0)
    for parameters, owners in parts:
        for tensor, width in HELD.items():
            whole = parameters * width
            held += whole / owners if tensor in SHARDED[stage] else whole
    return float(held)


def smallest_ep(
    *, dense_parameters: float, routed_parameters: float, experts: int, dp: int, room_bytes: float, stage: int = 1
) -> int:
    """Begin with every expert on a rank of its own, and put more on each as long as it fits."""
    common = gcd(dp, experts)
    best = 0
    for ep in range(common, 0, -1):
        if common % ep == 0 and room_bytes >= mixture_state_bytes(
            dense_parameters=dense_parameters, routed_parameters=routed_parameters, dp=dp, ep=ep, stage=stage
        ):
            best = ep
    return best


def gradient_bytes_sent(
    *, dense_parameters: float, routed_parameters: float, dp: int, ep: int, bytes_per_gradient: float = 2
) -> float:
    """Pass chunks around two rings, hop by hop: one of all ranks, and one of the ranks with the same experts."""
    sent = Fraction(0)
    parts = [Fraction(dense_parameters), Fraction(routed_parameters) / ep]
    for parameters, ring in zip(parts, _ranks_beside(dp, ep), strict=True):
        chunk = parameters * Fraction(bytes_per_gradient) / ring
        for _ in ("reduce-scatter", "all-gather"):
            sent += sum((chunk for _ in range(ring - 1)), Fraction(0))
    return float(sent)
