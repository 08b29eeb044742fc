"""A cluster, played phase by phase: bytes are laid on links, and each phase ends with its busiest one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache

from ..ring.ring import play_ring
from ..search import bisect
from .collectives import play

Link = tuple[str, int, int]  # "nvlink" or "port", node, GPU in it
Load = defaultdict[Link, float]  # bytes on each link


def _phase_seconds(carried: Mapping[Link, float], rates: dict[str, float]) -> float:
    return max((amount / rates[kind] for (kind, _, _), amount in carried.items()), default=0.0)


@lru_cache(maxsize=256)
def _ring_share(members: int, phase: str) -> float:
    """What each member of a played ring sends, of the message that the ring works on."""
    phases = ("reduce-scatter", "all-gather") if phase == "all-reduce" else (phase,)
    return max(play_ring(members, phases).sent_shares)


def _leader_phases(message_bytes: float, servers: int, gpus_per_server: int) -> list[Load]:
    """Chains to the leaders, a ring of leaders, chains back."""
    inward, ring, outward = Load(int), Load(int), Load(int)
    for server in range(servers):
        for gpu in range(1, gpus_per_server):
            inward["nvlink", server, gpu] += message_bytes
            outward["nvlink", server, gpu - 1] += message_bytes
        ring["port", server, 0] += _ring_share(servers, "all-reduce") * message_bytes
    return [inward, ring, outward]


def _sharded_phases(message_bytes: float, servers: int, gpus_per_server: int) -> list[Load]:
    """A ring inside each node, a ring between nodes for each place in them, a ring inside each node."""
    scatter, ring, gather = Load(int), Load(int), Load(int)
    for server in range(servers):
        for gpu in range(gpus_per_server):
            scatter["nvlink", server, gpu] += _ring_share(gpus_per_server, "reduce-scatter") * message_bytes
            ring["port", server, gpu] += _ring_share(servers, "all-reduce") * message_bytes / gpus_per_server
            gather["nvlink", server, gpu] += max(play("all-gather", gpus_per_server).sent) * message_bytes
    return [scatter, ring, gather]


def _at_once(phases: list[Load]) -> Load:
    """Add up the bytes of all phases."""
    total = Load(int)
    for carried in phases:
        for link, amount in carried.items():
            total[link] += amount
    return total


def _busiest(phases: list[Load], kind: str) -> float:
    return max((amount for (found, _, _), amount in _at_once(phases).items() if found == kind), default=0.0)


def leader_port_bytes(*, message_bytes: float, servers: int) -> float:
    """What a leader's port carries when nodes of one GPU are played."""
    return _busiest(_leader_phases(message_bytes, servers, 1), "port")


def sharded_port_bytes(*, message_bytes: float, servers: int, gpus_per_server: int) -> float:
    """What the busiest port carries."""
    return _busiest(_sharded_phases(message_bytes, servers, gpus_per_server), "port")


def nvlink_bytes(*, message_bytes: float, gpus_per_server: int) -> float:
    """What the busiest GPU sends over NVLink, on two nodes."""
    return _busiest(_sharded_phases(message_bytes, 2, gpus_per_server), "nvlink")


def leader_seconds(
    *, message_bytes: float, servers: int, gpus_per_server: int, port_bytes_per_s: float, nvlink_bytes_per_s: float
) -> float:
    """Play three phases, each waiting for the one before."""
    rates = {"port": port_bytes_per_s, "nvlink": nvlink_bytes_per_s}
    return sum(_phase_seconds(phase, rates) for phase in _leader_phases(message_bytes, servers, gpus_per_server))


def sharded_seconds(
    *,
    message_bytes: float,
    servers: int,
    gpus_per_server: int,
    port_bytes_per_s: float,
    nvlink_bytes_per_s: float,
    latency_s: float = 0.0,
) -> float:
    """Play three phases, each waiting for the one before, and wait a latency for every step of their rings."""
    rates = {"port": port_bytes_per_s, "nvlink": nvlink_bytes_per_s}
    phases = _sharded_phases(message_bytes, servers, gpus_per_server)
    steps = [
        play_ring(gpus_per_server, ("reduce-scatter",)).steps,
        play_ring(servers).steps,
        play("all-gather", gpus_per_server).steps,
    ]
    return sum(_phase_seconds(phase, rates) + n * latency_s for phase, n in zip(phases, steps, strict=True))


