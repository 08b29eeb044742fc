"""Scaling laws by other roads: losses as what is still to gain, optima where the derivative along a budget vanishes, searched."""

from __future__ import annotations

import cmath
from collections.abc import Callable
from functools import lru_cache
from math import exp, log

import numpy as np

from ...cost.scaling_laws import Fit, fit_of
from ..roofline.layer_flop import flop_per_weight_and_token
from ..search import bisect

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(12)


def parameters_at_ratio(*, work_flop: float, tokens_per_parameter: float) -> float:
    """Search the size whose training at this ratio uses up the budget."""

    def spent(parameters: float) -> float:
        return float(flop_per_weight_and_token()) * parameters * (tokens_per_parameter * parameters) / work_flop

    high = 1.0
    while spent(high) < 1:
        high *= 2
    return bisect(lambda parameters: spent(parameters) - 1, high / 2, high)


def _still_to_gain(scale: float, exponent: float, amount: float) -> float:
    """Add up what every further growth of an amount would take off the loss: ∫ exponent · scale · n^-exponent d(ln n)."""
    panels = np.linspace(0.0, 40.0 / exponent, 21)  # beyond this, e^-40 of it is left
    middles, halves = (panels[1:] + panels[:-1]) / 2, (panels[1:] - panels[:-1]) / 2
    growth = middles[:, None] + halves[:, None] * _NODES[None, :]
    marginal = exponent * np.exp(np.log(scale) - exponent * (np.log(amount) + growth))
    return float((halves[:, None] * _WEIGHTS[None, :] * marginal).sum())


@lru_cache(maxsize=4096)
def predicted_loss(*, parameters: float, tokens: float, fit: str) -> float:
    """What no growth removes, and what growth of the model and of the data would still remove, piece by piece."""
    law = fit_of(fit)
    of_size = _still_to_gain(law.parameter_scale, law.parameter_exponent, parameters)
    return law.floor + of_size + _still_to_gain(law.token_scale, law.token_exponent, tokens)


def slope(function: Callable[[complex], complex], place: float) -> float:
    """Derivative in ln x, from one step along the imaginary axis: exact to the last bits, since nothing is subtracted."""
    step = 1e-30
    return function(place * (1 + 1j * step)).imag / step


def loss(law: Fit, parameters: complex, tokens: complex) -> complex:
    """The fit for complex arguments, from logarithms."""
    of_size = cmath.exp(log(law.parameter_scale) - law.parameter_exponent * cmath.log(parameters))
    of_data = cmath.exp(log(law.token_scale) - law.token_exponent * cmath.log(tokens))
    return law.floor + of_size + of_data


def _walked_optimum(law: Fit, work_flop: float) -> float:
    """Walk along the budget to where neither a larger nor a smaller model lowers the loss."""
    pairs = work_flop / float(flop_per_weight_and_token())

    def rises(log_size: float) -> float:
        return slope(lambda size: loss(law, size, pairs / size), exp(log_size))

    return exp(bisect(rises, 0.0, log(pairs), rounds=70))


def least_loss_parameters(
    *, work_flop: float, parameter_scale: float, parameter_exponent: float, token_scale: float, token_exponent: float
) -> float:
    """Walk along the budget, with any floor."""
    return _walked_optimum(Fit(2.0, parameter_scale, parameter_exponent, token_scale, token_exponent), work_flop)


@lru_cache(maxsize=4096)
def optimal_parameters(*, work_flop: float, fit: str) -> float:
    """Walk along the budget on the surface of the fit."""
    return _walked_optimum(fit_of(fit), work_flop)


def optimal_tokens(*, work_flop: float, fit: str) -> float:
    """What the budget leaves for the searched size."""
    each = float(flop_per_weight_and_token()) * optimal_parameters(work_flop=work_flop, fit=fit)
    return bisect(lambda tokens: tokens * each / work_flop - 1, 0.0, work_flop)


def optimal_ratio(*, work_flop: float, fit: str) -> float:
    """Tokens over parameters of the searched optimum."""
    return optimal_tokens(work_flop=work_flop, fit=fit) / optimal_parameters(work_flop=work_flop, fit=fit)


@lru_cache(maxsize=4096)
def balanced_tokens(*, parameters: float, fit: str) -> float:
    """Search the number of tokens at which one per cent more of either lowers the loss alike."""
    law = fit_of(fit)

    def data_gains_more(log_tokens: float) -> float:
        tokens = exp(log_tokens)
        of_data = -slope(lambda amount: loss(law, parameters, amount), tokens)
        of_size = -slope(lambda amount: loss(law, amount, tokens), parameters)
        return of_size - of_data

    return exp(bisect(data_gains_more, 0.0, 80.0, rounds=70))


def valley_parameters(
    *, small: float, middle: float, large: float, small_loss: float, middle_loss: float, large_loss: float
) -> float:
    """Fit the parabola by least squares, as for any number of runs, and find where its slope is zero."""
    places = np.log(np.array([small, middle, large]) / middle)
    squared, linear, _ = np.polyfit(places, np.array([small_loss, middle_loss, large_loss]) - middle_loss, 2)
    return float(middle * np.exp(np.roots([2 * squared, linear])[0]))
