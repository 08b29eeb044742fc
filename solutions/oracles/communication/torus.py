"""All-gathers along one axis of linked chips, played: parts in halves hop from chip to chip, and the busiest link counts."""

from __future__ import annotations

from collections import Counter


def axis_gather_seconds(
    *, message_bytes: float, chips: int, link_bytes_per_s: float, axis_chips_for_ring: int
) -> float:
    """Send both halves of each chip's part to all other chips, on a ring in opposite directions where both ways are equal."""
    closed = chips >= axis_chips_for_ring
    crossed: Counter[tuple[int, str]] = Counter()  # half parts that leave each chip in each direction
    for owner in range(chips):
        for half in (0, 1):
            up = (chips - half) // 2 if closed else chips - 1 - owner
            for hop in range(up):
                crossed[(owner + hop) % chips, "up"] += 1
            for hop in range(chips - 1 - up):
                crossed[(owner - hop) % chips, "down"] += 1
    busiest = max(crossed.values(), default=0)
    return message_bytes / chips * busiest / 2 / link_bytes_per_s
