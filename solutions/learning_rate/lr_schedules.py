"""Schedules of the learning rate: warmup, cosine, warmup-stable-decay, their areas, and their length at another batch."""

from __future__ import annotations

import math

from ..facts.arguments import require_counts, require_fraction, require_not_negative, require_positive


def scaled_steps(*, steps: int, base_batch: float, batch: float) -> float:
    """Steps that see the same data with another batch, and so the horizon over which a schedule has to run.

        S = S_0 · B_0 / B

    Units:   steps; batches in samples or tokens, both the same.
    Raises:  ValueError if steps is below 1 or a batch is not positive.
    Source:  counting; Hoffmann et al. 2022, arXiv:2203.15556, section 3.1 (a schedule as long as the run).

    >>> scaled_steps(steps=100_000, base_batch=256, batch=512)
    50000.0
    """
    require_counts(steps=steps)
    require_positive(base_batch=base_batch, batch=batch)
    return steps * base_batch / batch


def warmup_steps(*, base_warmup_steps: int, base_batch: float, batch: float) -> float:
    """Warmup that a rule of thumb proposes for a larger batch.

        steps = w_0 · B / B_0

    A house rule without a paper behind it. Goyal et al. keep the epochs of a warmup, so that its steps fall with the
    batch; LEGW keeps its steps. Llama 3 405B warms up for 8,000 of 1,200,000 steps.

    Units:   steps; batches in samples or tokens, both the same.
    Raises:  ValueError if an argument is not positive.
    Source:  rule of thumb; compare Goyal et al. 2017, arXiv:1706.02677, section 2.2, and You et al. 2019,
             arXiv:1901.08256 (LEGW).

    >>> warmup_steps(base_warmup_steps=1000, base_batch=256, batch=2048)
    8000.0
    """
    require_counts(base_warmup_steps=base_warmup_steps)
    require_positive(base_batch=base_batch, batch=batch)
    return base_warmup_steps * batch / base_batch


def warmup_share(*, base_warmup_steps: int, base_total_steps: int, base_batch: float, batch: float) -> float:
    """The share of a run that is warmup when its warmup grows with the batch and its data stay the same.

        share = (w_0 / S_0) · (B / B_0)²

    Once because the warmup has more steps, and once because the run has fewer.

    Units:   steps; batches in samples or tokens, both the same. Result is a fraction.
    Raises:  ValueError if an argument is not positive or the warmup is longer than the run.
    Source:  warmup_steps and scaled_steps of this module.

    >>> round(warmup_share(base_warmup_steps=1000, base_total_steps=100_000, base_batch=256, batch=2048), 6)
    0.64
    """
    steps = warmup_steps(base_warmup_steps=base_warmup_steps, base_batch=base_batch, batch=batch)
    total_steps = scaled_steps(steps=base_total_steps, base_batch=base_batch, batch=batch)
    if steps > total_steps:
        raise ValueError(f"the warmup of {steps:g} steps must fit into the run of {total_steps:g}")
    return steps / total_steps


def batch_for_warmup_share(
    *, base_warmup_steps: int, base_total_steps: int, base_batch: float, largest_share: float
) -> float:
    """Largest batch at which a warmup that grows with the batch keeps to a share of a run on the same data.

        B = B_0 · √(f · S_0 / w_0)

    Units:   steps; largest_share is a fraction of the run. Result is in the unit of base_batch.
    Raises:  ValueError if an argument is not positive, or the share is not a fraction.
    Source:  warmup_share of this module, solved for the batch.

    >>> round(batch_for_warmup_share(base_warmup_steps=1000, base_total_steps=100_000, base_batch=256,
    ...                              largest_share=0.04))   # from 1 % to 4 %: twice the batch
    512
    """
    require_counts(base_warmup_steps=base_warmup_steps, base_total_steps=base_total_steps)
    require_positive(base_batch=base_batch)
    require_fraction(largest_share=largest_share)
    growth = largest_share * base_total_steps / base_warmup_steps
    return base_batch * math.sqrt(growth)


def cosine_lr(*, step: int, peak_lr: float, final_lr: float, warmup_steps: int, total_steps: int) -> float:
    """Learning rate at a step of a schedule with linear warmup and one half of a cosine.

        lr = lr_max · t / w                                              while t < w
        lr = lr_min + (lr_max - lr_min) · (1 + cos(π · (t-w)/(S-w))) / 2   from w to S, then lr_min

    Units:   steps; total_steps includes the warmup. Result is a learning rate.
    Raises:  ValueError if step or final_lr is negative, peak_lr not positive, or the warmup fills the run.
    Source:  Loshchilov & Hutter 2017, arXiv:1608.03983, section 3; warmup of Goyal et al. 2017, section 2.2.

    >>> schedule = {"peak_lr": 3e-4, "final_lr": 3e-5, "warmup_steps": 2000, "total_steps": 100_000}
    >>> [round(cosine_lr(step=t, **schedule), 9) for t in (0, 1000, 2000, 51_000, 100_000)]
    [0.0, 0.00015, 0.0003, 0.000165, 3e-05]
    """
    require_not_negative(step=step, final_lr=final_lr)
    require_positive(peak_lr=peak_lr)
    require_counts(warmup_steps=warmup_steps, total_steps=total_steps)
    require_counts(decay_steps=total_steps - warmup_steps)
    warmup_lr = peak_lr * step / warmup_steps
    progress = (step - warmup_steps) / (total_steps - warmup_steps)
    cosine = math.cos(math.pi * min(progress, 1.0))
    decayed_lr = final_lr + (peak_lr - final_lr) * (1 + cosine) / 2
    return warmup_lr if step < warmup_steps else decayed_lr


