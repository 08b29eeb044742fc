"""Offloading as two lanes: a copy starts when its layer is done and the link is free."""

from __future__ import annotations

from fractions import Fraction


def offload_seconds(*, count: int, layers: int, forward_s: float, layer_bytes: float, link_bytes_per_s: float) -> float:
    """Run the copies on their lane, and return how much later they end than the computation."""
    copied = sum((Fraction(layer_bytes) / Fraction(link_bytes_per_s) for _ in range(count)), Fraction(0))
    computed = sum((Fraction(forward_s) for _ in range(layers)), Fraction(0))
    return float(copied - computed) if copied > computed else 0.0


def offload_or_recompute(
    *, free_bytes: float, layers: int, forward_s: float, layer_bytes: float, input_bytes: float, link_bytes_per_s: float
) -> str:
    """Free layers one by one until the memory suffices, time both ways, and return the cheaper one."""
    freed, count, missing = Fraction(layer_bytes) - Fraction(input_bytes), 0, Fraction(free_bytes)
    while missing > Fraction(free_bytes) / 10**11:
        missing -= freed
        count += 1
        if count > layers:
            raise ValueError("not enough")
    copied, computed = count * freed / Fraction(link_bytes_per_s), layers * Fraction(forward_s)
    waits = {"recompute": count * Fraction(forward_s), "offload": max(Fraction(0), copied - computed)}
    if not waits["offload"]:
        return "offload, hidden"
    return "recompute" if waits["recompute"] <= waits["offload"] else "offload, exposed"
