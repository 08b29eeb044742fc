"""The collectives, played: chunks move between GPUs until everybody has what it should, and every byte is counted."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np

from ..ring.ring import play_ring
from ..search import bisect

SLICES = 40  # of a message that a chain passes on when only its bytes are counted


@dataclass(frozen=True)
class Played:
    """What a played collective did, with the message as 1."""

    steps: int
    sent: tuple[float, ...]  # by each GPU
    correct: bool  # every GPU ended with what the collective promises


def _all_gather(gpus: int) -> Played:
    """Each GPU has one part, and passes on in a ring what reached it last."""
    held = [{rank} for rank in range(gpus)]
    newest = list(range(gpus))
    sent = [0.0] * gpus
    steps = 0
    while not all(len(parts) == gpus for parts in held):
        newest = [newest[rank - 1] for rank in range(gpus)]
        for rank in range(gpus):
            sent[rank - 1] += 1 / gpus
            held[rank].add(newest[rank])
        steps += 1
    return Played(steps, tuple(sent), True)


def _all_to_all(gpus: int) -> Played:
    """Each GPU has a block for every GPU, and in step s hands over that for the GPU s places on."""
    outbox = [set(range(gpus)) - {rank} for rank in range(gpus)]
    arrived = [{rank} for rank in range(gpus)]
    steps = 0
    while any(outbox):
        steps += 1
        for rank in range(gpus):
            to = (rank + steps) % gpus
            outbox[rank].remove(to)
            arrived[to].add(rank)
    return Played(steps, (steps / gpus,) * gpus, all(len(blocks) == gpus for blocks in arrived))


def _chain(gpus: int, slices: int) -> Played:
    """The root's slices move down a chain, each GPU one slice behind the one before it."""
    has = [slices] + [0] * (gpus - 1)
    sent = [0] * gpus
    steps = 0
    while min(has) < slices:
        before = list(has)
        for rank in range(gpus - 1):
            if before[rank] > before[rank + 1]:
                has[rank + 1] += 1
                sent[rank] += 1
        steps += 1
    return Played(steps, tuple(number / slices for number in sent), True)


@lru_cache(maxsize=1024)
def play(collective: str, gpus: int, slices: int = SLICES) -> Played:
    """Play a collective."""
    if collective == "send and receive":
        return Played(1, (1.0 if gpus > 1 else 0.0,) * gpus, True)
    if collective in ("gather", "scatter"):  # a gather is a scatter run backwards
        handed_out = [1 / gpus for rank in range(gpus) if rank != 0]
        return Played(len(handed_out), (sum(handed_out), *[0.0] * (gpus - 1)), True)
    if collective == "all-gather":
        return _all_gather(gpus)
    if collective == "all-to-all":
        return _all_to_all(gpus)
    if collective in ("broadcast", "reduce"):  # a reduce is a broadcast run backwards
        return _chain(gpus, slices)
    phases = ("reduce-scatter", "all-gather") if collective == "all-reduce" else ("reduce-scatter",)
    ring = play_ring(gpus, phases)
    return Played(ring.steps, ring.sent_shares, ring.correct or collective == "reduce-scatter")


Contents = list[list[frozenset[int]]]  # for each GPU and place: whose values have been added up there, or nobody's


def contents(collective: str, gpus: int) -> tuple[Contents, Contents]:
    """What every GPU holds before and after, message by message; the root is GPU 0.

    Place p of a GPU is its part p. In an all-gather a GPU begins with its own part alone, and after an all-to-all place p
    holds what came from GPU p.
    """
    everybody, nobody = frozenset(range(gpus)), frozenset[int]()
    full: Contents = [[frozenset({rank})] * gpus for rank in range(gpus)]
    before = full
    after: Contents = [list(row) for row in full]
    if collective == "all-gather":
        before = [[frozenset({rank}) if rank == place else nobody for place in range(gpus)] for rank in range(gpus)]
        after = [[frozenset({place}) for place in range(gpus)] for _ in range(gpus)]
    elif collective == "all-to-all":
        after = [[frozenset({place}) for place in range(gpus)] for _ in range(gpus)]
    elif collective == "broadcast":
        before = [full[0], *[[nobody] * gpus] * (gpus - 1)]
        after = [full[0]] * gpus
    else:
        for rank in range(gpus):
            for place in range(gpus):
                holder = {"reduce": rank == 0, "reduce-scatter": rank == place, "all-reduce": True}[collective]
                after[rank][place] = everybody if holder else nobody
    return before, after


def bus_factor(*, collective: str, gpus: int) -> float:
    """What the busiest GPU sent in the played collective."""
    played = play(collective, gpus)
    assert played.correct
    return max(played.sent)


def bytes_sent(*, collective: str, message_bytes: float, gpus: int) -> float:
    """The same, of a message."""
    return bus_factor(collective=collective, gpus=gpus) * message_bytes


def bus_bandwidth(*, collective: str, message_bytes: float, gpus: int, measured_s: float) -> float:
    """Bytes that the busiest GPU sent when played, over the measured time."""
    return bytes_sent(collective=collective, message_bytes=message_bytes, gpus=gpus) / measured_s


