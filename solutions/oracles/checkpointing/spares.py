"""Waiting for the failure that is one too many, and drawing the failed nodes one after the other."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import lru_cache
from math import comb

import numpy as np


@lru_cache(maxsize=4096)
def _counts(mean: float, slices: int, largest: int) -> tuple[float, ...]:
    """Chances of 0, 1, 2 … failures in a slice, put together by halves until they hold for the whole span."""
    share = mean / 2**slices
    chances = np.zeros(largest + 1)
    chances[:3] = (
        1 - share + share**2 / 2 - share**3 / 6,
        share - share**2 + share**3 / 2,
        share**2 / 2 - share**3 / 2,
    )
    for _ in range(slices):
        chances = np.convolve(chances, chances)[: largest + 1]
    return tuple(float(chance) for chance in chances)


def enough_probability(*, nodes: int, node_mtbf_s: float, span_s: float, spares: int) -> float:
    """Cut the span into slices in which hardly anything happens, and join them two by two."""
    mean = nodes * span_s / node_mtbf_s
    return sum(_counts(mean, 20, max(spares, 2) + 40)[: spares + 1])


def spares_needed(*, nodes: int, node_mtbf_s: float, span_s: float, confidence: float) -> int:
    """Add up the chances of so many failures until they are enough."""
    mean = nodes * span_s / node_mtbf_s
    together = 0.0
    for count, chance in enumerate(_counts(mean, 20, int(mean + 12 * mean**0.5) + 40)):
        together += chance
        if together >= confidence:
            return count
    raise ValueError("no number of spares is enough")


def recovery_probability(*, nodes: int, copies: int, failed: int) -> float:
    """Let nodes fail one by one, any that still runs as likely as any other, and follow how far each group has gone."""
    if nodes % copies:
        raise ValueError("the groups do not come out even")
    if failed > nodes:
        raise ValueError("more fail than there are")
    states: Counter[tuple[int, ...]] = Counter(
        {(nodes // copies, *[0] * (copies - 1)): 1}
    )  # groups with 0, 1, … dead nodes
    for _ in range(failed):
        after: Counter[tuple[int, ...]] = Counter()
        for state, ways in states.items():
            for dead, groups in enumerate(state[:-1]):  # one more in the last kind of group and its shards are gone
                if groups:
                    longer = list(state)
                    longer[dead] -= 1
                    longer[dead + 1] += 1
                    after[tuple(longer)] += ways * groups * (copies - dead)
        states = after
    orders = comb(nodes, failed)
    for factor in range(2, failed + 1):
        orders *= factor
    return float(Fraction(sum(states.values()), orders))


def loss_probability(*, nodes: int, copies: int, failed: int) -> float:
    """What is missing to certainty."""
    return 1 - recovery_probability(nodes=nodes, copies=copies, failed=failed)
