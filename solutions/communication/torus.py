"""Collectives along one axis of a torus or mesh: chips without a switch, each linked with its neighbours only."""

from __future__ import annotations

from ..facts.arguments import require_counts, require_positive


def axis_gather_seconds(
    *, message_bytes: float, chips: int, link_bytes_per_s: float, axis_chips_for_ring: int
) -> float:
    """Return the shortest time of an all-gather, or of a reduce-scatter, along one axis of linked chips.

        ring       (N-1)/N · S / (2 · β)      from axis_chips_for_ring chips on, the ends of the axis are linked too
        open line  (N-1)/N · S / β            the chip at an end receives all other parts over its only link

    Every link works in both directions at once. Latencies are not counted.

    Units:   bytes of the whole array; bytes/s of a link in one direction. Result in seconds.
    Raises:  ValueError if a count is below 1, or a size or rate is not positive.
    Source:  Austin et al. 2025, How to Scale Your Model, parts 2 and 3 (an axis of TPU v5e is a ring only if it has 16 chips).

    >>> [round(axis_gather_seconds(message_bytes=2 * 2048 * 8192, chips=chips, link_bytes_per_s=45e9,
    ...                            axis_chips_for_ring=16) * 1e6) for chips in (4, 16)]    # microseconds; pop quiz 2 of part 3
    [559, 350]
    """
    require_counts(chips=chips, axis_chips_for_ring=axis_chips_for_ring)
    require_positive(message_bytes=message_bytes, link_bytes_per_s=link_bytes_per_s)
    links = 2 if chips >= axis_chips_for_ring else 1
    return message_bytes * (chips - 1) / chips / (links * link_bytes_per_s)
