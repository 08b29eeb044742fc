"""Buckets cut from the full list of gradients, and an FSDP step simulated unit by unit."""

from __future__ import annotations

from fractions import Fraction


def bucket_hook_tail(
    *, layers: int, layer_bytes: float, embedding_bytes: float, cap_bytes: float, layer_s: float,
    bytes_per_s: float, launch_s: float,
) -> float:  # fmt: skip
    """Cut the list into buckets; some bucket starts on a free network, and the later ones follow at once."""
    arrivals = [(Fraction(layer_bytes), done) for done in range(1, layers + 1)]
    if embedding_bytes:
        arrivals.append((Fraction(embedding_bytes), layers))
    buckets: list[list[tuple[Fraction, int]]] = [[]]
    for arrival in arrivals:
        buckets[-1].append(arrival)
        if sum(size for size, _ in buckets[-1]) >= Fraction(cap_bytes):
            buckets.append([])
    full = [bucket for bucket in buckets if bucket]
    ready = [bucket[-1][1] * Fraction(layer_s) for bucket in full]
    costs = [Fraction(launch_s) + sum(size for size, _ in bucket) / Fraction(bytes_per_s) for bucket in full]
    end = max(at + sum(costs[number:]) for number, at in enumerate(ready))
    return float(max(Fraction(0), end - layers * Fraction(layer_s)))


def fsdp_collectives(
    *, units: int, micro_batches: int, reshard: bool, reduce_each: bool, replicas: int
) -> tuple[int, int, int]:
    """Simulate the passes, track which units are gathered, and count the calls."""
    calls = {"all-gather": 0, "reduce-scatter": 0, "all-reduce": 0}
    gathered: set[int] = set()
    for micro_batch in range(micro_batches):
        for unit in range(units):
            if unit not in gathered:
                calls["all-gather"] += 1
                gathered.add(unit)
            if reshard and unit < units - 1:
                gathered.discard(unit)
        for unit in reversed(range(units)):
            if unit not in gathered:
                calls["all-gather"] += 1
            gathered.discard(unit)
            if reduce_each or micro_batch == micro_batches - 1:
                calls["reduce-scatter"] += 1
                calls["all-reduce"] += replicas > 1
    return calls["all-gather"], calls["reduce-scatter"], calls["all-reduce"]
