"""An MLP on the ranks of a tensor-parallel group: columns, then rows, and each rank's part of both all-reduces."""

from __future__ import annotations

from ..facts.arguments import require_counts, require_index


def mlp_on_ranks(
    *, x: float, up: str, down: str, bias: float, upstream: float, tp: int, rank: int
) -> tuple[float, float, float, float]:
    """Return a rank's part of the output, the output, its part of the input gradient, and that gradient, one channel wide.

        h_j = max(0, x · up_j)     y = Σ h_j · down_j + bias     dx = dy · Σ [h_j > 0] · up_j · down_j

    Each rank has a contiguous part of the inner channels: columns of the first matrix and the same rows of the second.
    The all-reduce of the forward pass sums parts of y, and that of the backward pass parts of dx. The bias is added once,
    after the sum.

    Units:   up and down have one whole number per inner channel, separated by spaces; upstream is dy. Results are numbers.
    Raises:  ValueError if tp is below 1, does not divide the channels, the rank is out of range, or the matrices do not match.
    Source:  Shoeybi et al. 2019, arXiv:1909.08053, section 3 (f and g, the two conjugate operators).

    >>> mlp_on_ranks(x=2.0, up="1 -1 3 1", down="1 5 1 2", bias=10.0, upstream=1.0, tp=2, rank=1)
    (10.0, 22.0, 5.0, 6.0)
    """
    require_counts(tp=tp)
    require_index(below=tp, rank=rank)
    columns, rows = [int(word) for word in up.split()], [int(word) for word in down.split()]
    if len(columns) % tp or len(columns) != len(rows):
        raise ValueError(f"{tp} ranks must divide {len(columns)} columns and {len(rows)} rows")
    inner = len(columns) // tp
    parts, gradients = [], []
    for each in range(tp):
        own = range(each * inner, (each + 1) * inner)
        parts.append(sum(max(0.0, x * columns[j]) * rows[j] for j in own))
        gradients.append(upstream * sum(columns[j] * rows[j] for j in own if x * columns[j] > 0))
    return parts[rank], sum(parts) + bias, gradients[rank], sum(gradients)


def mlp_on_ranks_without(
    *, x: float, up: str, down: str, bias: float, upstream: float, tp: int, rank: int, without: str
) -> tuple[float, float, float, float]:
    """Return the result of mlp_on_ranks with one of its rules omitted, as a typical mistake.

        "step"          the gradient of max(0, z) is 1 everywhere        "upstream"   dy = 1
        "contiguity"    rank r has the channels r, r + tp, ...           "sums"       a rank's parts are the results
        "bias at last"  every rank adds the bias to its part, and the sum has it once

    Units:   as in mlp_on_ranks. Results are numbers.
    Raises:  ValueError as mlp_on_ranks, or for an unknown rule.
    Source:  as in mlp_on_ranks.

    >>> run = {"x": 2.0, "up": "1 -1 3 1", "down": "1 5 1 2", "bias": 10.0, "upstream": 1.0, "tp": 2, "rank": 0}
    >>> mlp_on_ranks(**run), mlp_on_ranks_without(**run, without="step")
    ((2.0, 22.0, 1.0, 6.0), (2.0, 22.0, -4.0, 1.0))
    """
    right = mlp_on_ranks(x=x, up=up, down=down, bias=bias, upstream=upstream, tp=tp, rank=rank)
    columns, rows = [int(word) for word in up.split()], [int(word) for word in down.split()]
    own = range(rank * len(rows) // tp, (rank + 1) * len(rows) // tp)
    if without == "step":
        products = [upstream * column * row for column, row in zip(columns, rows, strict=True)]
        return right[0], right[1], sum(products[j] for j in own), sum(products)
    if without == "upstream":
        return mlp_on_ranks(x=x, up=up, down=down, bias=bias, upstream=1, tp=tp, rank=rank)
    if without == "sums":
        return right[0], right[0] + bias, right[2], right[2]
    if without == "bias at last":
        return right[0] + bias, right[1], right[2], right[3]
    if without == "contiguity":
        dealt = [j for first in range(tp) for j in range(first, len(rows), tp)]
        up, down = " ".join(str(columns[j]) for j in dealt), " ".join(str(rows[j]) for j in dealt)
        return mlp_on_ranks(x=x, up=up, down=down, bias=bias, upstream=upstream, tp=tp, rank=rank)
    raise ValueError(f"unknown rule {without!r}")
