"""Models of another size, searched: train on until the predicted loss is reached, and compare what was spent."""

from __future__ import annotations

from functools import lru_cache
from math import exp, log

from ...cost.scaling_laws import FITS
from ..search import bisect
from .scaling_laws import balanced_tokens, loss

_OPTIMUM = 20e9  # parameters of an optimum that others are compared with; the factors are those of any
_WITHOUT_END = 1e300  # tokens


@lru_cache(maxsize=4096)
def tokens_for_loss(*, parameters: float, loss: float, fit: str) -> float:
    """Train on until the loss is reached."""
    target = loss

    def below(log_tokens: float) -> float:
        return target - _loss(parameters, exp(log_tokens), fit)

    if below(log(_WITHOUT_END)) <= 0:
        raise ValueError("the loss is never reached")
    return exp(bisect(below, 0.0, log(_WITHOUT_END)))


def _loss(parameters: float, tokens: float, fit: str) -> float:
    return loss(FITS[fit], parameters, tokens).real


@lru_cache(maxsize=4096)
def token_factor(*, size_factor: float, fit: str) -> float:
    """Balance one model, train another to the same loss, and compare the tokens."""
    tokens = balanced_tokens(parameters=_OPTIMUM, fit=fit)
    target = _loss(_OPTIMUM, tokens, fit)
    return tokens_for_loss(parameters=size_factor * _OPTIMUM, loss=target, fit=fit) / tokens


def compute_overhead(*, size_factor: float, fit: str) -> float:
    """Compare the products of parameters and tokens."""
    tokens = balanced_tokens(parameters=_OPTIMUM, fit=fit)
    spent = size_factor * _OPTIMUM * (token_factor(size_factor=size_factor, fit=fit) * tokens)
    return (spent - _OPTIMUM * tokens) / (_OPTIMUM * tokens)


@lru_cache(maxsize=16)
def smallest_size_factor(*, fit: str) -> float:
    """Search the size whose loss after tokens without end is the optimum's."""
    target = _loss(_OPTIMUM, balanced_tokens(parameters=_OPTIMUM, fit=fit), fit)
    return exp(bisect(lambda shrunk: target - _loss(_OPTIMUM * exp(shrunk), _WITHOUT_END, fit), log(1e-6), 0.0))


@lru_cache(maxsize=4096)
def equal_optimum_parameters(*, parameters: float, tokens: float, fit: str) -> float:
    """Grow a balanced model until its loss is the other's."""
    target = _loss(parameters, tokens, fit)

    def better(log_size: float) -> float:
        size = exp(log_size)
        return target - _loss(size, balanced_tokens(parameters=size, fit=fit), fit)

    return exp(bisect(better, log(parameters) - 12, log(parameters) + 12, rounds=60))
