"""Repeated data, played: tokens are read one slice after the other, each worth a little less than the one before."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ..search import bisect

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(10)
_SLICES = 40


@lru_cache(maxsize=4096)
def effective_tokens(*, tokens: float, unique_tokens: float, decay: float = 15.387756) -> float:
    """Read on slice by slice: the first pass counts in full, later tokens what their repeat is worth."""
    if tokens <= unique_tokens:
        return float(tokens)
    edges = np.linspace(0.0, tokens / unique_tokens - 1, _SLICES + 1)
    middles, halves = (edges[1:] + edges[:-1]) / 2, (edges[1:] - edges[:-1]) / 2
    worth = np.exp(-(middles[:, None] + halves[:, None] * _NODES[None, :]) / decay)
    return float(unique_tokens * (1 + (halves[:, None] * _WEIGHTS[None, :] * worth).sum()))


@lru_cache(maxsize=4096)
def epochs_for(*, effective_tokens: float, unique_tokens: float, decay: float = 15.387756) -> float:
    """Read on until the slices are worth enough."""
    wanted = effective_tokens

    def above(epochs: float) -> float:
        return _read(epochs * unique_tokens, unique_tokens, decay) - wanted

    if above(1000.0 * decay) < 0:
        raise ValueError("no number of passes is enough")
    return bisect(above, 1.0, 1000.0 * decay, rounds=80)


def _read(tokens: float, unique_tokens: float, decay: float) -> float:
    return effective_tokens(tokens=tokens, unique_tokens=unique_tokens, decay=decay)


@lru_cache(maxsize=4096)
def repeat_or_buy(
    *, needed_tokens: float, unique_tokens: float, dollars_per_bought_token: float, dollars_per_trained_token: float
) -> str:
    """Compare what the tokens that repeating takes beyond the new ones cost with what the new ones cost."""
    read = epochs_for(effective_tokens=needed_tokens, unique_tokens=unique_tokens) * unique_tokens
    more_training = (read - needed_tokens) * dollars_per_trained_token
    return "buy" if more_training >= (needed_tokens - unique_tokens) * dollars_per_bought_token else "repeat"


def worth_of_a_repeat(*, epochs: float, decay: float = 15.387756) -> float:
    """Multiply a token by the same share for each small part of a repeat."""
    parts = 1 << 14
    share = 1.0
    for _ in range(parts):
        share *= 1 - (epochs - 1) / decay / parts
    return share
