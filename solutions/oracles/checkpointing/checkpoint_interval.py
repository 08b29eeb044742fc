"""Runs with checkpoints and failures: kept as books over a long time, or by what must happen before a segment is done."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from ..search import bisect, smallest

NODES, WEIGHTS = np.polynomial.legendre.leggauss(16)


def lowest(cost: Callable[[complex], complex], low: float, high: float) -> float:
    """Where a function that falls and then rises is lowest: where its slope is zero.

    The slope is the imaginary part that a tiny imaginary step leaves, which is exact to the last bits.
    """
    return bisect(lambda at: cost(complex(at, at * 1e-30)).imag, low, high)


def undisturbed_seconds(span_s: complex, mtbf_s: float, again_s: complex = 0) -> complex:
    """Expected time until a span passes without failure, when each failure costs a delay and the span begins anew.

    Either nothing fails, or something does at some moment; those moments are added up, weighed with their chance.
    """
    pieces = max(1, round(span_s.real / mtbf_s))
    width = span_s / pieces
    at = (np.arange(pieces)[:, None] + (NODES + 1) / 2).ravel() * width
    chance = np.tile(WEIGHTS, pieces) * width / 2 * np.exp(-at / mtbf_s) / mtbf_s
    quiet = np.exp(-span_s / mtbf_s)
    return complex((quiet * span_s + (chance * at).sum() + chance.sum() * again_s) / quiet)


def run_seconds(*, training_s: float, interval_s: float, write_s: float, restart_s: float, mtbf_s: float) -> float:
    """Segment by segment: each has to be trained and written without failure, after each failure a restart likewise."""
    restart = undisturbed_seconds(restart_s, mtbf_s) if restart_s else 0
    return (training_s / interval_s * undisturbed_seconds(interval_s + write_s, mtbf_s, restart)).real


@lru_cache(maxsize=4096)
def exact_interval_seconds(*, write_s: float, mtbf_s: float) -> float:
    """Lengthen the interval as long as a second of training comes cheaper."""
    return lowest(lambda interval: undisturbed_seconds(interval + write_s, mtbf_s) / interval, mtbf_s * 1e-4, mtbf_s)


@lru_cache(maxsize=4096)
def best_steps(*, step_s: float, write_s: float, mtbf_s: float) -> int:
    """Add steps as long as the run gets shorter."""

    def no_better(steps: int) -> bool:
        now, longer = (
            undisturbed_seconds(count * step_s + write_s, mtbf_s).real / count for count in (steps, steps + 1)
        )
        return longer >= now * (1 - 1e-14)

    return smallest(no_better, largest=10**9)


def total_waste(*, interval_s: float, write_s: float, mtbf_s: float, restart_s: float = 0) -> float:
    """Keep books over a thousand failures: what was written, what was trained again, what was waited."""
    trained = 1000 * mtbf_s
    written = trained / interval_s * write_s
    moments = [interval_s * (place + 0.5) / 100 for place in range(100)]  # how long after a checkpoint each strikes
    again = sum(moments) * 10
    return (written + again + 1000 * restart_s) / trained


def write_overhead(*, interval_s: float, write_s: float) -> float:
    """The same books with failures so rare that only the writing is in them."""
    return total_waste(interval_s=interval_s, write_s=write_s, mtbf_s=interval_s * 1e15)


@lru_cache(maxsize=4096)
def young_interval_seconds(*, write_s: float, mtbf_s: float) -> float:
    """Lengthen the interval as long as the books show less waste."""

    def waste(interval: complex) -> complex:
        return write_s / interval + sum(interval * (place + 0.5) / 10 for place in range(10)) / 10 / mtbf_s

    return lowest(waste, write_s * 1e-3, mtbf_s * 1e3)


def young_steps(*, write_s: float, mtbf_s: float, step_s: float) -> float:
    """The same interval, step by step."""
    return young_interval_seconds(write_s=write_s, mtbf_s=mtbf_s) / step_s


def least_waste(*, write_s: float, mtbf_s: float, restart_s: float = 0, with_writing: bool = True) -> float:
    """The books at that interval, with or without what was written."""
    best = young_interval_seconds(write_s=write_s, mtbf_s=mtbf_s)
    paid = write_s if with_writing else 0
    return total_waste(interval_s=best, write_s=paid, mtbf_s=mtbf_s, restart_s=restart_s)


def effective_training_share(*, interval_s: float, write_s: float, restart_s: float, mtbf_s: float) -> float:
    """A thousand MTBFs of wall time: take off the restarts and the work done twice, and fill the rest with whole cycles."""
    wall = 1000 * mtbf_s
    for moment in range(1000):
        wall -= restart_s + interval_s * (moment + 0.5) / 1000
    cycles = wall / (interval_s + write_s)
    return cycles * interval_s / (1000 * mtbf_s)
