"""Stagnation: what rounding does to sums, to positions, and to weights whose updates are small."""

from __future__ import annotations

import math

from ..facts.arguments import require_counts, require_positive
from .formats import known, largest, rounded, spacing


def largest_exact_count(*, number_format: str) -> float:
    """The number up to which a format has every whole number.

        2^(m + 1)

    Raises:  ValueError for an unknown format, or one whose range ends before.
    Source:  Goldberg 1991, ACM Computing Surveys 23(1), section 1.2.

    >>> [largest_exact_count(number_format=name) for name in ("BF16", "FP16", "FP32")]
    [256.0, 2048.0, 16777216.0]
    """
    count = 2.0 ** (known(number_format).mantissa_bits + 1)
    if count > largest(number_format=number_format):
        raise ValueError(f"the range of {number_format} ends before {count:g}")
    return count


def distinct_positions(*, positions: int, number_format: str) -> int:
    """How many different numbers are left when the positions 0, 1, ... of a sequence are stored in a format.

        n  up to 2^(m + 1), and then 2^m of each binade

    Every position up to 2^(m+1) is exact. Each further binade has 2^m numbers, however many positions are in it.

    Units:   counts.
    Raises:  ValueError for an unknown format, no positions, or a position beyond the format's largest number.
    Source:  IEEE 754-2019, sections 3.4 and 4.3.1.

    >>> distinct_positions(positions=8192, number_format="BF16")    # of 8192 rotary angles 897 are left
    897
    """
    require_counts(positions=positions)
    last = positions - 1
    top = rounded(value=float(last), number_format=number_format)
    if math.isinf(top):
        raise ValueError(f"position {last} is beyond the largest number of {number_format}")
    exact = largest_exact_count(number_format=number_format)
    if last <= exact:
        return positions
    per_binade = int(exact) // 2
    binade = math.frexp(top)[1] - 1
    whole_binades = binade - int(math.log2(exact))
    within = (top - 2.0**binade) / spacing(value=top, number_format=number_format)
    return int(exact) + 1 + whole_binades * per_binade + int(within)


def smallest_moving_update(*, weight: float, number_format: str) -> float:
    """The update that a weight must exceed to move away from zero, when it is stored in a format and rounded to nearest.

        2^(floor(log2 |w|) - m) / 2

    That is half the spacing. An update of exactly that size is a tie, and a weight with an even mantissa stays.

    Raises:  ValueError for an unknown format, or a weight that is 0 or beyond the format's largest.
    Source:  Zamirai et al. 2020, arXiv:2010.06192; Micikevicius et al. 2018, arXiv:1710.03740, section 3.1.

    >>> smallest_moving_update(weight=0.02, number_format="BF16")       # 6.1e-5: a fifth of a learning rate of 3e-4
    6.103515625e-05
    """
    return spacing(value=weight, number_format=number_format) / 2


def expected_steps_to_move(*, weight: float, update: float, number_format: str) -> float:
    """How many steps pass on average until stochastic rounding moves a weight to the next number.

        steps = spacing / u

    Each step rounds up with the probability u/spacing and else leaves the weight where it is, so that the weight moves by u
    a step on average.

    Raises:  ValueError for an unknown format, an update that is not positive or exceeds the spacing, or a weight of 0.
    Source:  Gupta et al. 2015, arXiv:1502.02551, section 3; Zamirai et al. 2020, arXiv:2010.06192.

    >>> expected_steps_to_move(weight=0.02, update=1e-6, number_format="BF16")
    122.0703125
    """
    require_positive(update=update)
    step = spacing(value=weight, number_format=number_format)
    if update > step:
        raise ValueError(f"an update of {update!r} exceeds the spacing {step!r}: it moves the weight at once")
    return step / update


def stalled_sum(*, addend: float, number_format: str) -> float:
    """Where a sum stands still when the same number is added to it again and again, in a format and rounded to nearest.

        the smallest power of two of at least a · 2^(m + 1)

    There the addend is no more than half the spacing. The true sum goes on.

    Raises:  ValueError for an unknown format, an addend that is not positive, or a sum that leaves the format's range.
    Source:  Croci et al. 2022, Royal Society Open Science 9(3), on stagnation; ml_dtypes, README.md, section "Quirks of
             low-precision Arithmetic" (a sum in BF16 that ends at 256).

    >>> stalled_sum(addend=1.0, number_format="BF16"), stalled_sum(addend=2.5, number_format="BF16")
    (256.0, 1024.0)
    """
    require_positive(addend=addend)
    full = addend * largest_exact_count(number_format=number_format)
    mantissa, exponent = math.frexp(full)
    end = 2.0 ** (exponent - 1 if mantissa == 0.5 else exponent)
    if end > largest(number_format=number_format):
        raise ValueError(f"the sum leaves the range of {number_format} before it stands still")
    return end


def moving_steps(
    *, peak_lr: float, steps: int, weight: float, relative_update: float, number_format: str = "BF16"
) -> int:
    """Return after how many steps a weight stops moving while the learning rate falls in a straight line from its peak to 0.

        the number of steps t = 0, 1, ... with   u · peak · (1 - t/T)  >  half the spacing

    Adam divides the mean of the gradient by the root of its mean square. So an update is the learning rate times u, and u is
    about 1 at most.

    Units:   steps count from 0; relative_update is a ratio.
    Raises:  ValueError for an unknown format, arguments that are not positive, or a weight that does not even move at the peak.
    Source:  Kingma & Ba 2015, arXiv:1412.6980, section 2.1 (the size of a step); Zamirai et al. 2020, arXiv:2010.06192.

    >>> moving_steps(peak_lr=3e-4, steps=100_000, weight=0.02, relative_update=0.5)
    59310
    """
    require_positive(peak_lr=peak_lr, relative_update=relative_update)
    require_counts(steps=steps)
    needed = smallest_moving_update(weight=weight, number_format=number_format)
    at_peak = relative_update * peak_lr
    if at_peak <= needed:
        raise ValueError(f"an update of {at_peak!r} moves no weight of {weight!r} in {number_format}")
    return math.ceil(steps * (1 - needed / at_peak))
