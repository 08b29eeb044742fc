"""Failures counted: a fleet is watched part by part, and time passes slice by slice."""

from __future__ import annotations

from fractions import Fraction
from math import fsum

from ..search import bisect, smallest


def job_mtbf_seconds(*, part_mtbf_s: float, parts: int) -> float:
    """Join parts two by two: of two sources the first to fire comes after a·b / (a + b)."""
    one, job = Fraction(part_mtbf_s), None
    while parts:
        if parts % 2:
            job = one if job is None else job * one / (job + one)
        parts, one = parts // 2, one * one / (one + one)
    assert job is not None
    return float(job)


def part_mtbf_seconds(*, failures: int, parts: int, observed_s: float) -> float:
    """The MTBF of a part with which a fleet of that size would have had that many failures."""

    def missing(mtbf: float) -> float:
        return failures - observed_s / job_mtbf_seconds(part_mtbf_s=mtbf, parts=parts)

    return bisect(missing, observed_s / failures / 2, 2 * observed_s * parts, rounds=80)


def mtbf_elsewhere_seconds(*, failures: int, parts: int, observed_s: float, other_parts: int) -> float:
    """Deal the failures out to part-seconds, and walk with the other fleet until it has gone through one failure's worth."""
    between = Fraction(observed_s) * parts / failures  # part-seconds from failure to failure
    return float(between / other_parts)


def node_mtbf_seconds(*, failures_per_1000_node_days: float) -> float:
    """Find the fleet's clock: a thousand nodes watched for a day show that many failures."""
    return 1000 * (86400 / failures_per_1000_node_days)


def expected_failures(*, run_s: float, mtbf_s: float) -> float:
    """Cut the run into slices in which at most one thing happens, and add up their chances."""
    slices = 1000
    return fsum(run_s / slices / mtbf_s for _ in range(slices))


def quiet_probability(*, span_s: float, mtbf_s: float) -> float:
    """Cut the span in half forty times: the chance in a slice is its share of the MTBF, and two quiet slices make a longer one."""
    halvings = 40
    noisy = float(Fraction(span_s) / Fraction(mtbf_s) / 2**halvings)
    for _ in range(halvings):  # 1 - (1 - x)² = 2x - x², which keeps small chances exact
        noisy = 2 * noisy - noisy * noisy
    return 1 - noisy


def largest_quiet_job(*, part_mtbf_s: float, span_s: float, probability: float) -> int:
    """Add parts, multiplying in the chance of each, until the job as a whole is too risky."""
    one = quiet_probability(span_s=span_s, mtbf_s=part_mtbf_s)
    return smallest(lambda parts: one**parts < probability, largest=10**9) - 1