def sharded_overlapped_seconds(
    *, message_bytes: float, servers: int, gpus_per_server: int, port_bytes_per_s: float, nvlink_bytes_per_s: float
) -> float:
    """Lay the bytes of all phases on the links at once, and wait for the busiest link."""
    rates = {"port": port_bytes_per_s, "nvlink": nvlink_bytes_per_s}
    return _phase_seconds(_at_once(_sharded_phases(message_bytes, servers, gpus_per_server)), rates)


def gather_bandwidth(*, children: int, uplink_bytes_per_s: float) -> float:
    """Play an all-gather among the parts; the message over its time is the rate."""
    return uplink_bytes_per_s / max(play("all-gather", children).sent)


def largest_oversubscription(
    *, gradient_bytes: float, pods: int, gpus_per_pod: int, port_bytes_per_s: float, available_s: float
) -> float:
    """Thin the links between pods until the played ring of pods takes all of the time."""
    carried = _ring_share(pods, "all-reduce") * gradient_bytes

    def late(thinned: float) -> float:
        uplink = sum([port_bytes_per_s] * gpus_per_pod) / (thinned or 1e-300)
        return carried / uplink - available_s

    return bisect(late, 0.0, 1e12)


def in_switch_bytes(*, message_bytes: float, gpus: int) -> float:
    """Let the switch read each part from all GPUs, give its sum to the owner, and copy what the owner sends back."""
    sent = [0.0] * gpus
    finished = [0] * gpus
    for owner in range(gpus):
        for rank in range(gpus):
            sent[rank] += message_bytes / gpus  # read by the switch, from the owner too
        sent[owner] += message_bytes / gpus  # the sum, once; the switch copies it
        for rank in range(gpus):
            finished[rank] += 1
    assert finished == [gpus] * gpus
    return max(sent)


def link_rate_behind_in_switch(*, bus_bytes_per_s: float, gpus: int) -> float:
    """The time that the benchmark measured for some message, and the bytes that a GPU sent in it."""
    message = 1e9
    measured_s = max(play_ring(gpus).sent_shares) * message / bus_bytes_per_s
    return in_switch_bytes(message_bytes=message, gpus=gpus) / measured_s


def port_rate_behind_bus_bandwidth(*, bus_bytes_per_s: float, servers: int, gpus_per_server: int) -> float:
    """The time that the benchmark measured for some message, and the bytes that the busiest port carried in it."""
    message = 1e9
    measured_s = max(play_ring(servers * gpus_per_server).sent_shares) * message / bus_bytes_per_s
    return sharded_port_bytes(message_bytes=message, servers=servers, gpus_per_server=gpus_per_server) / measured_s


def collective_gap(*, near_gpus: int, near_bus_bytes_per_s: float, far_gpus: int, far_bus_bytes_per_s: float) -> float:
    """The times of one message on both, from played rings and the reported bus bandwidths."""
    near_s = max(play_ring(near_gpus).sent_shares) / near_bus_bytes_per_s
    far_s = max(play_ring(far_gpus).sent_shares) / far_bus_bytes_per_s
    return far_s / near_s


def sharded_bounds_seconds(
    *, message_bytes: float, servers: int, gpus_per_server: int, port_bytes_per_s: float, nvlink_bytes_per_s: float
) -> tuple[float, float]:
    """Play the phases at once, and play them one after the other."""
    rates = {"port_bytes_per_s": port_bytes_per_s, "nvlink_bytes_per_s": nvlink_bytes_per_s}
    best = sharded_overlapped_seconds(
        message_bytes=message_bytes, servers=servers, gpus_per_server=gpus_per_server, **rates
    )
    return best, sharded_seconds(message_bytes=message_bytes, servers=servers, gpus_per_server=gpus_per_server, **rates)
