"""Merged passes on two lanes: the compute and the network of one GPU."""

from __future__ import annotations

from fractions import Fraction


def plain_step_seconds(*, micro_batches: int, forward_s: float, backward_s: float, exchange_s: float) -> float:
    """Run one lane: each pass computes and then exchanges."""
    clock = Fraction(0)
    for _ in range(micro_batches):
        for computed in (forward_s, backward_s):
            clock += Fraction(computed) + Fraction(exchange_s)
    return float(clock)


def merged_step_seconds(*, micro_batches: int, forward_s: float, backward_s: float, exchange_s: float) -> float:
    """List the passes that start together, and wait for the slower lane of each pair."""
    together = [["F"], *[["B", "F"] for _ in range(micro_batches - 1)], ["B"]]
    computed = {"F": Fraction(forward_s), "B": Fraction(backward_s)}
    clock = Fraction(0)
    for passes in together:
        lanes = [sum(computed[name] for name in passes), len(passes) * Fraction(exchange_s)]
        clock += max(lanes) if len(passes) == 2 else sum(lanes)
    return float(clock)


def gain_of_merging(*, micro_batches: int, forward_s: float, backward_s: float, exchange_s: float) -> float:
    """Compare the steps per hour with and without merging."""
    times = {"forward_s": forward_s, "backward_s": backward_s, "exchange_s": exchange_s}
    before = 3600 / plain_step_seconds(micro_batches=micro_batches, **times)
    after = 3600 / merged_step_seconds(micro_batches=micro_batches, **times)
    return (after - before) / before
