"""Hybrid sharding, simulated by the steps of its rings."""

from __future__ import annotations

from fractions import Fraction


def _ring(message: Fraction, members: int, rate: Fraction, step: Fraction, phases: int) -> Fraction:
    """Add up the steps of some phases on a ring."""
    clock = Fraction(0)
    for _ in range(phases):
        for _ in range(members - 1):
            clock += message / members / rate + step
    return clock


def hybrid_cost(
    *, shard: int, replicate: int, parameters: float, layers: int, bus_bytes_per_s: float, port_bytes_per_s: float,
    step_s: float,
) -> dict[str, float]:  # fmt: skip
    """Divide the states over the shard group, and send the weights and gradients of one layer."""
    weights = Fraction(parameters) / layers
    bus, port, step = Fraction(bus_bytes_per_s), Fraction(port_bytes_per_s), Fraction(step_s)
    states = sum(Fraction(parameters) * width / shard for width in (4, 4, 4, 4))
    gather = _ring(2 * weights, shard, bus, step, 1)
    scatter = _ring(4 * weights, shard, bus, step, 1)
    between = _ring(4 * weights / shard, replicate, port, step, 2)
    return {"states_bytes": float(states), "gather_s": float(gather), "reduce_s": float(scatter + between)}
