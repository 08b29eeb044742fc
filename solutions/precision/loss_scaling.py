"""Loss scaling for FP16: which scale saves small gradients, and what a dynamic scaler does from step to step."""

from __future__ import annotations

import math

from ..facts.arguments import require_counts, require_fraction, require_positive
from .formats import flush_threshold, largest, require_magnitudes, rounded, smallest_normal


def require_trace(trace: str) -> None:
    """Raise ValueError unless a trace has the letters "." (a clean step) and "x" (an overflow) alone.

    >>> require_trace("..x.")
    >>> require_trace("ok")
    Traceback (most recent call last):
    ValueError: a trace has "." for a clean step and "x" for an overflow, not 'ok'
    """
    if not isinstance(trace, str) or set(trace) - {"x", "."}:
        raise ValueError(f'a trace has "." for a clean step and "x" for an overflow, not {trace!r}')


def smallest_rescuing_scale(*, gradient: float, number_format: str = "FP16") -> float:
    """The smallest power of two by which a gradient must be multiplied so that it does not become 0.

        the smallest 2^k with  2^k · |g| > flush threshold

    Units:   none; the scale is at least 1.
    Raises:  ValueError for an unknown format, or a gradient that is not positive.
    Source:  Micikevicius et al. 2018, arXiv:1710.03740, section 3.2.

    >>> smallest_rescuing_scale(gradient=1e-8)      # 2e-8 would round to 0 still, 4e-8 does not
    4.0
    """
    require_positive(gradient=gradient)
    threshold = flush_threshold(number_format=number_format)
    exponent = math.frexp(threshold / gradient)[1]  # k + 1 for a ratio of exactly 2^k, and at the tie it takes that one
    return 2.0 ** max(exponent, 0)


def smallest_precise_scale(*, gradient: float, number_format: str = "FP16") -> float:
    """The smallest power of two with which a gradient has all bits of precision: it is then a normal number.

        the smallest 2^k with  2^k · |g| >= smallest normal

    Units:   none; the scale is at least 1.
    Raises:  ValueError for an unknown format, or a gradient that is not positive.
    Source:  IEEE 754-2019, section 3.4; Micikevicius et al. 2018, arXiv:1710.03740, section 3.2.

    >>> smallest_precise_scale(gradient=1e-8)       # the gradient survives from 4 on, with one bit
    8192.0
    """
    require_positive(gradient=gradient)
    mantissa, exponent = math.frexp(smallest_normal(number_format=number_format) / gradient)
    return 2.0 ** max(exponent - 1 if mantissa == 0.5 else exponent, 0)


def largest_safe_scale(*, gradient: float, number_format: str = "FP16") -> float:
    """The largest power of two by which a gradient can be multiplied without an overflow.

        the largest 2^k with which  2^k · |g|  rounds to a finite number

    Up to half a step beyond the largest number, 65520 in FP16, a value is rounded down to it.

    Units:   none.
    Raises:  ValueError for an unknown format, or a gradient that is not positive.
    Source:  Micikevicius et al. 2018, arXiv:1710.03740, section 3.2.

    >>> largest_safe_scale(gradient=1.5)            # 32768 · 1.5 fits below 65504
    32768.0
    """
    require_positive(gradient=gradient)
    scale = 2.0 ** (math.frexp(largest(number_format=number_format) / gradient)[1] - 1)
    return 2 * scale if math.isfinite(rounded(value=2 * scale * gradient, number_format=number_format)) else scale


def usable_scales(*, smallest_gradient: float, largest_gradient: float, number_format: str = "FP16") -> int:
    """How many powers of two, from 1 on, save the smallest gradient that matters and do not overflow with the largest.

    Units:   a count; 0 when there is none, and then no loss scale helps.
    Raises:  ValueError for an unknown format, magnitudes that are not positive, or the smallest above the largest.
    Source:  Micikevicius et al. 2018, arXiv:1710.03740, section 3.2.

    >>> usable_scales(smallest_gradient=1e-8, largest_gradient=1.5)       # 2^2 to 2^15
    14
    """
    require_magnitudes(smallest_value=smallest_gradient, largest_value=largest_gradient)
    low = math.log2(smallest_rescuing_scale(gradient=smallest_gradient, number_format=number_format))
    high = math.log2(largest_safe_scale(gradient=largest_gradient, number_format=number_format))
    return max(0, round(high - low) + 1)


