"""A ring and a tree, played step by step: chunks move, links take time, and everything is counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ..search import bisect, smallest


@dataclass(frozen=True)
class Traffic:
    """What a simulated collective did, with the message as 1."""

    steps: int
    sent_shares: tuple[float, ...]  # of the message, by each GPU over all steps
    busiest_shares: tuple[float, ...]  # of the message, over the busiest link of each step
    correct: bool  # every GPU ended with every chunk summed over all GPUs


def _pass_on(held: NDArray[np.int32], phase: str, step: int) -> None:
    """One step: every GPU sends one chunk to its right neighbour, which adds it or copies it."""
    gpus = len(held)
    ranks = np.arange(gpus)
    # In step s a GPU passes on the chunk it has just finished with: its own, then its left neighbour's, ...
    chunks = (ranks - step) % gpus if phase == "reduce-scatter" else (ranks + 1 - step) % gpus
    moving = held[ranks, chunks].copy()
    right = (ranks + 1) % gpus
    if phase == "reduce-scatter":
        held[right, chunks] += moving
    else:
        held[right, chunks] = moving


@lru_cache(maxsize=512)
def play_ring(gpus: int, phases: Sequence[str] = ("reduce-scatter", "all-gather")) -> Traffic:
    """Play a ring all-reduce on `gpus` GPUs: `held[g, c]` counts the contributions to chunk c that GPU g has summed."""
    held = np.ones((gpus, gpus), dtype=np.int32)
    sent = np.zeros(gpus)
    busiest: list[float] = []
    for phase in phases:
        for step in range(gpus - 1):
            _pass_on(held, phase, step)
            sent += 1 / gpus
            busiest.append(1 / gpus)
    return Traffic(len(busiest), tuple(sent), tuple(busiest), bool((held == gpus).all()))


def snapshots(*, gpus: int) -> list[NDArray[np.int32]]:
    """The contributions held by each GPU (rows) to each chunk (columns): at the start and after every step."""
    held = np.ones((gpus, gpus), dtype=np.int32)
    boards = [held.copy()]
    for phase in ("reduce-scatter", "all-gather"):
        for step in range(gpus - 1):
            _pass_on(held, phase, step)
            boards.append(held.copy())
    return boards


@lru_cache(maxsize=512)
def play_tree(gpus: int) -> Traffic:
    """Play a binomial-tree all-reduce: partners double their distance on the way up, and halve it on the way down."""
    held = np.ones(gpus, dtype=np.int64)
    sent = np.zeros(gpus)
    rounds: list[list[tuple[int, int]]] = []
    distance = 1
    while distance < gpus:
        pairs = [(rank + distance, rank) for rank in range(0, gpus - distance, 2 * distance)]
        for child, parent in pairs:
            held[parent] += held[child]
            sent[child] += 1
        rounds.append(pairs)
        distance *= 2
    up = len(rounds)
    for pairs in reversed(rounds):
        for child, parent in pairs:
            held[child] = held[parent]
            sent[parent] += 1
    return Traffic(2 * up, tuple(sent), (1.0,) * (2 * up), bool((held == gpus).all()))


def _seconds(traffic: Traffic, message_bytes: float, bandwidth_bytes_per_s: float, latency_s: float) -> float:
    """Each step ends when its busiest link has delivered."""
    clock = 0.0
    for share in traffic.busiest_shares:
        clock += latency_s + share * message_bytes / bandwidth_bytes_per_s
    return clock


def simulated_bytes_sent_per_gpu(*, message_bytes: float, gpus: int) -> float:
    """Bytes that the busiest GPU sent in a simulated ring all-reduce."""
    traffic = play_ring(gpus)
    assert traffic.correct
    return max(traffic.sent_shares) * message_bytes


def simulated_bytes_sent_per_phase(*, message_bytes: float, gpus: int) -> float:
    """Bytes that the busiest GPU sent in a simulated reduce-scatter."""
    return max(play_ring(gpus, ("reduce-scatter",)).sent_shares) * message_bytes


def counted_root_bytes(*, message_bytes: float, gpus: int) -> float:
    """Bytes that arrive at GPU 0, which asks for one gradient after the other until its sum holds those of all GPUs."""
    summed = np.eye(gpus, dtype=bool)  # summed[g, c]: the sum on GPU g holds the gradient of GPU c
    arrived = 0
    while not summed[0].all():
        missing = int(summed[0].argmin())
        summed[0] |= summed[missing]
        arrived += 1
    return arrived * message_bytes


def simulated_steps(*, gpus: int) -> int:
    """Steps that a simulated ring all-reduce took."""
    return play_ring(gpus).steps


def simulated_tree_steps(*, gpus: int) -> int:
    """Steps that a simulated tree all-reduce took."""
    traffic = play_tree(gpus)
    assert traffic.correct
    return traffic.steps


def simulated_latency_seconds(*, gpus: int, latency_s: float) -> float:
    """Time of a simulated ring whose message takes no time on the wire."""
    return _seconds(play_ring(gpus), 0.0, 1.0, latency_s)


def simulated_all_reduce_seconds(
    *, message_bytes: float, gpus: int, bandwidth_bytes_per_s: float, latency_s: float = 0.0
) -> float:
    """Time of a simulated ring all-reduce."""
    return _seconds(play_ring(gpus), message_bytes, bandwidth_bytes_per_s, latency_s)


def simulated_tree_seconds(
    *, message_bytes: float, gpus: int, bandwidth_bytes_per_s: float, latency_s: float = 0.0
) -> float:
    """Time of a simulated tree all-reduce."""
    return _seconds(play_tree(gpus), message_bytes, bandwidth_bytes_per_s, latency_s)


def simulated_faster_algorithm(
    *, message_bytes: float, gpus: int, bandwidth_bytes_per_s: float, latency_s: float
) -> str:
    """The algorithm whose simulation ends first."""
    race = {
        "ring": _seconds(play_ring(gpus), message_bytes, bandwidth_bytes_per_s, latency_s),
        "tree": _seconds(play_tree(gpus), message_bytes, bandwidth_bytes_per_s, latency_s),
    }
    return min(race, key=lambda name: race[name])


def simulated_bus_bandwidth(*, message_bytes: float, gpus: int, measured_s: float) -> float:
    """Bytes that crossed one link of the simulated ring, over the measured time."""
    crossed = sum(share * message_bytes for share in play_ring(gpus).busiest_shares)
    return crossed / measured_s


def simulated_link_utilisation(
    *, message_bytes: float, gpus: int, measured_s: float, bandwidth_bytes_per_s: float
) -> float:
    """The ideal time of the simulated ring, as a share of the measured one."""
    return _seconds(play_ring(gpus), message_bytes, bandwidth_bytes_per_s, 0.0) / measured_s


def searched_crossover_bytes(*, gpus: int, bandwidth_bytes_per_s: float, latency_s: float) -> float:
    """The message size at which both simulations take the same time, found by bisection."""

    def tree_behind(message_bytes: float) -> float:
        ring = _seconds(play_ring(gpus), message_bytes, bandwidth_bytes_per_s, latency_s)
        return _seconds(play_tree(gpus), message_bytes, bandwidth_bytes_per_s, latency_s) - ring

    return bisect(tree_behind, 0.0, 1e15)


def counted_rails_seconds(
    *,
    message_bytes: float,
    servers: int,
    gpus_per_server: int,
    port_bytes_per_s: float,
    nvlink_bytes_per_s: float,
) -> float:
    """Lay a ring for each port through all nodes, play it, and wait for the busiest link of the cluster."""
    gpus = servers * gpus_per_server
    share = play_ring(gpus).sent_shares[0] * message_bytes / gpus_per_server  # of one ring, over each of its links
    port, nvlink = np.zeros(gpus), np.zeros(gpus)  # bytes that each GPU sends
    for exit_gpu in range(gpus_per_server):
        inside = [*range(exit_gpu + 1, gpus_per_server), *range(exit_gpu + 1)]  # this ring's way through a node
        for server in range(servers):
            for place in inside[:-1]:
                nvlink[server * gpus_per_server + place] += share
            port[server * gpus_per_server + inside[-1]] += share
    return float(max((port / port_bytes_per_s).max(), (nvlink / nvlink_bytes_per_s).max()))


def searched_naive_group(*, message_bytes: float, bandwidth_bytes_per_s: float, wait_s: float) -> int:
    """Let the group grow until what arrives at GPU 0 takes longer than the wait."""

    def too_long(gpus: int) -> bool:
        return counted_root_bytes(message_bytes=message_bytes, gpus=gpus) / bandwidth_bytes_per_s > wait_s

    return smallest(too_long, largest=1 << 16) - 1


def searched_parameters(*, sent_bytes: float, gpus: int, bytes_per_gradient: float) -> float:
    """Search the model whose simulated reduce-scatter sends this many bytes."""

    def sends(parameters: float) -> float:
        message_bytes = bytes_per_gradient * parameters
        return simulated_bytes_sent_per_phase(message_bytes=message_bytes, gpus=gpus) - sent_bytes

    return bisect(sends, 0.0, 1e15)


def simulated_algorithm_bandwidth_elsewhere(*, algorithm_bytes_per_s: float, gpus: int, other_gpus: int) -> float:
    """Search the links on which the simulated ring is as fast as measured, and run the other ring over such links."""

    def rate_on(gpus: int, link_bytes_per_s: float) -> float:
        return 1.0 / _seconds(play_ring(gpus), 1.0, link_bytes_per_s, 0.0)

    link = bisect(lambda rate: rate_on(gpus, rate) - algorithm_bytes_per_s, 1.0, 1e16)
    return rate_on(other_gpus, link)


def searched_largest_ring(
    *, message_bytes: float, bandwidth_bytes_per_s: float, latency_s: float, budget_s: float
) -> int:
    """Let the ring grow until its simulation takes longer than the budget."""

    def too_long(gpus: int) -> bool:
        return _seconds(play_ring(gpus), message_bytes, bandwidth_bytes_per_s, latency_s) > budget_s * (1 + 1e-12)

    return smallest(too_long, largest=1 << 13) - 1


def searched_link_gap(*, fast_bytes_per_s: float, slow_bytes_per_s: float) -> float:
    """Search the message that both links carry in the same time, when the slow one gets a byte of it for its part."""

    def behind(fast_bytes: float) -> float:
        return fast_bytes / fast_bytes_per_s - 1.0 / slow_bytes_per_s

    return bisect(behind, 0.0, 1e9)
