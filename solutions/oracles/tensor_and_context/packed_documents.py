"""Packed documents, token by token: each rank counts the keys that its queries attend to."""

from __future__ import annotations

import numpy as np


def document_imbalance(*, tokens: int, cp: int, long_tokens: int, short_tokens: int) -> float:
    """Assign chunks from both ends to the ranks, count the pairs of each rank, and compare the maximum with the mean."""
    starts = np.zeros(tokens, dtype=np.int64)
    starts[long_tokens::short_tokens] = 1
    starts[0] = 1
    first = np.maximum.accumulate(np.where(starts == 1, np.arange(tokens), 0))
    seen = np.arange(tokens) - first + 0.5  # a token's pair with itself is half a square
    hands = np.split(seen, 2 * cp)
    work = [float(hands[rank].sum() + hands[-1 - rank].sum()) for rank in range(cp)]
    return max(work) / float(np.mean(work))
