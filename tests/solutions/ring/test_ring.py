"""The ring's references against a ring and a tree that are played, and their limits."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solutions.oracles.ring import ring as engine
from solutions.ring import ring

message_sizes = st.floats(1e3, 1e12)
gpu_counts = st.integers(1, 130)
rates = st.floats(1e9, 1e12)
latencies = st.floats(0, 1e-4)


def same(first: float, second: float) -> bool:
    return math.isclose(first, second, rel_tol=1e-9, abs_tol=1e-12)


@given(message=message_sizes, gpus=gpu_counts)
def test_a_played_ring_sends_the_bytes_of_the_formula(message: float, gpus: int) -> None:
    case = {"message_bytes": message, "gpus": gpus}
    assert same(ring.bytes_sent_per_gpu(**case), engine.simulated_bytes_sent_per_gpu(**case))
    assert same(ring.bytes_sent_per_phase(**case), engine.simulated_bytes_sent_per_phase(**case))
    assert same(ring.bytes_sent_per_gpu(**case), 2 * ring.bytes_sent_per_phase(**case))
    assert ring.bytes_sent_per_gpu(**case) < 2 * message


@given(message=message_sizes, gpus=gpu_counts)
def test_gpu_0_receives_the_gradient_of_every_other_gpu(message: float, gpus: int) -> None:
    case = {"message_bytes": message, "gpus": gpus}
    assert same(ring.naive_root_bytes(**case), engine.counted_root_bytes(**case))
    assert same(ring.naive_root_bytes(**case), ring.bytes_sent_per_gpu(**case) * gpus / 2)


@given(gpus=gpu_counts)
def test_a_played_ring_and_a_played_tree_take_the_steps_of_the_formulas(gpus: int) -> None:
    assert ring.steps(gpus=gpus) == engine.simulated_steps(gpus=gpus)
    assert ring.tree_steps(gpus=gpus) == engine.simulated_tree_steps(gpus=gpus)


@given(message=message_sizes, gpus=gpu_counts, rate=rates, latency=latencies)
def test_a_clock_beside_the_played_collectives_shows_the_times_of_the_formulas(
    message: float, gpus: int, rate: float, latency: float
) -> None:
    case = {"message_bytes": message, "gpus": gpus, "bandwidth_bytes_per_s": rate, "latency_s": latency}
    assert same(ring.all_reduce_seconds(**case), engine.simulated_all_reduce_seconds(**case))
    assert same(ring.tree_all_reduce_seconds(**case), engine.simulated_tree_seconds(**case))
    wait = {"gpus": gpus, "latency_s": latency}
    assert same(ring.latency_seconds(**wait), engine.simulated_latency_seconds(**wait))


@given(gpus=st.integers(4, 130), rate=rates, latency=st.floats(1e-7, 1e-4))
def test_ring_and_tree_change_places_at_the_crossover(gpus: int, rate: float, latency: float) -> None:
    link = {"gpus": gpus, "bandwidth_bytes_per_s": rate, "latency_s": latency}
    tie = ring.crossover_bytes(**link)
    assert same(tie, engine.searched_crossover_bytes(**link))
    for function in (ring.faster_algorithm, engine.simulated_faster_algorithm):
        assert function(message_bytes=tie * 0.99, **link) == "tree"
        assert function(message_bytes=tie * 1.01, **link) == "ring"


@given(message=message_sizes, gpus=gpu_counts, rate=rates, slower=st.floats(1, 10))
def test_a_ring_at_the_rate_of_its_link_uses_all_of_it(message: float, gpus: int, rate: float, slower: float) -> None:
    ideal = ring.all_reduce_seconds(message_bytes=message, gpus=gpus, bandwidth_bytes_per_s=rate)
    measured = {"message_bytes": message, "gpus": gpus, "measured_s": slower * ideal or 1.0}
    bus = ring.bus_bandwidth(**measured)
    used = ring.link_utilisation(**measured, bandwidth_bytes_per_s=rate)
    assert same(bus, engine.simulated_bus_bandwidth(**measured))
    assert same(used, engine.simulated_link_utilisation(**measured, bandwidth_bytes_per_s=rate))
    assert same(used, bus / rate)
    assert same(used, 1 / slower if gpus > 1 else 0.0)


@given(message=message_sizes, servers=st.integers(2, 12), each=st.integers(2, 9), port=rates, nvlink=rates)
def test_rings_over_all_ports_take_the_time_of_the_busiest_link(
    message: float, servers: int, each: int, port: float, nvlink: float
) -> None:
    case = {"message_bytes": message, "servers": servers, "gpus_per_server": each}
    rates_of = {"port_bytes_per_s": port, "nvlink_bytes_per_s": nvlink}
    assert same(ring.rails_all_reduce_seconds(**case, **rates_of), engine.counted_rails_seconds(**case, **rates_of))
    fast = ring.rails_all_reduce_seconds(**case, port_bytes_per_s=port, nvlink_bytes_per_s=1e18)
    alone = ring.all_reduce_seconds(message_bytes=message, gpus=servers * each, bandwidth_bytes_per_s=port)
    assert same(fast * each, alone)  # g ports at once are g times as fast as one


@given(message=message_sizes, rate=rates, share=st.floats(0.1, 200))
def test_a_naive_group_of_the_largest_size_waits_no_longer_and_one_more_gpu_does(
    message: float, rate: float, share: float
) -> None:
    wait = share * message / rate
    case = {"message_bytes": message, "bandwidth_bytes_per_s": rate, "wait_s": wait}
    largest = ring.largest_naive_group(**case)
    assert abs(largest - engine.searched_naive_group(**case)) <= (abs(share - round(share)) < 1e-9)
    assert ring.naive_root_bytes(message_bytes=message, gpus=largest) / rate <= wait * (1 + 1e-9)
    assert ring.naive_root_bytes(message_bytes=message, gpus=largest + 1) / rate >= wait * (1 - 1e-9)


@given(message=message_sizes, gpus=st.integers(2, 130), width=st.sampled_from([1, 2, 4]))
def test_a_counter_tells_the_size_of_the_model(message: float, gpus: int, width: int) -> None:
    sent = ring.bytes_sent_per_phase(message_bytes=message, gpus=gpus)
    case = {"sent_bytes": sent, "gpus": gpus, "bytes_per_gradient": width}
    assert same(ring.parameters_behind_phase(**case), message / width)
    assert same(ring.parameters_behind_phase(**case), engine.searched_parameters(**case))


@given(rate=rates, gpus=st.integers(2, 130), other=st.integers(2, 130))
def test_links_as_busy_as_before_give_the_same_bus_bandwidth(rate: float, gpus: int, other: int) -> None:
    case = {"algorithm_bytes_per_s": rate, "gpus": gpus, "other_gpus": other}
    there = ring.algorithm_bandwidth_elsewhere(**case)
    assert same(there, engine.simulated_algorithm_bandwidth_elsewhere(**case))
    assert same(
        ring.bus_bandwidth(message_bytes=there, gpus=other, measured_s=1.0),
        ring.bus_bandwidth(message_bytes=rate, gpus=gpus, measured_s=1.0),
    )


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


@given(fast=rates, slow=rates)
def test_the_gap_is_what_the_fast_link_carries_while_the_slow_one_carries_a_byte(fast: float, slow: float) -> None:
    case = {"fast_bytes_per_s": fast, "slow_bytes_per_s": slow}
    assert same(ring.link_gap(**case), engine.searched_link_gap(**case))


@pytest.mark.parametrize(
    ("function", "case", "wrong"),
    [
        (ring.bytes_sent_per_gpu, {"message_bytes": 1e9, "gpus": 8}, {"gpus": 0}),
        (ring.naive_root_bytes, {"message_bytes": 1e9, "gpus": 8}, {"message_bytes": 0}),
        (ring.latency_seconds, {"gpus": 8, "latency_s": 1e-6}, {"latency_s": -1e-6}),
        (ring.link_gap, {"fast_bytes_per_s": 450e9, "slow_bytes_per_s": 50e9}, {"slow_bytes_per_s": 0}),
        (ring.largest_naive_group, {"message_bytes": 1e9, "bandwidth_bytes_per_s": 5e10, "wait_s": 1.0}, {"wait_s": 0}),
        (ring.parameters_behind_phase, {"sent_bytes": 1e9, "gpus": 8, "bytes_per_gradient": 4}, {"gpus": 1}),
        (ring.algorithm_bandwidth_elsewhere, {"algorithm_bytes_per_s": 1e9, "gpus": 8, "other_gpus": 2}, {"gpus": 1}),
        (
            ring.largest_ring,
            {"message_bytes": 1e9, "bandwidth_bytes_per_s": 5e10, "latency_s": 5e-6, "budget_s": 1.0},
            {"latency_s": 0},
        ),
        (
            ring.rails_all_reduce_seconds,
            {
                "message_bytes": 1e9,
                "servers": 2,
                "gpus_per_server": 8,
                "port_bytes_per_s": 5e10,
                "nvlink_bytes_per_s": 45e10,
            },
            {"servers": 1},
        ),
        (ring.crossover_bytes, {"gpus": 8, "bandwidth_bytes_per_s": 50e9, "latency_s": 5e-6}, {"gpus": 3}),
    ],
)
def test_a_bad_argument_is_refused_by_name(function: object, case: dict[str, float], wrong: dict[str, float]) -> None:
    assert callable(function)
    function(**case)
    (name,) = wrong
    with pytest.raises(ValueError, match=name):
        function(**{**case, **wrong})
