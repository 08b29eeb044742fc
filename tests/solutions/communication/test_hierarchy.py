"""The references on servers and pods against phases that are played, and their limits."""

from __future__ import annotations

import math

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
