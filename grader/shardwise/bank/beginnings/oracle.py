"""Oracles that confirm each number of the examples in another way: they send the file packet by packet."""

from __future__ import annotations

from fractions import Fraction

PACKETS = 1000


def played_transfer_seconds(*, file_bytes: float, bandwidth_bytes_per_s: float, latency_s: float) -> float:
    """Return when the last of many packets arrives, if each is sent as soon as the previous one is out."""
    left_at = Fraction(0)
    arrived_at = Fraction(latency_s)
    for _ in range(PACKETS):
        left_at += Fraction(file_bytes) / PACKETS / Fraction(bandwidth_bytes_per_s)
        arrived_at = left_at + Fraction(latency_s)
    return float(arrived_at)
