"""Searches and played runs that confirm critical_batch.py: by bisection for steps, data, noise and rate, hour by hour for the price."""

from __future__ import annotations

import math
from fractions import Fraction

from .search import bisect


def searched_steps_to_target(*, minimum_steps: float, critical_batch: float, batch: float) -> float:
    """The point of the trade-off (S/S_min - 1)(E/E_min - 1) = 1 at which a step takes `batch` of data, by bisection."""
    minimum_data = minimum_steps * critical_batch  # where the asymptotes cross, the slope is the critical batch
    return bisect(
        lambda steps: (steps / minimum_steps - 1) * (steps * batch / minimum_data - 1) - 1,
        max(minimum_steps, minimum_data / batch),
        4 * (minimum_steps + minimum_data / batch),
    )


def searched_data_to_target(*, minimum_data: float, critical_batch: float, batch: float) -> float:
    """The same point of the trade-off, read on the axis of data."""
    minimum_steps = minimum_data / critical_batch
    return bisect(
        lambda data: (data / batch / minimum_steps - 1) * (data / minimum_data - 1) - 1,
        max(minimum_data, minimum_steps * batch),
        4 * (minimum_data + minimum_steps * batch),
    )


def searched_critical_batch(*, loss: float, scale_tokens: float, exponent: float) -> float:
    """The batch at which (B*/B)^α_B has come down to the loss, by bisection on a logarithmic scale."""
    power = bisect(lambda log_batch: loss - math.exp(exponent * (math.log(scale_tokens) - log_batch)), -200.0, 200.0)
    return math.exp(power)


def played_dollars_per_second(
    *,
    minimum_data: float,
    critical_batch: float,
    batch: float,
    factor: float,
    gpus: float,
    tokens_per_gpu_s: float,
    dollars_per_gpu_s: float,
) -> float:
    """Play both runs hour by hour until their tokens are used up; compare their bills and their lengths."""
    bills, hours = [], []
    for grown in (1, factor):
        left = searched_data_to_target(minimum_data=minimum_data, critical_batch=critical_batch, batch=grown * batch)
        tokens_per_hour = 3600 * tokens_per_gpu_s * gpus * grown
        clock, bill = Fraction(0), Fraction(0)
        while left > 0:
            part = min(Fraction(1), Fraction(left) / Fraction(tokens_per_hour))
            clock += part
            bill += part * Fraction(gpus * grown) * Fraction(3600 * dollars_per_gpu_s)
            left -= tokens_per_hour
        bills.append(bill)
        hours.append(clock)
    return float((bills[1] - bills[0]) / ((hours[0] - hours[1]) * 3600))


def searched_noise_scale(*, small_batch: float, big_batch: float, small_square: float, big_square: float) -> float:
    """The noise scale at which signal and noise together have norms in the measured ratio, by bisection."""

    def ratio(noise: float) -> float:
        small, big = (1 + noise / batch for batch in (small_batch, big_batch))
        return small / big

    return bisect(lambda noise: ratio(noise) - small_square / big_square, 0.0, 1e6 * big_batch)


def searched_best_lr(*, base_lr: float, base_batch: float, batch: float, noise_scale: float) -> float:
    """Search for the step that lowers the loss most in a bowl of curvature 1, with both batches, and compare the steps."""

    def loss(step: float, size: float) -> float:
        square = 1 + noise_scale / size  # of a noisy gradient, on average, where the true one is 1
        return -step + square * step**2 / 2

    def best_step(size: float) -> float:
        return bisect(lambda step: loss(step + 0.125, size) - loss(step - 0.125, size), 0.0, 2.0)

    return base_lr * best_step(batch) / best_step(base_batch)
