"""Step times under gradient accumulation: what one all-reduce for many micro-batches saves, and what measured times tell."""

from __future__ import annotations

import math

from ..facts.arguments import require_counts, require_fraction, require_not_negative, require_positive


def step_seconds(*, accumulation_steps: int, micro_batch_s: float, all_reduce_s: float) -> float:
    """Time of one optimizer step with one all-reduce at its end.

        t = a · t_mb + t_ar

    Units:   micro_batch_s is forward and backward of one micro-batch; seconds throughout.
    Raises:  ValueError if accumulation_steps is below 1, micro_batch_s not positive, or all_reduce_s negative.
    Source:  Li et al. 2020, arXiv:2006.15704, section 3.2.4; no overlap.

    >>> round(step_seconds(accumulation_steps=64, micro_batch_s=0.120, all_reduce_s=0.050) * 1e3)   # milliseconds
    7730
    """
    require_counts(accumulation_steps=accumulation_steps)
    require_positive(micro_batch_s=micro_batch_s)
    require_not_negative(all_reduce_s=all_reduce_s)
    return accumulation_steps * micro_batch_s + all_reduce_s


def samples_per_second(
    *, micro_batch: int, accumulation_steps: int, dp: int, micro_batch_s: float, all_reduce_s: float
) -> float:
    """Throughput of the whole job with gradient accumulation.

        rate = b · a · dp / (a · t_mb + t_ar)

    Units:   seconds and counts; result in samples per second over all replicas.
    Raises:  ValueError if a count is below 1, micro_batch_s not positive, or all_reduce_s negative.
    Source:  Li et al. 2020, arXiv:2006.15704, section 3.2.4; no overlap.

    >>> rate = samples_per_second(micro_batch=4, accumulation_steps=64, dp=8,
    ...                           micro_batch_s=0.120, all_reduce_s=0.050)
    >>> round(rate, 1)
    264.9
    """
    require_counts(micro_batch=micro_batch, accumulation_steps=accumulation_steps, dp=dp)
    require_positive(micro_batch_s=micro_batch_s)
    require_not_negative(all_reduce_s=all_reduce_s)
    samples_done = micro_batch * accumulation_steps * dp
    compute_s = accumulation_steps * micro_batch_s
    step_s = compute_s + all_reduce_s
    return samples_done / step_s


def communication_share(*, accumulation_steps: int, micro_batch_s: float, all_reduce_s: float) -> float:
    """The share of a step's total time that goes into its all-reduce.

        share = t_ar / (a · t_mb + t_ar)

    Units:   seconds; result is a fraction of the total time, always below 1.
    Raises:  ValueError if accumulation_steps is below 1, micro_batch_s not positive, or all_reduce_s negative.
    Source:  definition; Li et al. 2020, arXiv:2006.15704, section 3.2.4.

    >>> round(communication_share(accumulation_steps=64, micro_batch_s=0.120, all_reduce_s=0.050), 5)
    0.00647
    >>> round(communication_share(accumulation_steps=1, micro_batch_s=0.120, all_reduce_s=0.050), 3)
    0.294
    """
    require_counts(accumulation_steps=accumulation_steps)
    require_positive(micro_batch_s=micro_batch_s)
    require_not_negative(all_reduce_s=all_reduce_s)
    compute_s = accumulation_steps * micro_batch_s
    return all_reduce_s / (compute_s + all_reduce_s)


def communication_overhead(*, accumulation_steps: int, micro_batch_s: float, all_reduce_s: float) -> float:
    """Time that the all-reduce adds to a step, relative to its compute time.

        overhead = t_ar / (a · t_mb)

    It may exceed 1, where a share of the total cannot.

    Units:   seconds; result is a fraction of the compute time.
    Raises:  ValueError if accumulation_steps is below 1, micro_batch_s not positive, or all_reduce_s negative.
    Source:  definition.

    >>> round(communication_overhead(accumulation_steps=1, micro_batch_s=0.120, all_reduce_s=0.050), 3)
    0.417
    """
    require_counts(accumulation_steps=accumulation_steps)
    require_positive(micro_batch_s=micro_batch_s)
    require_not_negative(all_reduce_s=all_reduce_s)
    compute_s = accumulation_steps * micro_batch_s
    return all_reduce_s / compute_s


