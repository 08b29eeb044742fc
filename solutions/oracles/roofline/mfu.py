"""Throughput, played: GPUs work off tokens step by step, wait for each other, and lose time one cause after another."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from ..search import bisect, smallest
from .flops import step_flop

STEPS = 7


def achieved_flop_per_s(*, flop_per_token: float, tokens_per_s: float, gpus: int) -> float:
    """Let the cluster run some seconds, deal the FLOP out over the GPUs, and read one GPU's counter."""
    counter = sum(Fraction(flop_per_token) * Fraction(tokens_per_s) / gpus for _ in range(STEPS))
    return float(counter / STEPS)


def utilisation(*, flop_per_token: float, tokens_per_s: float, gpus: int, peak_flop_per_s: float) -> float:
    """Compare a token's time on the cluster with its time on as many GPUs that run at their peak."""
    at_peak_s = Fraction(flop_per_token) / (gpus * Fraction(peak_flop_per_s))
    return float(at_peak_s / (1 / Fraction(tokens_per_s)))


def mfu_of_step(
    *, sequences: int, sequence_length: int, step_s: float, gpus: int, peak_flop_per_s: float, layers: int, hidden: int,
    ffn_hidden: int, heads: int, kv_heads: int, vocabulary: int,
) -> float:  # fmt: skip
    """Trace a step of one sequence, and compare the batch's time at the peak with the time that it took."""
    one = step_flop(
        tokens=sequence_length, sequence_length=sequence_length, layers=layers, hidden=hidden, ffn_hidden=ffn_hidden,
        heads=heads, kv_heads=kv_heads, vocabulary=vocabulary,
    )  # fmt: skip
    at_peak_s = sum(Fraction(one) / gpus / Fraction(peak_flop_per_s) for _ in range(sequences))
    return float(at_peak_s / Fraction(step_s))


def step_utilisation(*, step_flop: float, step_s: float, gpus: int, peak_flop_per_s: float) -> float:
    """Compare a step's time with its time at the peak."""
    return float(Fraction(step_flop) / gpus / Fraction(peak_flop_per_s) / Fraction(step_s))


def tokens_per_s_at_mfu(*, mfu: float, flop_per_token: float, gpus: int, peak_flop_per_s: float) -> float:
    """Search the throughput at which the dashboard shows this utilisation."""

    def too_fast(tokens_per_s: float) -> float:
        shown = utilisation(
            flop_per_token=flop_per_token, tokens_per_s=tokens_per_s, gpus=gpus, peak_flop_per_s=peak_flop_per_s
        )
        return shown - mfu

    return bisect(too_fast, 1e-9, 2 * gpus * peak_flop_per_s / flop_per_token)


def gpus_in_time(*, work_flop: float, achieved_flop_per_s: float, run_s: float) -> int:
    """Add GPUs until what they do together in that time is the work."""
    each = Fraction(achieved_flop_per_s) * Fraction(run_s)
    return smallest(lambda gpus: gpus * each >= Fraction(work_flop), largest=10**9)


def seconds_for_tokens(*, training_tokens: float, tokens_per_s: float) -> float:
    """Work the tokens off in portions of a day's worth, and add up the time."""
    left, seconds = Fraction(training_tokens), Fraction(0)
    portion = Fraction(tokens_per_s) * 86400
    while left > portion:
        left, seconds = left - portion, seconds + 86400
    return float(seconds + left / Fraction(tokens_per_s))


def hfu_from_mfu(*, mfu: float, model_flop: float, hardware_flop: float) -> float:
    """Take a second of peak FLOP, let the model's fill the MFU, and see how much the hardware's fill."""
    at_peak = 1.0
    tokens = mfu * at_peak / model_flop
    return tokens * hardware_flop / at_peak


def mfu_from_profile(
    *, kernel_efficiency: float, step_shares_lost: Sequence[float], recompute_ratio: float = 1.0
) -> float:
    """Fill an hour with what is lost, compute in the rest, and put the useful part next to an hour at the peak."""
    hour_s = left_s = Fraction(3600)
    for lost in step_shares_lost:
        left_s -= hour_s * Fraction(lost)
    if left_s <= 0:
        raise ValueError("nothing is left of the hour")
    done = left_s * Fraction(kernel_efficiency)
    recomputed = done - done / Fraction(recompute_ratio)
    return float((done - recomputed) / hour_s)


def share_that_may_be_lost(
    *, mfu: float, kernel_efficiency: float, lost_elsewhere: float, recompute_ratio: float = 1.0
) -> float:
    """Lose more and more of the hour, until the MFU has fallen to its target."""

    def fallen(share: float) -> float:
        left = 1 - lost_elsewhere - share
        reached = left * kernel_efficiency / recompute_ratio if left > 0 else 0.0
        return mfu - reached

    if fallen(0) > 0:
        raise ValueError("out of reach")
    return bisect(fallen, 0, 1)


def mfu_before_speedup(*, mfu: float, speedup: float) -> float:
    """Let the baseline work for as much longer as it is slower, and divide the same work by that time."""
    work, fast_s = mfu, 1.0
    return work / (fast_s * speedup)


def paced_tokens_per_s(*, tokens_per_s_per_gpu: float, slowdowns: Sequence[float]) -> float:
    """Let every GPU do its part of each step, and none begin the next one before all are done."""
    clock, paces = Fraction(0), {Fraction(slowdown) for slowdown in slowdowns}  # GPUs of one pace are done together
    for _ in range(STEPS):
        clock = max(clock + pace for pace in paces)  # a healthy step takes 1 second
    return float(STEPS * len(slowdowns) * Fraction(tokens_per_s_per_gpu) / clock)


def keep_or_drop(*, gpus: int, slow_gpus: int, slowdown: float, gpus_per_replica: int) -> str:
    """Run the job with its slow GPUs, and with whole replicas taken out until no slow GPU is left."""
    pace = [slowdown] * slow_gpus + [1.0] * (gpus - slow_gpus)
    replicas = [pace[start : start + gpus_per_replica] for start in range(0, gpus, gpus_per_replica)]
    healthy = [gpu for replica in replicas if max(replica) == 1 for gpu in replica]
    if not healthy:
        return "keep"
    with_them = paced_tokens_per_s(tokens_per_s_per_gpu=1, slowdowns=pace)
    without = paced_tokens_per_s(tokens_per_s_per_gpu=1, slowdowns=healthy)
    return "drop" if without > with_them else "keep"
