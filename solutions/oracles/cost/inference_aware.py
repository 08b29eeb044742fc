"""A model's life, played: tokens are trained on and served in lots, and the best size is where its whole cost stops falling."""

from __future__ import annotations

import cmath
from fractions import Fraction
from functools import lru_cache
from math import exp, log

from ...cost.scaling_laws import fit_of
from ..roofline.layer_flop import flop_per_weight_and_token
from ..search import bisect
from . import overtraining
from .scaling_laws import balanced_tokens, loss, slope

_LOTS = 12


def lifetime_flop(
    *, parameters: float, training_tokens: float, served_tokens: float, serving_price: float = 1
) -> float:
    """Book training and requests lot by lot; a request takes the forward third of a trained token."""
    trained = flop_per_weight_and_token()
    forward = trained / 3
    book = Fraction(0)
    for _ in range(_LOTS):
        book += trained * Fraction(parameters) * Fraction(training_tokens) / _LOTS
        book += forward * Fraction(parameters) * Fraction(served_tokens) / _LOTS * Fraction(serving_price)
    return float(book)


def break_even_served_tokens(
    *, large_parameters: float, large_tokens: float, small_parameters: float, small_tokens: float
) -> float:
    """Serve more and more until both models have cost the same."""

    trained = float(flop_per_weight_and_token())

    def spent(parameters: float, tokens: float, served: float) -> float:
        return parameters * (trained * tokens + trained / 3 * served)

    def saved(served: float) -> float:
        return spent(large_parameters, large_tokens, served) - spent(small_parameters, small_tokens, served)

    if saved(0.0) >= 0:
        raise ValueError("the smaller model pays from the first token")
    high = 1e9
    while saved(high) < 0:
        high *= 4
    return bisect(saved, 0.0, high, rounds=60)


@lru_cache(maxsize=4096)
def best_size(*, parameters: float, served_tokens: float, fit: str) -> float:
    """Slide along the models of one loss, by the slope of what each costs in its life."""
    law = fit_of(fit)
    target = loss(law, parameters, balanced_tokens(parameters=parameters, fit=fit)).real

    def spent(size: complex) -> complex:
        left = target - law.floor - cmath.exp(log(law.parameter_scale) - law.parameter_exponent * cmath.log(size))
        tokens = cmath.exp((log(law.token_scale) - cmath.log(left)) / law.token_exponent)
        return (3 * size * tokens + size * served_tokens) / (3 * parameters * 1e12)

    smallest = parameters * overtraining.smallest_size_factor(fit=fit)
    low, high = log(smallest) + 1e-6, log(parameters) + 1e-6
    return exp(bisect(lambda place: slope(spent, exp(place)), low, high, rounds=70))


@lru_cache(maxsize=4096)
def least_lifetime(
    *, large_parameters: float, medium_parameters: float, small_parameters: float, served_tokens: float,
    serving_price: float, fit: str,
) -> str:  # fmt: skip
    """Train each until it has the loss, serve, and compare the books."""
    target = loss(fit_of(fit), large_parameters, balanced_tokens(parameters=large_parameters, fit=fit)).real
    books = []
    for name, size in (("large", large_parameters), ("medium", medium_parameters), ("small", small_parameters)):
        tokens = overtraining.tokens_for_loss(parameters=size, loss=target, fit=fit)
        book = lifetime_flop(
            parameters=size, training_tokens=tokens, served_tokens=served_tokens, serving_price=serving_price
        )
        books.append((book, name))
    return min(books)[1]
