"""How often to write a checkpoint: Young's rule, Daly's, the exact optimum, and what each interval leaves of the time."""

from __future__ import annotations

from math import exp, expm1, inf, sqrt

from ..facts.arguments import require_not_negative, require_positive


def young_interval_seconds(*, write_s: float, mtbf_s: float) -> float:
    """Best training time between two checkpoints, to first order.

        I = √(2 · C · M)

    Writing costs C/I of the training time, lost work I/2 in every M: both are equal at the best interval. It holds for
    C much smaller than M.

    Units:   seconds; write_s is the time for which training waits. Result in seconds of training.
    Raises:  ValueError if an argument is not positive.
    Source:  Young 1974, doi:10.1145/361147.361115.

    >>> round(young_interval_seconds(write_s=98, mtbf_s=24 * 3600) / 60, 2)   # minutes
    68.59
    """
    require_positive(write_s=write_s, mtbf_s=mtbf_s)
    return sqrt(2 * write_s * mtbf_s)


def daly_interval_seconds(*, write_s: float, mtbf_s: float) -> float:
    """Best training time between two checkpoints, to higher order.

        τ = √(2·δ·M) · [1 + ⅓·√(δ / 2M) + ⅑·(δ / 2M)] - δ     for δ < 2M,     τ = M     otherwise

    Units:   seconds. Result in seconds of training, the writing not included.
    Raises:  ValueError if an argument is not positive.
    Source:  Daly 2006, doi:10.1016/j.future.2004.11.016, the perturbation solution; captions of Figures 3 to 5.

    >>> [round(daly_interval_seconds(write_s=5, mtbf_s=minutes), 1) for minutes in (1440, 360, 15)]   # all in minutes
    [116.7, 56.7, 9.1]
    """
    require_positive(write_s=write_s, mtbf_s=mtbf_s)
    if write_s >= 2 * mtbf_s:
        return mtbf_s
    ratio = write_s / (2 * mtbf_s)
    return sqrt(2 * write_s * mtbf_s) * (1 + sqrt(ratio) / 3 + ratio / 9) - write_s


def exact_interval_seconds(*, write_s: float, mtbf_s: float) -> float:
    """Best training time between two checkpoints when failures come at a constant rate, with no approximation.

        I = M · [1 + W₀(-e^(-1 - C/M))]

    W₀ is the main branch of Lambert's function. Here u = I/M is found by Newton's method from u + e^(-u-c) = 1, c = C/M,
    which is the same. The time of a restart does not appear: it costs as much with any interval.

    Units:   seconds. Result in seconds of training, the writing not included.
    Raises:  ValueError if an argument is not positive.
    Source:  Daly 2006, doi:10.1016/j.future.2004.11.016; Benoit et al. 2022, Checkpointing à la Young/Daly,
             doi:10.1145/3549206.3549328.

    >>> round(exact_interval_seconds(write_s=98, mtbf_s=24 * 3600) / 60, 2)   # minutes; Young's rule says 68.59
    67.5
    """
    require_positive(write_s=write_s, mtbf_s=mtbf_s)
    dump = write_s / mtbf_s
    share = 1.0  # convex and rising there, so Newton comes down from the right
    while True:
        excess = exp(-share - dump)
        better = share - (share + excess - 1) / (1 - excess)
        if not better < share:
            return share * mtbf_s
        share = better


def run_seconds(*, training_s: float, interval_s: float, write_s: float, restart_s: float, mtbf_s: float) -> float:
    """Expected wall time of a run with checkpoints and failures, exactly.

        T = (training / I) · M · e^(R/M) · (e^((I+C)/M) - 1)

    Failures come at a constant rate, also while a checkpoint is written or a restart is under way; either then begins anew.

    Units:   seconds; restart_s from the failure to the first step after it, lost work not included. Result in seconds.
    Raises:  ValueError if a time is not positive, or restart_s is negative. Gives inf where no float holds the result.
    Source:  Daly 2006, doi:10.1016/j.future.2004.11.016, the complete cost function.

    >>> day = 86400
    >>> round(run_seconds(training_s=30 * day, interval_s=4115, write_s=98, restart_s=600, mtbf_s=day) / day, 2)
    31.69
    """
    require_positive(training_s=training_s, interval_s=interval_s, write_s=write_s, mtbf_s=mtbf_s)
    require_not_negative(restart_s=restart_s)
    segments = training_s / interval_s
    try:
        return segments * mtbf_s * exp(restart_s / mtbf_s) * expm1((interval_s + write_s) / mtbf_s)
    except OverflowError:
        return inf


def write_overhead(*, interval_s: float, write_s: float) -> float:
    """Time for which training waits for checkpoints, over the training time.

        overhead = C / I

    Units:   seconds. Result as a fraction of the training time.
    Raises:  ValueError if an argument is not positive.
    Source:  Young 1974, doi:10.1145/361147.361115.

    >>> round(write_overhead(interval_s=4115, write_s=98), 4)
    0.0238
    """
    require_positive(interval_s=interval_s, write_s=write_s)
    return write_s / interval_s


