"""Searches and played runs that confirm critical_batch.py: bisection, small pieces of a power law, and hours of a run."""

from __future__ import annotations

import math

from ..search import bisect


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


def integrated_critical_batch(*, loss: float, scale_tokens: float, exponent: float) -> float:
    """Follow the critical batch from a loss of 1, where it is B*, to the loss: each per cent of loss takes 1/α per cent."""
    return _followed(start=scale_tokens, times=loss, power=-1 / exponent)


def integrated_loss(*, critical_batch: float, scale_tokens: float, exponent: float) -> float:
    """Follow the loss from 1, where the critical batch is B*, as the critical batch falls: each per cent takes α per cent."""
    return _followed(start=1.0, times=critical_batch / scale_tokens, power=-exponent)


def integrated_critical_batch_for_tokens(
    *, base_critical_batch: float, base_tokens: float, tokens: float, exponent: float
) -> float:
    """Integrate from the data of one run to those of another: each per cent of tokens adds α per cent to the batch."""
    return _followed(start=base_critical_batch, times=tokens / base_tokens, power=exponent)


def _followed(start: float, times: float, power: float, pieces: int = 2000) -> float:
    """Integrate dy/dx = power · y/x from x = 1 to `times`, in pieces that grow with x (Runge and Kutta's fourth order)."""
    x, y, growth = 1.0, start, times ** (1 / pieces)
    for _ in range(pieces):
        h = x * (growth - 1)
        first = power * y / x
        second = power * (y + h / 2 * first) / (x + h / 2)
        third = power * (y + h / 2 * second) / (x + h / 2)
        fourth = power * (y + h * third) / (x + h)
        y += h / 6 * (first + 2 * second + 2 * third + fourth)
        x *= growth
    return y


def searched_batch_for_data(*, minimum_data: float, critical_batch: float, data: float) -> float:
    """Spend exactly the data on the trade-off (S/S_min - 1)(E/E_min - 1) = 1; the batch is the data over the steps."""
    minimum_steps = minimum_data / critical_batch
    spare = data / minimum_data - 1
    steps = bisect(
        lambda steps: (steps / minimum_steps - 1) * spare - 1, minimum_steps, minimum_steps * (2 + 2 / spare)
    )
    return data / steps


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
        played = []  # hours, the last of them a part of one
        while left > 0:
            played.append(min(1.0, left / tokens_per_hour))
            left -= tokens_per_hour
        bills.append(math.fsum(part * gpus * grown * 3600 * dollars_per_gpu_s for part in played))
        hours.append(math.fsum(played))
    return (bills[1] - bills[0]) / ((hours[0] - hours[1]) * 3600)


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
