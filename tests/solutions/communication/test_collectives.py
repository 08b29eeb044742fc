"""The collectives' references against collectives that are played, and their limits."""

from __future__ import annotations

import math

import pytest

from solutions.communication import collectives
from solutions.oracles.communication import collectives as engine


def same(first: float, second: float) -> bool:
    return math.isclose(first, second, rel_tol=1e-9, abs_tol=1e-15)


@pytest.mark.parametrize("gpus", range(4, 131))
def test_two_trees_keep_every_link_busy_at_few_latencies(gpus: int) -> None:
    levels, busiest = engine.play_double_tree(gpus)
    assert busiest == 2
    assert levels <= math.ceil(math.log2(gpus))
    case = {"message_bytes": 1e6, "bandwidth_bytes_per_s": 50e9, "latency_s": 5e-6}
    exact = collectives.double_tree_seconds(gpus=gpus, **case)
    played = engine.double_tree_seconds(gpus=gpus, **case)
    assert played <= exact * (1 + 1e-12)
    if levels == math.ceil(math.log2(gpus)):
        assert same(played, exact)


def test_a_reduce_scatter_and_an_all_gather_leave_what_an_all_reduce_leaves() -> None:
    _, summed = engine.contents("all-reduce", 3)
    _, scattered = engine.contents("reduce-scatter", 3)
    begun, gathered = engine.contents("all-gather", 3)
    everybody = frozenset(range(3))
    for rank in range(3):
        for place in range(3):
            assert (scattered[rank][place] == everybody) == bool(begun[rank][place])  # the part that each begins with
            assert len(gathered[rank][place]) == 1  # whose owner had the sum
    assert summed == [[everybody] * 3] * 3
