"""Capacity of experts, played: copies arrive one by one, each expert keeps what it has room for, and ranks are filled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

from ..search import smallest

# Copies that eight experts are asked for: 16,384 tokens with two experts each.
EXAMPLE_LOADS = (9200, 6100, 5000, 3900, 3300, 2600, 1700, 968)


def expert_capacity(*, tokens: int, experts: int, experts_per_token: int, capacity_factor: float) -> int:
    """Search for the least room for which all experts together have as many places as the factor asks for."""
    copies = tokens * experts_per_token
    asked = Fraction(str(capacity_factor)) * copies
    return smallest(lambda room: room * experts >= asked, largest=100 * copies)


def dropped_copies(*, loads: Sequence[int], capacity_factor: float) -> int:
    """Let copies come in rounds, one for each expert that is still asked for, and turn away whoever finds it full."""
    room = expert_capacity(tokens=sum(loads), experts=len(loads), experts_per_token=1, capacity_factor=capacity_factor)
    left = {expert: load for expert, load in enumerate(loads) if load}
    places = dict.fromkeys(left, room)
    turned_away = 0
    while left:
        rounds = min(left.values())  # until an expert is not asked for any more
        for expert in left:
            kept = min(rounds, places[expert])
            places[expert] -= kept
            turned_away += rounds - kept
        left = {expert: load - rounds for expert, load in left.items() if load > rounds}
    return turned_away


def load_imbalance(*, loads: Sequence[float]) -> float:
    """Divide by the load that each would have if they pooled everything and shared it out again."""
    pool = sum((Fraction(load) for load in loads), Fraction(0))
    each = pool / len(loads)
    return float(max(Fraction(load) / each for load in loads))


def uneven_loads(*, imbalance: float) -> list[int]:
    """The example's loads, all brought nearer to their mean or further from it until the fullest is so many times the mean.

    Raises ValueError if an expert would have less than nothing.

    >>> uneven_loads(imbalance=1.5)
    [6144, 4900, 4459, 4017, 3777, 3496, 3135, 2840]
    """
    mean = Fraction(sum(EXAMPLE_LOADS), len(EXAMPLE_LOADS))
    times = (Fraction(imbalance) - 1) / (max(EXAMPLE_LOADS) / mean - 1)
    loads = [round(mean + times * (load - mean)) for load in EXAMPLE_LOADS]
    loads[-1] += sum(EXAMPLE_LOADS) - sum(loads)  # what rounding has left over
    if min(loads) < 0:
        raise ValueError(f"with an imbalance of {imbalance:g} an expert of the example would have less than no copies")
    return loads


def least_factor(*, loads: Sequence[int], factors: Sequence[float], largest_dropped_share: float) -> float:
    """Route with each factor, and keep the least of those that do well enough."""
    allowed = Fraction(str(largest_dropped_share)) * sum(loads)
    return min(f for f in factors if dropped_copies(loads=loads, capacity_factor=f) <= allowed)


def rank_loads(*, loads: Sequence[int], ep: int) -> list[int]:
    """Send each copy to the rank that holds its expert."""
    received: Counter[int] = Counter()
    for expert, load in enumerate(loads):
        received[expert * ep // len(loads)] += load
    return [received[rank] for rank in range(ep)]


def swapped_peak(*, loads: Sequence[int], ep: int, first: int, second: int) -> int:
    """Hold the experts in lists, one for each rank, exchange two and add up each list."""
    held = len(loads) // ep
    places = [list(range(rank * held, (rank + 1) * held)) for rank in range(ep)]
    renamed = {first: second, second: first}
    return max(sum(loads[renamed.get(expert, expert)] for expert in rank) for rank in places)


def best_swap(*, loads: Sequence[int], ep: int) -> str:
    """Try each exchange of an expert of the most loaded rank with one of another: no other exchange can help."""
    ranks = rank_loads(loads=loads, ep=ep)
    held = len(loads) // ep
    full = ranks.index(max(ranks))
    best = (max(ranks), -1, -1)
    for mine in range(full * held, (full + 1) * held):
        for other in range(len(loads)):
            if other // held != full:
                peak = swapped_peak(loads=loads, ep=ep, first=mine, second=other)
                best = min(best, (peak, min(mine, other), max(mine, other)))
    return f"{best[1]} and {best[2]}"


def redundant_experts(*, loads: Sequence[int], limit: float) -> int:
    """Give the expert with the busiest copies one more copy, until no copy is above the limit."""
    copies = [1] * len(loads)
    most = Fraction(limit).limit_denominator(10**6) * sum(loads) / len(loads)
    while max(Fraction(load, held) for load, held in zip(loads, copies, strict=True)) > most:
        busiest = max(range(len(loads)), key=lambda expert: Fraction(loads[expert], copies[expert]))
        copies[busiest] += 1
    return sum(copies) - len(loads)
