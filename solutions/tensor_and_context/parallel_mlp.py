"""An MLP on the ranks of a tensor-parallel group: columns, then rows, with what each rank contributes to both all-reduces."""

from __future__ import annotations

from ..facts.arguments import require_counts, require_index


def mlp_on_ranks(
    *, x: float, up: str, down: str, bias: float, upstream: float, tp: int, rank: int
) -> tuple[float, float, float, float]:
    """Return a rank's part of the output, the output, its part of the input's gradient, and that gradient, one channel wide.

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
