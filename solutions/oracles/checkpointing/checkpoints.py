"""Checkpoints tensor by tensor, shard by shard and save by save, on a clock."""

from __future__ import annotations

from collections import deque
from fractions import Fraction

from ..search import smallest


def checkpoint_bytes(
    *, parameters: float, bytes_per_weight: float = 2, bytes_per_master: float = 4, bytes_per_moment: float = 4
) -> float:
    """Fill the file tensor by tensor with what cannot be computed again."""
    file: list[Fraction] = []
    tensors = (("weights", bytes_per_weight), ("master copy", bytes_per_master))
    for _, width in (*tensors, ("mean", bytes_per_moment), ("square", bytes_per_moment)):
        file.append(Fraction(parameters) * Fraction(width))
    return float(sum(file))


def write_seconds(*, checkpoint_bytes: float, nodes: int, node_bytes_per_s: float, store_bytes_per_s: float) -> float:
    """Let nodes join one by one while the store still has room for them, and write at what they reach together."""
    free, flowing = Fraction(store_bytes_per_s), Fraction(0)
    for _ in range(nodes):
        share = min(Fraction(node_bytes_per_s), free)
        flowing, free = flowing + share, free - share
        if not free:
            break
    return float(Fraction(checkpoint_bytes) / flowing)


def write_bytes_per_s(*, nodes: int, node_bytes_per_s: float, store_bytes_per_s: float) -> float:
    """Write a terabyte and look at the clock."""
    return 1e12 / write_seconds(
        checkpoint_bytes=1e12, nodes=nodes, node_bytes_per_s=node_bytes_per_s, store_bytes_per_s=store_bytes_per_s
    )


def steps_between_background_saves(
    *,
    checkpoint_bytes: float,
    gpus: int,
    copy_bytes_per_s: float,
    store_bytes_per_s: float,
    step_s: float,
    largest_overhead: float,
) -> int:
    """Run two rounds of copy, steps and drain on a clock with ever more steps, until nothing waits and the copies are few."""
    copy = Fraction(checkpoint_bytes) / gpus / Fraction(copy_bytes_per_s)
    drain = Fraction(checkpoint_bytes) / Fraction(store_bytes_per_s)

    def works(steps: int) -> bool:
        clock, buffer_free, trained, stalled = Fraction(0), Fraction(0), Fraction(0), Fraction(0)
        for _ in range(2):
            if clock < buffer_free:  # the host's buffer still drains
                return False
            clock += copy
            stalled += copy
            buffer_free = clock + drain
            clock += steps * Fraction(step_s)
            trained += steps * Fraction(step_s)
        return stalled <= Fraction(largest_overhead) * trained

    return smallest(works, largest=10**9)


def kept_checkpoints(*, saves: int, keep_last: int, keep_every: int = 0) -> int:
    """Save one after the other; what falls out of the window of the last ones is deleted or goes to the archive."""
    window: deque[int] = deque()
    archive = []
    since_archived = 0
    for number in range(1, saves + 1):
        window.append(number)
        if len(window) > keep_last:
            window.popleft()
            since_archived += 1
            if since_archived == keep_every:
                archive.append(number)
                since_archived = 0
    return len(window) + len(archive)


def stored_bytes(*, checkpoint_bytes: float, saves: int, keep_last: int, keep_every: int = 0) -> float:
    """Weigh what is left, file by file."""
    left = kept_checkpoints(saves=saves, keep_last=keep_last, keep_every=keep_every)
    return float(sum((Fraction(checkpoint_bytes) for _ in range(left)), Fraction(0)))


def storage_dollars_per_month(
    *, checkpoint_bytes: float, saves: int, keep_last: int, dollars_per_gb_month: float, keep_every: int = 0
) -> float:
    """Price what is left, file by file."""
    price = Fraction(checkpoint_bytes) / 10**9 * Fraction(dollars_per_gb_month)
    return float(sum(price for _ in range(kept_checkpoints(saves=saves, keep_last=keep_last, keep_every=keep_every))))
