"""The collectives, played: chunks move between GPUs until everybody has what it should, and every byte is counted."""

from __future__ import annotations

from functools import lru_cache, partial

from ..ring.ring import play_ring
from ..search import bisect

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


def _ring_seconds(*, message_bytes: float, gpus: int, bandwidth_bytes_per_s: float, latency_s: float = 0.0) -> float:
    """Run a clock next to a simulated all-reduce: each step takes its latency and the bytes of one GPU."""
    played = play_ring(gpus)
    return sum(latency_s + message_bytes * share / bandwidth_bytes_per_s for share in played.busiest_shares)


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
    clocked = partial(_ring_seconds, gpus=gpus, bandwidth_bytes_per_s=bandwidth_bytes_per_s)

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