def scale_after_spells(
    *, initial_scale: float, growth_interval: int, first_clean: int, burst: int, gap: int, last_clean: int
) -> float:
    """The scale after clean steps, a burst of overflows, a gap, one more overflow, and clean steps again.

        S · 2^(floor(a/W) - b + floor(g/W) - 1 + floor(c/W))

    Every overflow starts the count anew, so that clean steps before it and after it do not add up.

    Units:   counts; the scale has none.
    Raises:  ValueError if the scale is not positive, the interval below 1, or a count negative.
    Source:  torch.amp.GradScaler documentation.

    >>> scale_after_spells(initial_scale=65536, growth_interval=2000, first_clean=2500, burst=3, gap=1500, last_clean=1500)
    8192.0
    """
    require_positive(initial_scale=initial_scale)
    require_counts(growth_interval=growth_interval, first_clean=first_clean + 1, burst=burst + 1)
    require_counts(gap=gap + 1, last_clean=last_clean + 1)
    doublings = first_clean // growth_interval + gap // growth_interval + last_clean // growth_interval
    return initial_scale * 2.0 ** (doublings - burst - 1)


def dynamic_scale(
    *, trace: str, initial_scale: float, growth_interval: int, hysteresis: int = 1, min_scale: float = 1
) -> float:
    """The loss scale after a trace of steps, with Megatron's rule.

    An overflow ("x") sets the count of clean steps to 0 and uses up one of `hysteresis` lives. With none left it halves the
    scale, though not below the least one, and so does every further overflow. After `growth_interval` clean steps (".") in a
    row the scale doubles, the count starts anew and all lives are back. With a hysteresis of 1 this is PyTorch's rule.

    Units:   none; a letter of the trace is a step.
    Raises:  ValueError for other letters, an interval or hysteresis below 1, or scales that are not positive.
    Source:  Megatron-LM, megatron/core/optimizer/grad_scaler.py (DynamicGradScaler.update); torch.amp.GradScaler.

    >>> dynamic_scale(trace="xx", initial_scale=65536, growth_interval=2000)
    16384.0
    >>> dynamic_scale(trace="xx", initial_scale=65536, growth_interval=2000, hysteresis=2)    # the first is forgiven
    32768.0
    """
    require_trace(trace)
    require_counts(growth_interval=growth_interval, hysteresis=hysteresis)
    require_positive(initial_scale=initial_scale, min_scale=min_scale)
    scale = initial_scale
    clean_steps = 0
    lives = hysteresis
    for step in trace:
        clean_steps = clean_steps + 1 if step == "." else 0
        if step == "x":
            lives -= 1
            if lives <= 0:
                scale = max(scale / 2, min_scale)
        if clean_steps == growth_interval:
            scale = scale * 2
            clean_steps, lives = 0, hysteresis
    return float(scale)


def clean_steps_to_recover(*, burst: int, growth_interval: int, hysteresis: int = 1) -> int:
    """How many clean steps undo a burst of overflows.

        max(0, b - (h - 1)) · W

    Units:   counts of steps.
    Raises:  ValueError if the interval or the hysteresis is below 1, or the burst negative.
    Source:  torch.amp.GradScaler documentation; Megatron-LM, megatron/core/optimizer/grad_scaler.py.

    >>> clean_steps_to_recover(burst=7, growth_interval=2000)
    14000
    """
    require_counts(burst=burst + 1, growth_interval=growth_interval, hysteresis=hysteresis)
    halvings = max(0, burst - (hysteresis - 1))
    return halvings * growth_interval


