"""Rules of the learning rate, played: gradients of single samples are averaged, and noise that adds up at right angles."""

from __future__ import annotations

import math

import numpy as np

from ..search import bisect


def played_linear_lr(*, base_lr: float, base_batch: int, batch: int) -> float:
    """Linear rule: go through the same samples in base batches and in new batches, and look for the rate that gets as far.

    Every sample has a gradient of its own, which stays as it is on the way. That is what the rule assumes.
    """
    samples = math.lcm(base_batch, batch)
    gradients = 1 + np.sin(np.arange(samples)) / 2
    base_way = -base_lr * gradients.reshape(-1, base_batch).mean(axis=1).sum()
    way_at_rate_one = -gradients.reshape(-1, batch).mean(axis=1).sum()
    return float(base_way / way_at_rate_one)


def _noise_of_a_mean(batch: float) -> float:
    """Length of a mean over samples of which each has noise of length 1 in a direction of its own.

    A part of a sample at the end carries its part of the squared length.
    """
    whole = math.floor(batch)
    parts = np.full(whole + 1, 1 / batch)
    parts[whole] = math.sqrt(batch - whole) / batch
    return float(np.linalg.norm(parts))


def noise_matched_lr(*, base_lr: float, base_batch: float, batch: float) -> float:
    """Square-root rule: the rate at which the noise moves the weights as far in a step as it did before."""
    return base_lr * _noise_of_a_mean(base_batch) / _noise_of_a_mean(batch)


def searched_noise_batch(*, base_lr: float, base_batch: float, lr: float) -> float:
    """The batch whose noise at the new rate moves the weights as far as the old noise did: doubled, then bisected."""
    moved = base_lr * _noise_of_a_mean(base_batch)
    high = base_batch
    while lr * _noise_of_a_mean(high) > moved:
        high *= 2
    return bisect(lambda batch: moved - lr * _noise_of_a_mean(batch), 1.0, high, rounds=50)


def aligned_lr(*, first_batch: float, first_lr: float, second_batch: float, second_lr: float, batch: float) -> float:
    """The rate at which three points lie on one line of logarithmic paper: the triangle between them has no area."""
    across, up = math.log(second_batch / first_batch), math.log(second_lr / first_lr)
    farther = math.log(batch / first_batch)
    area = math.copysign(1.0, across)
    return math.exp(
        bisect(lambda log_lr: area * (across * (log_lr - math.log(first_lr)) - up * farther), -100.0, 100.0)
    )


def moved_by_one_sample(*, base_lr: float, base_batch: float, lr: float, batch: float) -> float:
    """Move a weight by the mean gradient of a batch in which a single sample has one; compare both recipes."""
    moved = []
    for rate, size in ((lr, batch), (base_lr, base_batch)):
        gradients = np.zeros(math.ceil(size))
        gradients[0] = 1.0  # only this sample has a gradient
        moved.append(rate * gradients.sum() / size)
    return float(moved[0] / moved[1])


def summed_adam_window(*, beta: float, base_batch: float, batch: float) -> float:
    """Add up the weights of an exponential average, as many times its newest as there are samples in the old window.

    The newest gradient has the weight 1 - β. A larger batch stands for several small ones, each of which had that weight.
    """
    newest = (1 - beta) * batch / base_batch
    weights = newest * np.power(1 - newest, np.arange(math.ceil(60 / newest)))
    return float(weights.sum() / weights[0])