def wsd_lr(*, step: int, peak_lr: float, warmup_steps: int, stable_steps: int, decay_steps: int) -> float:
    """Learning rate at a step of a warmup-stable-decay schedule with linear ends.

        lr = lr_max · t / w                          while t < w
        lr = lr_max                                  for the next s steps
        lr = lr_max · (w + s + d - t) / d            for the next d steps, then 0

    Nothing before the decay depends on the length of the run, which is what a cosine cannot offer.

    Units:   steps. Result is a learning rate.
    Raises:  ValueError if step is negative, peak_lr not positive, or a phase has no steps.
    Source:  Hu et al. 2024, arXiv:2404.06395, section 4 (MiniCPM).

    >>> schedule = {"peak_lr": 4e-4, "warmup_steps": 1000, "stable_steps": 8000, "decay_steps": 1000}
    >>> [wsd_lr(step=t, **schedule) for t in (500, 1000, 9000, 9500, 10_000)]
    [0.0002, 0.0004, 0.0004, 0.0002, 0.0]
    """
    require_not_negative(step=step)
    require_positive(peak_lr=peak_lr)
    require_counts(warmup_steps=warmup_steps, stable_steps=stable_steps, decay_steps=decay_steps)
    total_steps = warmup_steps + stable_steps + decay_steps
    warmed = step / warmup_steps
    remaining = (total_steps - step) / decay_steps
    return peak_lr * max(0.0, min(warmed, 1.0, remaining))


def cosine_area(
    *, peak_lr: float, final_lr: float, warmup_steps: int, total_steps: int, initial_lr: float = 0.0
) -> float:
    """Area under a schedule of linear warmup and half a cosine: learning rate times steps.

        area = w · (lr_0 + lr_max) / 2 + (S - w) · (lr_max + lr_min) / 2

    Half a cosine spends as much time above its middle as below, so its mean is the middle.

    Units:   steps; initial_lr is the rate that the warmup starts from. Result in learning rate times steps.
    Raises:  ValueError if peak_lr is not positive, another rate or warmup_steps negative, or the warmup fills the run.
    Source:  integral of the schedule of Loshchilov & Hutter 2017, arXiv:1608.03983.

    >>> round(cosine_area(peak_lr=3e-4, final_lr=0.0, warmup_steps=0, total_steps=100_000), 9)
    15.0
    >>> round(cosine_area(peak_lr=6e-4, final_lr=0.0, warmup_steps=0, total_steps=50_000), 9)   # twice the rate
    15.0
    """
    require_positive(peak_lr=peak_lr)
    require_not_negative(final_lr=final_lr, warmup_steps=warmup_steps, initial_lr=initial_lr)
    require_counts(total_steps=total_steps, decay_steps=total_steps - warmup_steps)
    warmup_area = warmup_steps * (initial_lr + peak_lr) / 2
    decay_area = (total_steps - warmup_steps) * (peak_lr + final_lr) / 2
    return warmup_area + decay_area


def wsd_area(*, peak_lr: float, warmup_steps: int, stable_steps: int, decay_steps: int) -> float:
    """Area under a warmup-stable-decay schedule with linear ends: learning rate times steps.

        area = lr_max · (w/2 + s + d/2)

    Units:   steps; result in learning rate times steps.
    Raises:  ValueError if peak_lr is not positive or a number of steps is negative.
    Source:  integral of the schedule of Hu et al. 2024, arXiv:2404.06395, section 4.

    >>> wsd_area(peak_lr=4e-4, warmup_steps=1000, stable_steps=8000, decay_steps=1000)
    3.6
    """
    require_positive(peak_lr=peak_lr)
    require_not_negative(warmup_steps=warmup_steps, stable_steps=stable_steps, decay_steps=decay_steps)
    return peak_lr * (warmup_steps / 2 + stable_steps + decay_steps / 2)


def wsd_to_cosine_area(*, warmup_steps: int, stable_steps: int, decay_steps: int) -> float:
    """How many times the area of a cosine a warmup-stable-decay schedule has, at equal peak, warmup and length.

        ratio = (w/2 + s + d/2) / ((w + s + d) / 2)

    Both end at zero. Warmup and any fall to zero have the peak's half as their mean; only the stable phase has more.

    Units:   steps. Result is a ratio between 1 and 2.
    Raises:  ValueError if a number of steps is negative or all are 0.
    Source:  cosine_area and wsd_area of this module; schedules of Hu et al. 2024, arXiv:2404.06395, section 4.

    >>> wsd_to_cosine_area(warmup_steps=1000, stable_steps=8000, decay_steps=1000)
    1.8
    """
    require_not_negative(warmup_steps=warmup_steps, stable_steps=stable_steps, decay_steps=decay_steps)
    require_counts(total_steps=warmup_steps + stable_steps + decay_steps)
    total_steps = warmup_steps + stable_steps + decay_steps
    return (total_steps + stable_steps) / total_steps
