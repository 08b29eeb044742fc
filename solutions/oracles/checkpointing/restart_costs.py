"""Failures that strike at every moment of a cycle in turn, and what each costs the GPUs that wait."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import fsum

MOMENTS = 10


def _mean(of: Callable[[Fraction], Fraction], low: Fraction, high: Fraction) -> Fraction:
    """Mean over a stretch on which the cost grows evenly: many moments, each in the middle of its share."""
    width = (high - low) / MOMENTS
    return sum((of(low + width * (2 * place + 1) / 2) for place in range(MOMENTS)), Fraction(0)) / MOMENTS


def lost_work_seconds(*, interval_s: float, write_s: float = 0) -> float:
    """Strike in training and in writing, as often as each is long, and look when the last write ended."""
    interval, write = Fraction(interval_s), Fraction(write_s)
    while_training = _mean(lambda moment: moment, Fraction(0), interval)
    while_writing = _mean(lambda moment: moment, interval, interval + write)
    return float((while_training * interval + while_writing * write) / (interval + write))


def background_failure_seconds(*, period_s: float, drain_s: float, restart_s: float = 0) -> float:
    """Strike while the newest state drains, when the one before has to do, and afterwards; then restart."""
    period, drain = Fraction(period_s), Fraction(drain_s)
    draining = _mean(lambda moment: period + moment, Fraction(0), drain)
    drained = _mean(lambda moment: moment, drain, period)
    return float((draining * drain + drained * (period - drain)) / period + Fraction(restart_s))


def failure_seconds(*, interval_s: float, write_s: float, detect_s: float, restart_s: float) -> float:
    """Follow the clock from the failure to the step at which the job had been before."""
    clock = Fraction(0)
    for wait in (detect_s, restart_s, lost_work_seconds(interval_s=interval_s, write_s=write_s)):
        clock += Fraction(wait)
    return float(clock)


def failures_dollars(
    *,
    gpus: int,
    span_s: float,
    mtbf_s: float,
    interval_s: float,
    write_s: float,
    detect_s: float,
    restart_s: float,
    dollars_per_gpu_hour: float,
) -> float:
    """Rent of one GPU in one failure, for all failures of all GPUs."""
    one = failure_seconds(interval_s=interval_s, write_s=write_s, detect_s=detect_s, restart_s=restart_s)
    rent = Fraction(one) / 3600 * Fraction(dollars_per_gpu_hour)
    return float(rent * gpus * Fraction(span_s) / Fraction(mtbf_s))


def proposal_seconds_saved(
    *,
    failures: int,
    interval_s: float,
    write_s: float,
    detect_s: float,
    restart_s: float,
    avoided_failures: int = 0,
    new_detect_s: float | None = None,
    new_restart_s: float | None = None,
    new_interval_s: float | None = None,
    training_s: float = 0,
) -> float:
    """Replay the run twice, failure by failure, as it was and as it would have been."""

    def replay(count: int, interval: float, detect: float, restart: float) -> float:
        writing = training_s / interval * write_s
        one = failure_seconds(interval_s=interval, write_s=write_s, detect_s=detect, restart_s=restart)
        return fsum([writing, *(one for _ in range(count))])

    was = replay(failures, interval_s, detect_s, restart_s)
    would = replay(
        failures - avoided_failures,
        interval_s if new_interval_s is None else new_interval_s,
        detect_s if new_detect_s is None else new_detect_s,
        restart_s if new_restart_s is None else new_restart_s,
    )
    return was - would
