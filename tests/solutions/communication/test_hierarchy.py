"""The references on servers and pods against phases that are played, and their limits."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solutions.communication import hierarchy
from solutions.oracles.communication import hierarchy as engine
from solutions.ring import ring

message_sizes = st.floats(1e3, 1e12)
server_counts = st.integers(2, 40)
in_a_server = st.integers(1, 9)
rates = st.floats(1e9, 1e12)


def same(first: float, second: float) -> bool:
    return math.isclose(first, second, rel_tol=1e-9, abs_tol=1e-15)


@given(message=message_sizes, servers=server_counts, each=in_a_server)
def test_played_phases_lay_the_bytes_of_the_formulas_on_each_kind_of_link(
    message: float, servers: int, each: int
) -> None:
    sharded = {"message_bytes": message, "servers": servers, "gpus_per_server": each}
    leader = {"message_bytes": message, "servers": servers}
    inside = {"message_bytes": message, "gpus_per_server": each}
    assert same(hierarchy.sharded_port_bytes(**sharded), engine.sharded_port_bytes(**sharded))
    assert same(hierarchy.leader_port_bytes(**leader), engine.leader_port_bytes(**leader))
    assert same(hierarchy.nvlink_bytes(**inside), engine.nvlink_bytes(**inside))
    assert same(hierarchy.leader_port_bytes(**leader), each * hierarchy.sharded_port_bytes(**sharded))


@given(message=message_sizes, servers=server_counts, each=in_a_server, port=rates, nvlink=rates)
def test_played_phases_take_the_times_of_the_formulas(
    message: float, servers: int, each: int, port: float, nvlink: float
) -> None:
    case = {"message_bytes": message, "servers": servers, "gpus_per_server": each}
    links = {"port_bytes_per_s": port, "nvlink_bytes_per_s": nvlink}
    for name in ("leader_seconds", "sharded_seconds", "sharded_overlapped_seconds"):
        assert same(getattr(hierarchy, name)(**case, **links), getattr(engine, name)(**case, **links))
    late = hierarchy.sharded_seconds(**case, **links, latency_s=1e-3)
    assert same(late, engine.sharded_seconds(**case, **links, latency_s=1e-3))
    bounds, played = hierarchy.sharded_bounds_seconds(**case, **links), engine.sharded_bounds_seconds(**case, **links)
    assert all(same(*pair) for pair in zip(bounds, played, strict=True))
    after_another = hierarchy.sharded_seconds(**case, **links)
    at_once = hierarchy.sharded_overlapped_seconds(**case, **links)
    assert at_once <= after_another * (1 + 1e-9)
    assert after_another <= 2 * at_once * (1 + 1e-9)
    assert after_another <= hierarchy.leader_seconds(**case, **links) * (1 + 1e-9)


@given(message=message_sizes, servers=server_counts, port=rates)
def test_servers_of_one_gpu_run_a_plain_ring(message: float, servers: int, port: float) -> None:
    case = {"message_bytes": message, "servers": servers, "gpus_per_server": 1, "port_bytes_per_s": port}
    plain = ring.all_reduce_seconds(message_bytes=message, gpus=servers, bandwidth_bytes_per_s=port)
    assert same(hierarchy.sharded_seconds(**case, nvlink_bytes_per_s=1e12), plain)
    assert same(hierarchy.leader_seconds(**case, nvlink_bytes_per_s=1e12), plain)


@given(children=st.integers(2, 60), uplink=rates)
def test_a_level_gathers_at_the_rate_of_the_played_all_gather(children: int, uplink: float) -> None:
    case = {"children": children, "uplink_bytes_per_s": uplink}
    assert same(hierarchy.gather_bandwidth(**case), engine.gather_bandwidth(**case))


def test_a_superpod_gathers_at_the_rate_of_its_slowest_level() -> None:
    levels = [(8, 450e9), (32, 400e9), (4, 12.8e12)]
    rates_of_levels = [hierarchy.gather_bandwidth(children=d, uplink_bytes_per_s=w) for d, w in levels]
    assert min(rates_of_levels) == rates_of_levels[1]


@given(
    message=st.floats(1e7, 1e12),
    pods=st.integers(2, 20),
    each=st.integers(1, 4096),
    port=rates,
    seconds=st.floats(0.01, 9),
)
def test_at_the_largest_oversubscription_the_pods_need_all_of_the_time(
    message: float, pods: int, each: int, port: float, seconds: float
) -> None:
    case = {"gradient_bytes": message, "pods": pods, "gpus_per_pod": each, "port_bytes_per_s": port}
    thinned = hierarchy.largest_oversubscription(**case, available_s=seconds)
    assert math.isclose(thinned, engine.largest_oversubscription(**case, available_s=seconds), rel_tol=1e-6)
    if thinned >= 1:
        uplink = hierarchy.pod_uplink_bytes_per_s(gpus_per_pod=each, port_bytes_per_s=port, oversubscription=thinned)
        assert same(hierarchy.leader_port_bytes(message_bytes=message, servers=pods) / uplink, seconds)


@given(message=message_sizes, gpus=st.integers(2, 100), bus=rates)
def test_a_switch_that_adds_lets_a_gpu_send_less_than_a_ring(message: float, gpus: int, bus: float) -> None:
    sent = hierarchy.in_switch_bytes(message_bytes=message, gpus=gpus)
    assert same(sent, engine.in_switch_bytes(message_bytes=message, gpus=gpus))
    in_a_ring = ring.bytes_sent_per_gpu(message_bytes=message, gpus=gpus)
    assert (sent < in_a_ring * (1 - 1e-9)) == (gpus > 3)  # with three both send 4/3 of the message
    behind = hierarchy.link_rate_behind_in_switch(bus_bytes_per_s=bus, gpus=gpus)
    assert same(behind, engine.link_rate_behind_in_switch(bus_bytes_per_s=bus, gpus=gpus))
    assert same(behind / bus, sent / in_a_ring)


@given(bus=rates, servers=st.integers(2, 30), each=in_a_server)
def test_the_ports_carry_the_share_of_the_bus_bandwidth_that_leaves_the_server(
    bus: float, servers: int, each: int
) -> None:
    case = {"bus_bytes_per_s": bus, "servers": servers, "gpus_per_server": each}
    rate = hierarchy.port_rate_behind_bus_bandwidth(**case)
    assert same(rate, engine.port_rate_behind_bus_bandwidth(**case))
    outside = hierarchy.sharded_port_bytes(message_bytes=1e9, servers=servers, gpus_per_server=each)
    inside = hierarchy.nvlink_bytes(message_bytes=1e9, gpus_per_server=each)
    assert same(rate / bus, outside / (outside + inside))


@given(near=st.integers(2, 64), far=st.integers(2, 512), near_bus=rates, far_bus=rates)
def test_the_gap_is_the_ratio_of_two_times(near: int, far: int, near_bus: float, far_bus: float) -> None:
    case = {"near_gpus": near, "near_bus_bytes_per_s": near_bus, "far_gpus": far, "far_bus_bytes_per_s": far_bus}
    assert same(hierarchy.collective_gap(**case), engine.collective_gap(**case))


CLUSTER = {
    "message_bytes": 1e9,
    "servers": 4,
    "gpus_per_server": 8,
    "port_bytes_per_s": 5e10,
    "nvlink_bytes_per_s": 45e10,
}
PODS = {"gradient_bytes": 1e9, "pods": 4, "gpus_per_pod": 8, "port_bytes_per_s": 5e10, "available_s": 0.1}


@pytest.mark.parametrize(
    ("function", "case", "wrong"),
    [
        (hierarchy.leader_seconds, CLUSTER, {"servers": 0}),
        (hierarchy.sharded_seconds, CLUSTER, {"gpus_per_server": 0}),
        (hierarchy.sharded_seconds, CLUSTER, {"latency_s": -1}),
        (hierarchy.sharded_overlapped_seconds, CLUSTER, {"port_bytes_per_s": 0}),
        (hierarchy.gather_bandwidth, {"children": 8, "uplink_bytes_per_s": 5e10}, {"children": 1}),
        (
            hierarchy.pod_uplink_bytes_per_s,
            {"gpus_per_pod": 8, "port_bytes_per_s": 5e10, "oversubscription": 2},
            {"oversubscription": 0.5},
        ),
        (hierarchy.largest_oversubscription, PODS, {"available_s": 0}),
        (hierarchy.in_switch_bytes, {"message_bytes": 1e9, "gpus": 8}, {"gpus": 1}),
        (hierarchy.link_rate_behind_in_switch, {"bus_bytes_per_s": 4e11, "gpus": 8}, {"gpus": 1}),
        (
            hierarchy.port_rate_behind_bus_bandwidth,
            {"bus_bytes_per_s": 4e11, "servers": 4, "gpus_per_server": 8},
            {"servers": 1},
        ),
        (
            hierarchy.collective_gap,
            {"near_gpus": 8, "near_bus_bytes_per_s": 4e11, "far_gpus": 16, "far_bus_bytes_per_s": 3e11},
            {"near_gpus": 1},
        ),
    ],
)
def test_a_bad_argument_is_refused_by_name(function: object, case: dict[str, float], wrong: dict[str, float]) -> None:
    assert callable(function)
    function(**case)
    (name,) = wrong
    with pytest.raises(ValueError, match=name):
        function(**{**case, **wrong})