def steps_for_share(*, micro_batch_s: float, all_reduce_s: float, largest_share: float) -> int:
    """Smallest number of accumulation steps that keeps the all-reduce at or below a share of the step.

        a = ⌈ t_ar · (1 - f) / (f · t_mb) ⌉

    Solve t_ar / (a · t_mb + t_ar) ≤ f for a. "At or below": a share of exactly f is allowed.

    Units:   seconds; largest_share is a fraction of the total time. Result is a count of at least 1.
    Raises:  ValueError if a time is not positive or largest_share is not between 0 and 1.
    Source:  communication_share of this module, solved for the steps.

    >>> steps_for_share(micro_batch_s=0.120, all_reduce_s=0.050, largest_share=0.05)
    8
    >>> steps_for_share(micro_batch_s=0.025, all_reduce_s=0.050, largest_share=0.05)   # 38 meet 5 % exactly
    38
    """
    require_positive(micro_batch_s=micro_batch_s, all_reduce_s=all_reduce_s)
    require_fraction(largest_share=largest_share)
    compute_s = all_reduce_s * (1 - largest_share) / largest_share
    # Rounding in the last bits must not add a micro-batch where the share is met exactly.
    return max(1, math.ceil(compute_s / micro_batch_s * (1 - 1e-12)))


def share_after_change(*, share: float, accumulation_steps: int, other_steps: int) -> float:
    """The share of communication when the accumulation steps change and nothing else does.

        share' = 1 / (1 + (a'/a) · (1 - f)/f)

    The overhead f/(1 - f) is what goes as 1/a. The share does not, since the step that it is a share of changes too.

    Units:   share is a fraction of the total time; the steps are counts. Result is a fraction of the total time.
    Raises:  ValueError if share is not between 0 and 1 or a count is below 1.
    Source:  communication_share of this module, solved for the ratio of the times.

    >>> round(share_after_change(share=0.10, accumulation_steps=8, other_steps=2), 4)   # and not 40 %
    0.3077
    """
    require_counts(accumulation_steps=accumulation_steps, other_steps=other_steps)
    require_positive(share=share, compute_share=1 - share)
    compute_per_wait = (1 - share) / share
    return 1 / (1 + other_steps / accumulation_steps * compute_per_wait)


def waiting_seconds(*, few_steps: int, few_step_s: float, many_steps: int, many_step_s: float) -> float:
    """Time of a step beyond its micro-batches, from the step times with few and with many accumulation steps.

        t_w = (a_2 · T_1 - a_1 · T_2) / (a_2 - a_1)

    The steps differ only in their micro-batches, so the slope is the time of one. What is left at a = 0 is the wait: the
    part of the all-reduce that nothing hides, and the optimizer.

    Units:   counts and seconds. Result in seconds.
    Raises:  ValueError if many_steps is not above few_steps, a time is not positive, or the times
             grow by more than the steps.
    Source:  step_seconds of this module, for two numbers of accumulation steps, solved for the all-reduce.

    >>> round(waiting_seconds(few_steps=8, few_step_s=1.010, many_steps=64, many_step_s=7.730), 6)   # 120 ms each
    0.05
    """
    require_counts(few_steps=few_steps, many_steps=many_steps)
    require_positive(few_step_s=few_step_s, many_step_s=many_step_s)
    if many_steps <= few_steps:
        raise ValueError(f"many_steps must be more than few_steps {few_steps}, not {many_steps}")
    waited = many_steps * few_step_s - few_steps * many_step_s
    if waited < 0:
        raise ValueError("the step times must grow by less than the accumulation steps")
    return waited / (many_steps - few_steps)


def overtaking_steps(
    *,
    near_micro_batch_s: float,
    near_all_reduce_s: float,
    far_micro_batch_s: float,
    far_all_reduce_s: float,
) -> int:
    """Fewest accumulation steps with which fast GPUs on a slow network finish a step before slow GPUs on a fast one.

        a = ⌊(r_far - r_near) / (t_near - t_far)⌋ + 1

    A step takes a · t + r on each. The far site saves t_near - t_far with every micro-batch, and pays r_far - r_near once.

    Units:   seconds. Result is a count.
    Raises:  ValueError if a time is not positive, or the far site has not the shorter micro-batch and longer all-reduce.
    Source:  step_seconds of this module for two sites.

    >>> overtaking_steps(near_micro_batch_s=0.4, near_all_reduce_s=0.1, far_micro_batch_s=0.3, far_all_reduce_s=1.05)
    10
    """
    require_positive(near_micro_batch_s=near_micro_batch_s, near_all_reduce_s=near_all_reduce_s)
    require_positive(far_micro_batch_s=far_micro_batch_s, far_all_reduce_s=far_all_reduce_s)
    if far_micro_batch_s >= near_micro_batch_s or far_all_reduce_s <= near_all_reduce_s:
        raise ValueError("the far site must have the shorter micro-batch and the longer all-reduce")
    lost_s = far_all_reduce_s - near_all_reduce_s
    saved_s = near_micro_batch_s - far_micro_batch_s
    return math.floor(lost_s / saved_s) + 1
