"""Schedules written out step by step and added up; batches counted one after the other."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ..accumulation.accumulation import counted_optimizer_steps
from ..search import bisect

Schedule = NDArray[np.float64]


def climbed_warmup(*, base_warmup_steps: int, base_batch: float, batch: float) -> float:
    """Climb as steeply as the old warmup did, to the peak that the linear rule sets for the batch, and count the steps."""
    peak = batch / base_batch  # as a multiple of the old one
    listed = base_warmup_steps
    while listed / base_warmup_steps < peak:
        listed *= 2
    heights = np.arange(listed + 1) / base_warmup_steps
    return float(np.interp(peak, heights, np.arange(listed + 1)))


def counted_warmup_share(*, base_warmup_steps: int, base_total_steps: int, base_batch: float, batch: float) -> float:
    """Cut the data of the old run into new batches, and count the steps up to the end of the climb."""
    total = counted_scaled_steps(steps=base_total_steps, base_batch=base_batch, batch=batch)
    warmup = climbed_warmup(base_warmup_steps=base_warmup_steps, base_batch=base_batch, batch=batch)
    if warmup > total:
        raise ValueError("the run ends during its warmup")
    return warmup / total


def searched_warmup_batch(
    *, base_warmup_steps: int, base_total_steps: int, base_batch: float, largest_share: float
) -> float:
    """Try batches until the climb takes just this share of the steps, by bisection."""

    def excess(batch: float) -> float:
        total = counted_scaled_steps(steps=base_total_steps, base_batch=base_batch, batch=batch)
        climb = climbed_warmup(base_warmup_steps=base_warmup_steps, base_batch=base_batch, batch=batch)
        return climb - largest_share * total

    high = base_batch
    while excess(high) < 0:
        high *= 2
    return bisect(excess, base_batch / 1024, high, rounds=60)


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


def summed_cosine_area(
    *, peak_lr: float, final_lr: float, warmup_steps: int, total_steps: int, initial_lr: float = 0.0
) -> float:
    """Area under the schedule, added up by trapezoids of one step each."""
    warmup, decay = cosine_schedule(warmup_steps, total_steps)
    risen = warmup * peak_lr + (1 - warmup) * initial_lr
    decayed = decay * peak_lr + (1 - decay) * final_lr
    return float(np.trapezoid(risen) + np.trapezoid(decayed))


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