def total_waste(*, interval_s: float, write_s: float, mtbf_s: float, restart_s: float = 0) -> float:
    """All that checkpoints and failures cost, over the training time, to first order.

        waste = C/I + I/(2M) + R/M

    Units:   seconds. Result as a fraction of the training time.
    Raises:  ValueError if a time is not positive, or restart_s is negative.
    Source:  Young 1974, doi:10.1145/361147.361115, with the restart added.

    >>> round(total_waste(interval_s=4115, write_s=98, mtbf_s=24 * 3600), 4)   # twice the overhead of writing
    0.0476
    """
    require_positive(mtbf_s=mtbf_s)
    require_not_negative(restart_s=restart_s)
    lost = interval_s / (2 * mtbf_s)
    return write_overhead(interval_s=interval_s, write_s=write_s) + lost + restart_s / mtbf_s


def least_waste(*, write_s: float, mtbf_s: float, restart_s: float = 0, with_writing: bool = True) -> float:
    """Total waste at Young's interval, over the training time, to first order; or what failures cost of it.

        waste    = √(2C/M) + R/M
        failures = √(C/2M) + R/M          with_writing = False: the other half of the root is the write overhead

    Units:   seconds. Result as a fraction of the training time.
    Raises:  ValueError if a time is not positive, or restart_s is negative.
    Source:  Young 1974, doi:10.1145/361147.361115, with the restart added.

    >>> day = 24 * 3600
    >>> round(least_waste(write_s=98, mtbf_s=day), 4), round(least_waste(write_s=98, mtbf_s=day, with_writing=False), 4)
    (0.0476, 0.0238)
    """
    best = young_interval_seconds(write_s=write_s, mtbf_s=mtbf_s)
    waste = total_waste(interval_s=best, write_s=write_s, mtbf_s=mtbf_s, restart_s=restart_s)
    return waste if with_writing else waste - write_overhead(interval_s=best, write_s=write_s)


def effective_training_share(*, interval_s: float, write_s: float, restart_s: float, mtbf_s: float) -> float:
    """Share of the wall time that trains for good (goodput, effective training time ratio), to first order.

        share = (1 - (R + I/2) / M) / (1 + C/I)

    Failures are counted in wall time, and each takes the restart and half an interval. What is left is training and writing.

    Units:   seconds. Result as a fraction of the wall time.
    Raises:  ValueError if a time is not positive, restart_s is negative, or failures take all the time.
    Source:  Kokolis et al. 2025, arXiv:2410.21680, the estimate of the expected effective training time ratio.

    >>> round(effective_training_share(interval_s=1800, write_s=30, restart_s=600, mtbf_s=3.09 * 3600), 3)
    0.851
    """
    overhead = write_overhead(interval_s=interval_s, write_s=write_s)
    require_positive(mtbf_s=mtbf_s)
    require_not_negative(restart_s=restart_s)
    left = 1 - (restart_s + interval_s / 2) / mtbf_s
    if left <= 0:
        raise ValueError("failures take all the time")
    return left / (1 + overhead)


def best_steps(*, step_s: float, write_s: float, mtbf_s: float) -> int:
    """Whole number of steps between checkpoints with the shortest expected run, and the smaller one of two equals.

        run time ∝ (e^((n·step + C)/M) - 1) / n,   which falls and then rises: n is next to the exact interval / step

    Units:   seconds. Result is a count of at least 1.
    Raises:  ValueError if an argument is not positive.
    Source:  Daly 2006, doi:10.1016/j.future.2004.11.016, the complete cost function, in whole steps.

    >>> best_steps(step_s=10, write_s=98, mtbf_s=24 * 3600)   # Young's rule says 411.5
    405
    """
    require_positive(step_s=step_s)
    below = max(int(exact_interval_seconds(write_s=write_s, mtbf_s=mtbf_s) / step_s), 1)

    def run(steps: int) -> float:
        return run_seconds(training_s=step_s, interval_s=steps * step_s, write_s=write_s, restart_s=0, mtbf_s=mtbf_s)

    return below if run(below) <= run(below + 1) else below + 1


def young_steps(*, write_s: float, mtbf_s: float, step_s: float) -> float:
    """Young's interval, in training steps.

        n = √(2 · C · M) / step

    Units:   seconds. Result in steps, not rounded.
    Raises:  ValueError if an argument is not positive.
    Source:  Young 1974, doi:10.1145/361147.361115.

    >>> round(young_steps(write_s=98, mtbf_s=24 * 3600, step_s=10), 1)
    411.5
    """
    require_positive(step_s=step_s)
    return young_interval_seconds(write_s=write_s, mtbf_s=mtbf_s) / step_s
