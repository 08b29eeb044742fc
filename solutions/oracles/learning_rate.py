"""Schedules written out step by step and added up, batches counted one after the other, and roots found by bisection."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from .accumulation import counted_optimizer_steps
from .search import bisect

Schedule = NDArray[np.float64]


def stacked_lr(*, base_lr: float, base_batch: float, batch: float) -> float:
    """Linear rule: add the base rate for every base batch that fits into the new one, and a fraction of it for the rest."""
    lr, left = 0.0, batch
    while left >= base_batch:
        lr += base_lr
        left -= base_batch
    return lr + base_lr * (left / base_batch)


def searched_square_root_lr(*, base_lr: float, base_batch: float, batch: float) -> float:
    """Square-root rule: the rate whose square has grown as the batch has, found by bisection."""
    return bisect(lambda lr: (lr / base_lr) ** 2 * base_batch - batch, base_lr * 1e-6, base_lr * 1e6)


def searched_square_root_batch(*, base_lr: float, base_batch: float, lr: float) -> float:
    """The batch for which the searched square-root rule proposes `lr`, found by bisection."""
    return bisect(lambda batch: math.sqrt(batch / base_batch) * base_lr - lr, base_batch * 1e-9, base_batch * 1e9)


def moved_by_one_sample(*, base_lr: float, base_batch: float, lr: float, batch: float) -> float:
    """Move a weight by the mean gradient of a batch in which a single sample has one; compare both recipes."""
    moved = []
    for rate, size in ((lr, batch), (base_lr, base_batch)):
        gradients = np.zeros(math.ceil(size))
        gradients[0] = 1.0  # only this sample has a gradient
        moved.append(rate * gradients.sum() / size)
    return float(moved[0] / moved[1])


def stacked_warmup(*, base_warmup_steps: int, base_batch: float, batch: float) -> float:
    """Add a base warmup for every base batch that fits into the new one, and a fraction of it for the rest."""
    return stacked_lr(base_lr=float(base_warmup_steps), base_batch=base_batch, batch=batch)


def counted_warmup_share(*, base_warmup_steps: int, base_total_steps: int, base_batch: float, batch: float) -> float:
    """Cut the data of the old run into new batches, and count the steps up to the end of the stacked warmup."""
    total = counted_scaled_steps(steps=base_total_steps, base_batch=base_batch, batch=batch)
    warmup = stacked_warmup(base_warmup_steps=base_warmup_steps, base_batch=base_batch, batch=batch)
    if warmup > total:
        raise ValueError("the run ends during its warmup")
    return warmup / total


def summed_adam_window(*, beta: float, base_batch: float, batch: float) -> float:
    """Add up the weights of an exponential average, as many times its newest as there are samples in the old window.

    The newest gradient has the weight 1 - β. A larger batch stands for several small ones, each of which had that weight.
    """
    newest = (1 - beta) * batch / base_batch
    weights = newest * np.power(1 - newest, np.arange(math.ceil(60 / newest)))
    return float(weights.sum() / weights[0])


@lru_cache(maxsize=256)
def cosine_schedule(warmup_steps: int, total_steps: int) -> tuple[Schedule, Schedule]:
    """Warmup and decay as parts of the peak, step by step.

    Half a cosine from 1 to 0 is the square of a sine over a quarter turn: the height of a point that moves along a circle
    in equal steps. The steps start at the end of the run, so that the small rates there keep all their digits.
    """
    warmup = np.cumsum(np.full(warmup_steps, 1.0)) / warmup_steps if warmup_steps else np.zeros(0)
    decay_steps = total_steps - warmup_steps
    turns = np.full(decay_steps, np.exp(0.5j * np.pi / decay_steps))
    heights = np.cumprod(np.concatenate(([1 + 0j], turns))).imag.astype(np.float64)
    return np.concatenate(([0.0], warmup)), np.square(heights)[::-1]


def listed_cosine_lr(*, step: int, peak_lr: float, final_lr: float, warmup_steps: int, total_steps: int) -> float:
    """The entry of the written-out schedule; its last one for every step after it."""
    warmup, decay = cosine_schedule(warmup_steps, total_steps)
    if step < warmup_steps:
        return float(warmup[step] * peak_lr)
    part = decay[min(step - warmup_steps, len(decay) - 1)]
    return float(part * peak_lr + (1 - part) * final_lr)


@lru_cache(maxsize=256)
def wsd_schedule(warmup_steps: int, stable_steps: int, decay_steps: int) -> Schedule:
    """The schedule as parts of the peak: it rises by equal steps, stays level, and falls by equal steps."""
    up = np.cumsum(np.full(warmup_steps, 1.0)) / max(warmup_steps, 1)
    down = np.cumsum(np.full(decay_steps, 1.0))[::-1] / max(decay_steps, 1)
    # The last step of the warmup is at the peak already, and so is the first of the decay.
    return np.concatenate(([0.0], up[:-1], np.ones(stable_steps + bool(warmup_steps)), down[1:], [0.0]))


def listed_wsd_lr(*, step: int, peak_lr: float, warmup_steps: int, stable_steps: int, decay_steps: int) -> float:
    """The entry of the written-out schedule; its last one for every step after it."""
    schedule = wsd_schedule(warmup_steps, stable_steps, decay_steps)
    return float(schedule[min(step, len(schedule) - 1)] * peak_lr)


def summed_cosine_area(*, peak_lr: float, final_lr: float, warmup_steps: int, total_steps: int) -> float:
    """Area under the schedule, added up by trapezoids of one step each."""
    warmup, decay = cosine_schedule(warmup_steps, total_steps)
    decayed = decay * peak_lr + (1 - decay) * final_lr
    return float(np.trapezoid(warmup * peak_lr) + np.trapezoid(decayed))


def summed_wsd_area(*, peak_lr: float, warmup_steps: int, stable_steps: int, decay_steps: int) -> float:
    """Area under the schedule, added up by trapezoids of one step each."""
    parts = np.concatenate(
        (
            np.linspace(0.0, 1.0, warmup_steps + 1) if warmup_steps else np.ones(1),
            np.ones(stable_steps),
            np.linspace(1.0, 0.0, decay_steps + 1)[1:] if decay_steps else np.zeros(0),
        )
    )
    return float(np.trapezoid(parts) * peak_lr)


def summed_area_ratio(*, warmup_steps: int, stable_steps: int, decay_steps: int) -> float:
    """Both schedules added up at a peak of 1, and compared."""
    total_steps = warmup_steps + stable_steps + decay_steps
    wsd = summed_wsd_area(peak_lr=1.0, warmup_steps=warmup_steps, stable_steps=stable_steps, decay_steps=decay_steps)
    return wsd / summed_cosine_area(peak_lr=1.0, final_lr=0.0, warmup_steps=warmup_steps, total_steps=total_steps)


def counted_scaled_steps(*, steps: int, base_batch: float, batch: float) -> float:
    """Take batches from the data of the base run until none is left; the last may be incomplete."""
    return counted_optimizer_steps(tokens=Fraction(base_batch) * steps, batch_tokens=batch)


def walked_ramp_steps(*, tokens: float, first_batch: float, last_batch: float, stage_tokens: float) -> float:
    """Train stage after stage, double the batch after each, and give the last batch all tokens that are left."""
    left, batch, steps = tokens, first_batch, 0.0
    while batch < last_batch:
        steps += counted_optimizer_steps(tokens=stage_tokens, batch_tokens=batch)
        left -= stage_tokens
        batch *= 2
    if batch != last_batch or left < 0:
        raise ValueError("the doublings miss the last batch, or outlast the tokens")
    return steps + counted_optimizer_steps(tokens=left, batch_tokens=batch)


def walked_two_batch_steps(*, tokens: float, first_batch: float, first_tokens: float, second_batch: float) -> float:
    """Train through the first tokens, change the batch, and train through the rest."""
    first_steps = counted_optimizer_steps(tokens=first_tokens, batch_tokens=first_batch)
    return first_steps + counted_optimizer_steps(tokens=tokens - first_tokens, batch_tokens=second_batch)