def seconds_at_bus_bandwidth(*, collective: str, message_bytes: float, gpus: int, bus_bytes_per_s: float) -> float:
    """The time at which the played bytes make the reported bus bandwidth, found by bisection."""
    reported = partial(bus_bandwidth, collective=collective, message_bytes=message_bytes, gpus=gpus)
    return bisect(lambda seconds: bus_bytes_per_s - reported(measured_s=seconds or 1e-300), 0.0, 1e6)


def collective_seconds(
    *, collective: str, message_bytes: float, gpus: int, bandwidth_bytes_per_s: float, latency_s: float = 0.0
) -> float:
    """A clock next to the played collective: each step costs its latency and the bytes of one GPU."""
    played = play(collective, gpus)
    clock = 0.0
    for _ in range(played.steps):
        clock += latency_s + message_bytes * max(played.sent) / played.steps / bandwidth_bytes_per_s
    return clock


def chain_broadcast_seconds(
    *, message_bytes: float, gpus: int, slices: int, bandwidth_bytes_per_s: float, latency_s: float = 0.0
) -> float:
    """A clock next to the played chain."""
    steps = play("broadcast", gpus, slices).steps
    return steps * (latency_s + message_bytes / slices / bandwidth_bytes_per_s)


def halving_doubling_seconds(
    *, message_bytes: float, gpus: int, bandwidth_bytes_per_s: float, latency_s: float = 0.0
) -> float:
    """Partners exchange and add halves of what they share, then hand the finished parts back the same way."""
    summed = np.ones((gpus, gpus), dtype=int)  # how many contributions GPU g has to part c
    own = [set(range(gpus)) for _ in range(gpus)]
    clock = 0.0
    rounds: list[list[set[int]]] = []
    distance = gpus // 2
    while distance:
        before, rounds = summed.copy(), [*rounds, [set(parts) for parts in own]]
        for rank in range(gpus):
            kept = {part for part in own[rank] if (part & distance) == (rank & distance)}
            for part in kept:
                summed[rank, part] += before[rank ^ distance, part]
            own[rank] = kept
        clock += latency_s + len(own[0]) / gpus * message_bytes / bandwidth_bytes_per_s
        distance //= 2
    for wider in reversed(rounds):
        clock += latency_s + len(own[0]) / gpus * message_bytes / bandwidth_bytes_per_s
        own = wider
    finished = all(summed[rank, rank] == gpus for rank in range(gpus))
    assert finished and all(len(parts) == gpus for parts in own)
    return clock


def _parent(rank: int, gpus: int) -> int:
    """The GPU above in a tree laid over the ranks in order; GPU 0 is the root."""
    bit = rank & -rank
    above = (rank ^ bit) | (bit << 1)
    return above if above < gpus else rank ^ bit


@lru_cache(maxsize=512)
def play_double_tree(gpus: int) -> tuple[int, float]:
    """Levels of the deeper tree, and what the busiest GPU sends of the message over both trees, up and down."""
    sent = [0.0] * gpus
    levels = 0
    for tree in range(2):
        # The second tree turns the ranks round (an odd number: moves them on by one), so leaves become inner GPUs.
        place = {
            rank: rank if tree == 0 else (rank + 1) % gpus if gpus % 2 else gpus - 1 - rank for rank in range(gpus)
        }
        for rank in range(1, gpus):
            parent = _parent(rank, gpus)
            sent[place[rank]] += 0.5  # up: its half, with what its children added
            sent[place[parent]] += 0.5  # down: the sum of that half
            depth, above = 1, parent
            while above:
                above = _parent(above, gpus)
                depth += 1
            levels = max(levels, depth)
    return levels, max(sent)


def double_tree_seconds(
    *, message_bytes: float, gpus: int, bandwidth_bytes_per_s: float, latency_s: float = 0.0
) -> float:
    """The way up and down the deeper tree, and the bytes of the busiest GPU."""
    levels, busiest = play_double_tree(gpus)
    return 2 * levels * latency_s + busiest * message_bytes / bandwidth_bytes_per_s


def message_for_efficiency(*, efficiency: float, gpus: int, bandwidth_bytes_per_s: float, latency_s: float) -> float:
    """Bisect for the message whose played all-reduce spends that share of its time on bytes."""
    clocked = partial(
        collective_seconds, collective="all-reduce", gpus=gpus, bandwidth_bytes_per_s=bandwidth_bytes_per_s
    )

    def short_of(message: float) -> float:
        message = message or 1e-9
        return clocked(message_bytes=message) / clocked(message_bytes=message, latency_s=latency_s) - efficiency

    return bisect(short_of, 0.0, 1e18)


def all_to_all_over_servers_seconds(
    *,
    message_bytes: float,
    servers: int,
    gpus_per_server: int,
    port_bytes_per_s: float,
    nvlink_bytes_per_s: float,
) -> float:
    """Address a block from GPU 0 to every GPU, one by one, and see which of its two links is busy for longer."""
    gpus = servers * gpus_per_server
    port = nvlink = 0.0
    for other in range(1, gpus):
        if other // gpus_per_server == 0:
            nvlink += message_bytes / gpus
        else:
            port += message_bytes / gpus
    return max(port / port_bytes_per_s, nvlink / nvlink_bytes_per_s)