def skipped_share(*, growth_interval: int, hysteresis: int = 1) -> float:
    """The share of steps that are skipped for good, when the gradients stay as they are: the scaler tries the next scale again and again.

        h / (W + h)

    After W clean steps the scale doubles to one that overflows. The h-th overflow halves it, and the count starts anew.

    Units:   a share of the steps.
    Raises:  ValueError if the interval or the hysteresis is below 1.
    Source:  torch.amp.GradScaler documentation; Megatron-LM, megatron/core/optimizer/grad_scaler.py.

    >>> round(skipped_share(growth_interval=2000), 6), round(skipped_share(growth_interval=100, hysteresis=2), 4)
    (0.0005, 0.0196)
    """
    require_counts(growth_interval=growth_interval, hysteresis=hysteresis)
    return hysteresis / (growth_interval + hysteresis)


def smallest_growth_interval(*, largest_share: float, hysteresis: int = 1) -> int:
    """The smallest growth interval with which a scaler skips no more than a share of the steps for good.

        W = ceil(h · (1 - s) / s)

    Units:   a share of the steps; result is a count.
    Raises:  ValueError if the share does not are in (0, 1], or the hysteresis is below 1.
    Source:  as `skipped_share`, solved for W.

    >>> smallest_growth_interval(largest_share=0.001), smallest_growth_interval(largest_share=0.01, hysteresis=2)
    (999, 198)
    """
    require_fraction(largest_share=largest_share)
    require_counts(hysteresis=hysteresis)
    exact = hysteresis * (1 - largest_share) / largest_share
    return max(1, math.ceil(round(exact, 9)))  # 999 and not 1,000: a share in binary is a hair off


def burst_until_lost(
    *, scale: float, smallest_gradient: float, hysteresis: int = 1, number_format: str = "FP16"
) -> int:
    """How many overflows in a row bring the scale so low that the smallest gradient that matters becomes 0.

        (h - 1) + log2(S / smallest rescuing scale) + 1

    Units:   a count of steps; the scale is a power of two.
    Raises:  ValueError for an unknown format, arguments that are not positive, a scale that is not a power of two, or a gradient
             that no scale of 1 or more loses.
    Source:  Megatron-LM, megatron/core/optimizer/grad_scaler.py; Micikevicius et al. 2018, arXiv:1710.03740, section 3.2.

    >>> burst_until_lost(scale=2**15, smallest_gradient=1e-8)      # 2^2 is still enough, 2^1 is not
    14
    """
    require_positive(scale=scale)
    require_counts(hysteresis=hysteresis)
    if math.frexp(scale)[0] != 0.5:
        raise ValueError(f"scale must be a power of two, not {scale!r}")
    enough = smallest_rescuing_scale(gradient=smallest_gradient, number_format=number_format)
    if enough == 1:
        raise ValueError(f"a gradient of {smallest_gradient!r} needs no scale")
    halvings = max(0, round(math.log2(scale / enough)) + 1)
    return hysteresis - 1 + halvings if halvings else 0


def blind_steps(
    *, scale: float, burst: int, growth_interval: int, smallest_gradient: float, hysteresis: int = 1
) -> int:
    """How many steps run with a scale that is too small for a gradient in FP16, after a burst of overflows.

        max(0, log2(needed scale) - log2(scale after the burst)) · W

    The overflows themselves are skipped and not counted. After them every clean interval doubles the scale.

    Units:   counts of steps; the scale before the burst is a power of two.
    Raises:  ValueError for arguments that are not positive, a negative burst, or a scale that is not a power of two.
    Source:  torch.amp.GradScaler documentation; Micikevicius et al. 2018, arXiv:1710.03740, section 3.2.

    >>> blind_steps(scale=2**15, burst=12, growth_interval=2000, smallest_gradient=1e-9)      # 2^3 where 2^5 is needed
    4000
    """
    require_positive(scale=scale)
    require_counts(burst=burst + 1, growth_interval=growth_interval, hysteresis=hysteresis)
    if math.frexp(scale)[0] != 0.5:
        raise ValueError(f"scale must be a power of two, not {scale!r}")
    after = scale / 2.0 ** max(0, burst - (hysteresis - 1))
    require_positive(smallest_gradient=smallest_gradient)
    threshold = flush_threshold(number_format="FP16")
    needed = 2.0 ** math.frexp(threshold / smallest_gradient)[1]  # PyTorch's scale may fall below 1
    missing_doublings = max(0, round(math.log2(needed / after)))
    return missing_doublings * growth_interval
