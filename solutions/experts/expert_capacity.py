"""How many tokens an expert has room for, and what a router that loads experts unevenly costs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import ceil

from ..facts.arguments import require_counts, require_fraction, require_index, require_not_negative, require_positive

EXACT = 1e-9  # a factor of 1.1 is no binary fraction: what is a whole number but for this is not rounded up


def expert_capacity(*, tokens: int, experts: int, experts_per_token: int, capacity_factor: float) -> int:
    """How many tokens each expert of a layer has room for.

        capacity = ⌈ factor · k·T / E ⌉

    k·T is the number of copies: each token goes to k experts. A factor of 1 is room for an even spread.

    Units:   tokens that are routed together; counts; a ratio. Result is a count of tokens.
    Raises:  ValueError if a count is below 1 or the factor not positive.
    Source:  Fedus et al. 2021 (Switch), arXiv:2101.03961, section 2.2, equation 3, for k = 1; Lepikhin et al. 2020
             (GShard), arXiv:2006.16668, section 2.2; with k: Megatron-LM, moe_utils.get_capacity.

    >>> expert_capacity(tokens=8192, experts=8, experts_per_token=2, capacity_factor=1.25)
    2560
    """
    require_counts(tokens=tokens, experts=experts, experts_per_token=experts_per_token)
    require_positive(capacity_factor=capacity_factor)
    return ceil(capacity_factor * experts_per_token * tokens / experts - EXACT)


def dropped_copies(*, loads: Sequence[int], capacity_factor: float) -> int:
    """How many copies find no room, when each expert keeps the first that come, up to its capacity.

        dropped = Σ max(0, load - ⌈ factor · Σ loads / E ⌉)

    A dropped copy is not computed: the residual connection carries the token past the expert.

    Units:   loads: how many copies are sent to each expert; the factor is a ratio. Result is a count of copies.
    Raises:  ValueError if there are no loads, one is negative, or the factor not positive.
    Source:  Fedus et al. 2021 (Switch), arXiv:2101.03961, section 2.2 and figure 3.

    >>> dropped_copies(loads=[900, 500, 400, 200], capacity_factor=1.25)    # room for 625
    275
    """
    _require_loads(loads)
    capacity = expert_capacity(
        tokens=sum(loads), experts=len(loads), experts_per_token=1, capacity_factor=capacity_factor
    )
    return sum(max(0, load - capacity) for load in loads)


def load_imbalance(*, loads: Sequence[float]) -> float:
    """How full the fullest is, over the mean; it is also the smallest capacity factor that drops nothing.

        imbalance = max(loads) / mean(loads)

    Units:   loads of experts, or of ranks, in any unit. Result is a ratio.
    Raises:  ValueError if there are no loads, one is negative, or all are 0.
    Source:  MaxVio + 1 of Wang et al. 2024, arXiv:2408.15664, section 4.1.

    >>> load_imbalance(loads=[900, 500, 400, 200])
    1.8
    """
    _require_loads(loads)
    return max(loads) * len(loads) / sum(loads)


def least_factor(*, loads: Sequence[int], factors: Sequence[float], largest_dropped_share: float) -> float:
    """The smallest of some capacity factors that drops no more than a share of the copies.

    Units:   loads as in dropped_copies; ratios. Result is one of the factors.
    Raises:  ValueError as dropped_copies, or if the share is not a fraction, or every factor drops too much.
    Source:  Fedus et al. 2021 (Switch), arXiv:2101.03961, section 2.2: a factor trades dropped tokens for room.

    >>> least_factor(loads=[900, 500, 400, 200], factors=[1.0, 1.25, 1.5, 2.0], largest_dropped_share=0.1)
    1.5
    """
    require_fraction(largest_dropped_share=largest_dropped_share)
    for factor in sorted(factors):
        if dropped_copies(loads=loads, capacity_factor=factor) <= largest_dropped_share * sum(loads):
            return factor
    raise ValueError(f"each of {list(factors)} drops more than {largest_dropped_share:.0%}")


def rank_loads(*, loads: Sequence[int], ep: int) -> list[int]:
    """How many copies each rank of an expert-parallel group receives, when neighbouring experts share a rank.

    Units:   loads of the experts, in their order; ep is a count. Result is one count for each rank.
    Raises:  ValueError if ep is below 1 or does not divide the number of experts, or as load_imbalance.
    Source:  counting; the placement is Megatron-LM's, whose ranks hold consecutive experts.

    >>> rank_loads(loads=[900, 500, 400, 200], ep=2)
    [1400, 600]
    """
    _require_loads(loads)
    require_counts(ep=ep)
    if len(loads) % ep:
        raise ValueError(f"{len(loads)} experts cannot be divided evenly among {ep} ranks")
    held = len(loads) // ep
    return [sum(loads[rank * held : (rank + 1) * held]) for rank in range(ep)]


def swapped_peak(*, loads: Sequence[int], ep: int, first: int, second: int) -> int:
    """The load of the most loaded rank after two experts have changed places.

    Units:   loads of the experts, counted from 0; ep is a count. Result is a count of copies.
    Raises:  ValueError as rank_loads, or if there is no such expert.
    Source:  counting; DeepSeek-AI 2024, arXiv:2412.19437, section 3.4.1, rearranges experts by observed loads.

    >>> swapped_peak(loads=[900, 500, 400, 200], ep=2, first=1, second=3)
    1100
    """
    _require_loads(loads)
    require_index(below=len(loads), first=first, second=second)
    moved = list(loads)
    moved[first], moved[second] = moved[second], moved[first]
    return max(rank_loads(loads=moved, ep=ep))


def best_swap(*, loads: Sequence[int], ep: int) -> str:
    """Which two experts should change places, so that the most loaded rank becomes as empty as one exchange can make it.

    Units:   loads of the experts, counted from 0; ep is a count. Result is the two numbers, as "1 and 3".
    Raises:  ValueError as rank_loads.
    Source:  counting, over all pairs.

    >>> best_swap(loads=[900, 500, 300, 400, 350, 150], ep=2)
    '1 and 5'
    """
    ranks, held = rank_loads(loads=loads, ep=ep), len(loads) // ep

    def peak(pair: tuple[int, int]) -> int:
        first, second = pair
        after = list(ranks)
        after[first // held] += loads[second] - loads[first]
        after[second // held] += loads[first] - loads[second]
        return max(after)

    first, second = min(combinations(range(len(loads)), 2), key=peak)
    return f"{first} and {second}"


def redundant_experts(*, loads: Sequence[int], limit: float) -> int:
    """Return how many extra copies of experts a layer needs until no copy gets more than a multiple of the mean load.

        copies = Σ ( ⌈ load / (limit · mean) ⌉ - 1 )    over the experts above the limit

    The copies of an expert share its tokens evenly.

    Units:   loads of the experts; the limit is a ratio. Result is a count of copies.
    Raises:  ValueError as load_imbalance, or if the limit is not positive.
    Source:  DeepSeek-AI 2024, arXiv:2412.19437, section 3.4.1 (redundant experts); counting.

    >>> redundant_experts(loads=[900, 500, 400, 200], limit=1.2)    # at most 600 for each copy
    1
    """
    _require_loads(loads)
    require_positive(limit=limit)
    most = limit * sum(loads) / len(loads)
    extra = 0
    for load in loads:
        copies = 1
        while load > copies * most * (1 + EXACT):
            copies += 1
        extra += copies - 1
    return extra


def _require_loads(loads: Sequence[float]) -> None:
    if not loads:
        raise ValueError("loads must name at least one expert")
    for load in loads:
        require_not_negative(loads=load)
    if not sum(loads):
        raise ValueError("loads must not all be 0")
