"""The ring's references against a ring and a tree that are played, and their limits."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solutions.oracles.ring import ring as engine
from solutions.ring import ring

message_sizes = st.floats(1e3, 1e12)
rates = st.floats(1e9, 1e12)


def same(first: float, second: float) -> bool:
    return math.isclose(first, second, rel_tol=1e-9, abs_tol=1e-12)


@given(gpus=st.integers(4, 130), rate=rates, latency=st.floats(1e-7, 1e-4))
def test_ring_and_tree_change_places_at_the_crossover(gpus: int, rate: float, latency: float) -> None:
    link = {"gpus": gpus, "bandwidth_bytes_per_s": rate, "latency_s": latency}
    tie = ring.crossover_bytes(**link)
    assert same(tie, engine.searched_crossover_bytes(**link))
    for function in (ring.faster_algorithm, engine.simulated_faster_algorithm):
        assert function(message_bytes=tie * 0.99, **link) == "tree"
        assert function(message_bytes=tie * 1.01, **link) == "ring"


@given(message=message_sizes, gpus=st.integers(2, 130), width=st.sampled_from([1, 2, 4]))
def test_a_counter_tells_the_size_of_the_model(message: float, gpus: int, width: int) -> None:
    sent = ring.bytes_sent_per_phase(message_bytes=message, gpus=gpus)
    case = {"sent_bytes": sent, "gpus": gpus, "bytes_per_gradient": width}
    assert same(ring.parameters_behind_phase(**case), message / width)
    assert same(ring.parameters_behind_phase(**case), engine.searched_parameters(**case))


@given(
    message=st.floats(1e4, 1e9), rate=rates, latency=st.floats(1e-6, 1e-4), gpus=st.integers(1, 100), more=st.floats(0.01, 0.99)
)  # fmt: skip
def test_the_largest_ring_ends_in_time_and_one_more_gpu_is_too_late(
    message: float, rate: float, latency: float, gpus: int, more: float
) -> None:
    link = {"message_bytes": message, "bandwidth_bytes_per_s": rate, "latency_s": latency}
    this, next_ = (ring.all_reduce_seconds(**link, gpus=n) for n in (gpus, gpus + 1))
    budget = this + more * (next_ - this)
    assert ring.largest_ring(**link, budget_s=budget) == gpus
    assert engine.searched_largest_ring(**link, budget_s=budget) == gpus


@pytest.mark.parametrize("latency", [1e-6, 5e-6, 3e-5])
def test_a_budget_that_is_met_exactly_is_met(latency: float) -> None:
    link = {"message_bytes": 25e6, "bandwidth_bytes_per_s": 50e9, "latency_s": latency}
    for gpus in range(2, 200):
        assert ring.largest_ring(**link, budget_s=ring.all_reduce_seconds(**link, gpus=gpus)) == gpus


def test_a_tie_is_given_to_the_ring() -> None:
    case = {"message_bytes": 1e9, "gpus": 1, "bandwidth_bytes_per_s": 50e9, "latency_s": 5e-6}  # nothing to send
    assert ring.faster_algorithm(**case) == engine.simulated_faster_algorithm(**case) == "ring"
