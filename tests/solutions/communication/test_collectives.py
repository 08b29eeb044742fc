"""The collectives' references against collectives that are played, and their limits."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solutions.communication import collectives
from solutions.oracles.communication import collectives as engine
from solutions.ring import ring

message_sizes = st.floats(1e3, 1e12)
gpu_counts = st.integers(2, 100)
rates = st.floats(1e9, 1e12)
latencies = st.floats(0, 1e-4)
names = st.sampled_from(collectives.COLLECTIVES)


def same(first: float, second: float) -> bool:
    return math.isclose(first, second, rel_tol=1e-9, abs_tol=1e-15)


@given(name=names, gpus=st.integers(1, 100), message=message_sizes, measured=st.floats(1e-6, 10))
def test_a_played_collective_sends_the_bytes_of_its_bus_factor(
    name: str, gpus: int, message: float, measured: float
) -> None:
    case = {"collective": name, "gpus": gpus}
    assert same(collectives.bus_factor(**case), engine.bus_factor(**case))
    case["message_bytes"] = message
    assert same(collectives.bytes_sent(**case), engine.bytes_sent(**case))
    assert same(
        collectives.bus_bandwidth(**case, measured_s=measured), engine.bus_bandwidth(**case, measured_s=measured)
    )


@given(gpus=gpu_counts, message=message_sizes)
def test_an_all_reduce_sends_as_much_as_its_two_halves_and_agrees_with_the_chapter_on_rings(
    gpus: int, message: float
) -> None:
    case = {"gpus": gpus, "message_bytes": message}
    whole = collectives.bytes_sent(collective="all-reduce", **case)
    halves = [collectives.bytes_sent(collective=half, **case) for half in ("reduce-scatter", "all-gather")]
    assert same(whole, sum(halves))
    assert same(whole, ring.bytes_sent_per_gpu(**case))


@given(
    name=st.sampled_from(["all-reduce", "reduce-scatter", "all-gather", "all-to-all"]),
    gpus=st.integers(1, 60),
    message=message_sizes,
    rate=rates,
    latency=latencies,
)
def test_a_clock_beside_a_played_collective_shows_its_time(
    name: str, gpus: int, message: float, rate: float, latency: float
) -> None:
    case = {"collective": name, "message_bytes": message, "gpus": gpus}
    link = {"bandwidth_bytes_per_s": rate, "latency_s": latency}
    assert same(collectives.collective_seconds(**case, **link), engine.collective_seconds(**case, **link))


@given(gpus=gpu_counts, slices=st.integers(1, 60), message=message_sizes, rate=rates, latency=latencies)
def test_a_chain_of_slices_ends_as_the_formula_says(
    gpus: int, slices: int, message: float, rate: float, latency: float
) -> None:
    case = {"message_bytes": message, "gpus": gpus, "slices": slices}
    link = {"bandwidth_bytes_per_s": rate, "latency_s": latency}
    assert same(collectives.chain_broadcast_seconds(**case, **link), engine.chain_broadcast_seconds(**case, **link))


@given(levels=st.integers(0, 6), message=message_sizes, rate=rates, latency=latencies)
def test_halving_and_doubling_has_the_bytes_of_a_ring_and_the_steps_of_a_tree(
    levels: int, message: float, rate: float, latency: float
) -> None:
    case = {"message_bytes": message, "gpus": 2**levels, "bandwidth_bytes_per_s": rate, "latency_s": latency}
    seconds = collectives.halving_doubling_seconds(**case)
    assert same(seconds, engine.halving_doubling_seconds(**case))
    assert seconds <= ring.all_reduce_seconds(**case) * (1 + 1e-9)


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
