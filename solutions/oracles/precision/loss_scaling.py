"""Loss scaling by playing: scales are tried one after another, and a scaler is run step by step or by its runs of like steps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import count, groupby

import numpy as np
from numpy.typing import NDArray

from .formats import nearest, smallest_normal, table

SCALES = [2.0**power for power in range(64)]  # from 1 on; no loss needs more
OVERFLOW = 65520.0  # the first value that FP16 rounds to infinity: halfway between its largest number and the next (IEEE 754-2019)


def smallest_rescuing_scale(*, gradient: float, number_format: str = "FP16") -> float:
    """The first scale with which the stored gradient is not 0."""
    return next(scale for scale in SCALES if nearest(table(number_format), scale * gradient) != 0)


def smallest_precise_scale(*, gradient: float, number_format: str = "FP16") -> float:
    """The first scale that lifts a gradient to the normal numbers."""
    return next(scale for scale in SCALES if scale * gradient >= smallest_normal(number_format=number_format))


def largest_safe_scale(*, gradient: float, number_format: str = "FP16") -> float:
    """The last scale, from a very small one on, with which the stored gradient is finite."""
    tried = (2.0**power for power in range(-64, 200))
    safe = 0.0
    for scale in tried:
        if math.isinf(nearest(table(number_format), scale * gradient)):
            return safe
        safe = scale
    raise ValueError("no scale overflows")


def usable_scales(*, smallest_gradient: float, largest_gradient: float, number_format: str = "FP16") -> int:
    """Store both gradients with every scale, and count the scales that lose neither."""
    listed = table(number_format)
    return sum(
        nearest(listed, scale * smallest_gradient) != 0 and math.isfinite(nearest(listed, scale * largest_gradient))
        for scale in SCALES
    )


@dataclass
class Machine:
    """A dynamic scaler: what it knows between two steps."""

    scale: float
    interval: int
    hysteresis: int = 1
    floor: float = 1.0
    clean: int = 0
    forgiven: int = 0
    skipped: int = 0

    def step(self, *, overflow: bool) -> None:
        """One training step."""
        if overflow:
            self.skipped += 1
            self.clean = 0
            if self.forgiven < self.hysteresis - 1:
                self.forgiven += 1
            else:
                self.scale = max(self.floor, self.scale * 0.5)
            return
        self.clean += 1
        if self.clean == self.interval:
            self.scale *= 2.0
            self.clean = self.forgiven = 0


def gradients_that_grow(*, steps: int, times: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Largest gradients of a run that grow to `times` as much around step 1650, and shrink again: smooth, and with noise."""
    rng = np.random.default_rng(7)
    level = 0.5 * np.exp(np.log(times) * np.exp(-(((np.arange(steps) - 1650) / 160) ** 2)))
    return level, level * np.exp(0.12 * rng.standard_normal(steps))


def play_scaler(
    peaks: Sequence[float] | NDArray[np.float64], *, initial_scale: float, growth_interval: int, hysteresis: int = 1
) -> tuple[list[float], list[int]]:
    """The scale in every step of a run with these largest gradients, and the steps that overflowed."""
    machine = Machine(initial_scale, growth_interval, hysteresis)
    scales, overflows = [], []
    for step, peak in enumerate(peaks):
        scales.append(machine.scale)
        overflow = machine.scale * float(peak) >= OVERFLOW
        if overflow:
            overflows.append(step)
        machine.step(overflow=overflow)
    return scales, overflows


def scale_after_spells(
    *, initial_scale: float, growth_interval: int, first_clean: int, burst: int, gap: int, last_clean: int
) -> float:
    """Run the machine over the whole trace."""
    machine = Machine(initial_scale, growth_interval, floor=0.0)
    for length, overflow in ((first_clean, False), (burst, True), (gap, False), (1, True), (last_clean, False)):
        for _ in range(length):
            machine.step(overflow=overflow)
    return machine.scale


def dynamic_scale(
    *, trace: str, initial_scale: float, growth_interval: int, hysteresis: int = 1, min_scale: float = 1
) -> float:
    """Take the trace by its runs: a clean run doubles once for each whole interval in it, a run of overflows halves but for its lives."""
    if set(trace) - {"x", "."} or growth_interval < 1 or hysteresis < 1 or initial_scale <= 0 or min_scale <= 0:
        raise ValueError("no such trace or scaler")
    scale, spare = Fraction(initial_scale), hysteresis - 1
    for letter, run in groupby(trace):
        length = len(list(run))
        if letter == ".":
            doublings = length // growth_interval
            scale *= 2**doublings
            if doublings:
                spare = hysteresis - 1
        else:
            halvings = max(0, length - spare)
            spare = max(0, spare - length)
            if halvings:
                scale = max(scale / 2**halvings, Fraction(min_scale))
    return float(scale)


def clean_steps_to_recover(*, burst: int, growth_interval: int, hysteresis: int = 1) -> int:
    """Run the machine through the burst, and on until its scale is what it was."""
    machine = Machine(1.0, growth_interval, hysteresis, floor=0.0)
    for _ in range(burst):
        machine.step(overflow=True)
    for steps in count():
        if machine.scale >= 1.0:
            return steps
        machine.step(overflow=False)
    raise AssertionError  # count() does not end


def skipped_share(*, growth_interval: int, hysteresis: int = 1) -> float:
    """Run the machine against a ceiling through some of its cycles, and count."""
    machine = Machine(1.0, growth_interval, hysteresis)
    steps, cycles = 0, 3
    while machine.skipped < cycles * hysteresis:
        machine.step(overflow=machine.scale > 1.0)
        steps += 1
    return machine.skipped / steps


def smallest_growth_interval(*, largest_share: float, hysteresis: int = 1) -> int:
    """Try one interval after another."""
    wanted = Fraction(repr(float(largest_share)))
    return next(interval for interval in count(1) if Fraction(hysteresis, interval + hysteresis) <= wanted)


def burst_until_lost(
    *, scale: float, smallest_gradient: float, hysteresis: int = 1, number_format: str = "FP16"
) -> int:
    """Let overflow follow overflow until the stored gradient is 0."""
    listed = table(number_format)
    machine = Machine(scale, interval=1000, hysteresis=hysteresis)
    if nearest(listed, smallest_gradient) != 0:
        raise ValueError("it needs no scale")
    while nearest(listed, machine.scale * smallest_gradient) != 0:
        machine.step(overflow=True)
    return machine.skipped


def blind_steps(
    *, scale: float, burst: int, growth_interval: int, smallest_gradient: float, hysteresis: int = 1
) -> int:
    """Run the machine through the burst and on, and count the clean steps in which the stored gradient is 0."""
    listed = table("FP16")
    machine = Machine(scale, growth_interval, hysteresis, floor=0.0)
    for _ in range(burst):
        machine.step(overflow=True)
    blind = 0
    while nearest(listed, machine.scale * smallest_gradient) == 0:
        machine.step(overflow=False)
        blind += 1
    return blind
