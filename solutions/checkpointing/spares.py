"""Nodes in reserve, and copies of a checkpoint in the memory of other nodes: how many failures are survived."""

from __future__ import annotations

from math import comb, exp

from ..facts.arguments import require_counts, require_fraction, require_positive, require_whole


def enough_probability(*, nodes: int, node_mtbf_s: float, span_s: float, spares: int) -> float:
    """Chance that spares last for a span, when a failed node is replaced at once and comes back only after the span.

        P(X ≤ s) = e^(-μ) · Σ μᵏ / k!   for k = 0 … s,     μ = nodes · span / M₁

    So many nodes run all the time, spares that stepped in among them; idle spares do not fail.

    Units:   counts; seconds. Result as a fraction.
    Raises:  ValueError if an argument is not positive (spares: negative or no whole number).
    Source:  the counts of a Poisson process.

    >>> round(enough_probability(nodes=128, node_mtbf_s=200 * 86400, span_s=7 * 86400, spares=9), 3)
    0.983
    """
    require_counts(nodes=nodes)
    require_whole(spares=spares)
    require_positive(node_mtbf_s=node_mtbf_s, span_s=span_s)
    mean = nodes * span_s / node_mtbf_s
    term = total = 1.0
    for count in range(1, spares + 1):
        term *= mean / count
        total += term
    return total * exp(-mean)


def spares_needed(*, nodes: int, node_mtbf_s: float, span_s: float, confidence: float) -> int:
    """Fewest spares that last for a span with at least a given chance.

        smallest s with P(X ≤ s) ≥ confidence

    Units:   nodes is a count; seconds; confidence as a fraction below 1. Result is a count.
    Raises:  ValueError as in enough_probability, or if the confidence is not in (0, 1).
    Source:  the counts of a Poisson process.

    >>> spares_needed(nodes=128, node_mtbf_s=200 * 86400, span_s=7 * 86400, confidence=0.99)   # 4.5 failures expected
    10
    """
    require_fraction(confidence=confidence)
    if confidence > 1 - 1e-9:
        raise ValueError("confidence must be below 1")
    spares = 0
    while enough_probability(nodes=nodes, node_mtbf_s=node_mtbf_s, span_s=span_s, spares=spares) < confidence:
        spares += 1
    return spares


def recovery_probability(*, nodes: int, copies: int, failed: int) -> float:
    """Chance that every shard of a checkpoint in host memory survives, when several nodes fail at once.

        P = [xᵏ] ((1 + x)ᵐ - xᵐ)^(N/m) / C(N, k)

    The nodes form groups of m, and each keeps the shards of its whole group. A shard is gone when all of its group fail.
    Any k nodes are equally likely to be those that fail.

    Units:   counts; copies include the node's own. Result as a fraction.
    Raises:  ValueError if a count is below 1, the groups do not come out even, or more nodes fail than there are.
    Source:  Wang et al. 2023 (Gemini), doi:10.1145/3600006.3613145, checkpoint placement (its corollary is a lower bound, exact for
             k < 2m).

    >>> round(recovery_probability(nodes=16, copies=2, failed=2), 3), round(recovery_probability(nodes=16, copies=2, failed=3), 3)
    (0.933, 0.8)
    """
    require_counts(nodes=nodes, copies=copies, failed=failed)
    if nodes % copies:
        raise ValueError(f"{nodes} nodes do not share evenly into groups of {copies}")
    if failed > nodes:
        raise ValueError(f"failed must be at most {nodes}, not {failed}")
    ways = [1]  # of choosing k nodes, none of the groups so far complete
    for _ in range(nodes // copies):
        longer = [0] * (min(len(ways) + copies - 1, failed + 1))
        for taken, count in enumerate(ways):
            for more in range(copies):
                if taken + more < len(longer):
                    longer[taken + more] += count * comb(copies, more)
        ways = longer
    return ways[failed] / comb(nodes, failed) if failed < len(ways) else 0.0


def loss_probability(*, nodes: int, copies: int, failed: int) -> float:
    """Chance that some shard of a checkpoint in host memory is gone, when several nodes fail at once.

        1 - P(every shard survives)

    Units:   counts; copies include the node's own. Result as a fraction.
    Raises:  ValueError as in recovery_probability.
    Source:  Wang et al. 2023 (Gemini), doi:10.1145/3600006.3613145, checkpoint placement.

    >>> round(loss_probability(nodes=16, copies=2, failed=2), 3)
    0.067
    """
    return 1 - recovery_probability(nodes=nodes, copies=copies, failed=failed)
