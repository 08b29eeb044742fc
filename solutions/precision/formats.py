"""Floating-point formats of training: which numbers each of them has, and what becomes of the numbers between."""

from __future__ import annotations

import math
from typing import NamedTuple

from ..facts.arguments import require_counts, require_not_negative, require_positive


class Format(NamedTuple):
    """One sign bit, so many exponent bits and so many mantissa bits.

    `reserved` says what the highest exponent field is for: "field", all of it for infinities and NaN, as IEEE 754 has it;
    "code", one bit pattern for NaN and the others for numbers; "none", all of it for numbers.
    """

    exponent_bits: int
    mantissa_bits: int
    reserved: str = "field"

    @property
    def bias(self) -> int:
        """What is subtracted from the exponent field."""
        return int(2 ** (self.exponent_bits - 1)) - 1

    @property
    def bits(self) -> int:
        """How wide a number is, with its sign."""
        return 1 + self.exponent_bits + self.mantissa_bits


FORMATS = {
    "FP32": Format(8, 23),  # IEEE 754-2019, table 3.5
    "TF32": Format(8, 10),  # NVIDIA A100 whitepaper, 2020: 19 bits, a format of the matrix units and not of memory
    "BF16": Format(8, 7),  # Kalamkar et al. 2019, arXiv:1905.12322, table 1
    "FP16": Format(5, 10),  # IEEE 754-2019, table 3.5
    "E5M2": Format(5, 2),  # Micikevicius et al. 2022, arXiv:2209.05433, table 1
    "E4M3": Format(4, 3, "code"),  # the same table: no infinities, and NaN is one bit pattern
    "E2M1": Format(2, 1, "none"),  # OCP Microscaling Formats (MX) specification v1.0, 2023
}


def known(number_format: str) -> Format:
    """A format by its name.

    >>> known("BF16").bias
    127
    """
    if number_format not in FORMATS:
        raise ValueError(f"unknown number format {number_format!r}; known: {', '.join(FORMATS)}")
    return FORMATS[number_format]


def largest(*, number_format: str) -> float:
    """The largest finite number.

        IEEE 754:            (2 - 2^-m) · 2^bias
        one code for NaN:    (2 - 2 · 2^-m) · 2^(bias + 1)
        nothing reserved:    (2 - 2^-m) · 2^(bias + 1)

    The highest exponent field is lost to infinities and NaN in IEEE 754. E4M3 keeps it, all but one code.

    Units:   none, as all numbers of this module.
    Raises:  ValueError for an unknown format.
    Source:  IEEE 754-2019, section 3.4; Micikevicius et al. 2022, arXiv:2209.05433, section 3 and table 1.

    >>> [largest(number_format=name) for name in ("FP16", "E5M2", "E4M3", "E2M1")]
    [65504.0, 57344.0, 448.0, 6.0]
    """
    return _largest(known(number_format))


def _largest(form: Format) -> float:
    highest = form.bias if form.reserved == "field" else form.bias + 1
    missing_steps = 2 if form.reserved == "code" else 1
    return float((2 - missing_steps * 2.0**-form.mantissa_bits) * 2.0**highest)


def smallest_normal(*, number_format: str) -> float:
    """The smallest positive number with all bits of precision.

        2^(1 - bias)

    Below it the numbers go on, evenly spaced and with fewer and fewer bits: the subnormal ones.

    Raises:  ValueError for an unknown format.
    Source:  IEEE 754-2019, section 3.4.

    >>> smallest_normal(number_format="FP16") == 2**-14   # 6.1e-5, and no end of the format
    True
    """
    return 2.0 ** (1 - known(number_format).bias)


def smallest_subnormal(*, number_format: str) -> float:
    """The smallest positive number.

        2^(1 - bias - m)

    Raises:  ValueError for an unknown format.
    Source:  IEEE 754-2019, section 3.4; Micikevicius et al. 2022, arXiv:2209.05433, table 1.

    >>> smallest_subnormal(number_format="FP16") == 2**-24   # 6.0e-8
    True
    >>> smallest_subnormal(number_format="E4M3") == 2**-9
    True
    """
    form = known(number_format)
    return 2.0 ** (1 - form.bias - form.mantissa_bits)


def largest_subnormal(*, number_format: str) -> float:
    """The largest number below the normal ones.

        (1 - 2^-m) · 2^(1 - bias)

    Raises:  ValueError for an unknown format.
    Source:  IEEE 754-2019, section 3.4; Micikevicius et al. 2022, arXiv:2209.05433, table 1.

    >>> largest_subnormal(number_format="E4M3") == 0.875 * 2**-6
    True
    """
    normal = smallest_normal(number_format=number_format)
    return normal - smallest_subnormal(number_format=number_format)


def flush_threshold(*, number_format: str) -> float:
    """The largest magnitude that rounds to zero.

        2^(1 - bias - m) / 2

    Exactly half of the smallest subnormal lies between 0 and it. A tie goes to the even neighbour, and that is 0.

    Raises:  ValueError for an unknown format.
    Source:  IEEE 754-2019, section 4.3.1 (roundTiesToEven).

    >>> flush_threshold(number_format="FP16") == 2**-25
    True
    >>> rounded(value=2**-25, number_format="FP16"), rounded(value=1.01 * 2**-25, number_format="FP16") == 2**-24
    (0.0, True)
    """
    return smallest_subnormal(number_format=number_format) / 2


def binades(*, number_format: str) -> int:
    """How many powers of two the positive numbers of a format reach over, the subnormal ones among them.

        floor(log2(largest)) - log2(smallest subnormal) + 1

    Raises:  ValueError for an unknown format.
    Source:  Micikevicius et al. 2022, arXiv:2209.05433, section 3 (18 binades for E4M3, 17 had it IEEE infinities).

    >>> [binades(number_format=name) for name in ("FP16", "E5M2", "E4M3")]
    [40, 32, 18]
    """
    top = math.frexp(largest(number_format=number_format))[1]
    bottom = math.frexp(smallest_subnormal(number_format=number_format))[1]
    return top - bottom + 1


def spacing(*, value: float, number_format: str) -> float:
    """The distance from a number of this magnitude to the next larger one: a unit in the last place, ulp.

        2^(max(floor(log2 |x|), 1 - bias) - m)

    It doubles at every power of two. Below the smallest normal number it stays as it is.

    Raises:  ValueError for an unknown format, or a value that is 0 or beyond the format's largest.
    Source:  IEEE 754-2019, section 3.3; Goldberg 1991, ACM Computing Surveys 23(1), section 1.2.

    >>> [spacing(value=value, number_format="BF16") for value in (1.0, 100.0, 256.0)]
    [0.0078125, 0.5, 2.0]
    """
    magnitude = abs(value)
    require_positive(magnitude=magnitude)
    if magnitude > largest(number_format=number_format):
        raise ValueError(f"{value!r} is beyond the largest number of {number_format}")
    form = known(number_format)
    binade = max(math.frexp(magnitude)[1] - 1, 1 - form.bias)
    return 2.0 ** (binade - form.mantissa_bits)


def relative_step(*, number_format: str) -> float:
    """The largest relative error of rounding, for numbers in the normal range.

        2^-(m + 1)

    Raises:  ValueError for an unknown format.
    Source:  Goldberg 1991, ACM Computing Surveys 23(1), section 1.2.

    >>> [relative_step(number_format=name) for name in ("BF16", "E4M3")]    # 0.4 % and 6 %
    [0.00390625, 0.0625]
    """
    return 2.0 ** -(known(number_format).mantissa_bits + 1)


def rounded(*, value: float, number_format: str) -> float:
    """The nearest number of a format; of two that are equally near, the one with an even mantissa.

    From half a step beyond the largest number on the result is infinite. FP8 has a second way, see `saturated`.

    Raises:  ValueError for an unknown format, or a value that is NaN or infinite.
    Source:  IEEE 754-2019, section 4.3.1 (roundTiesToEven).

    >>> rounded(value=257.0, number_format="BF16")    # a tie between 256 and 258
    256.0
    >>> rounded(value=65519.0, number_format="FP16"), rounded(value=65520.0, number_format="FP16")
    (65504.0, inf)
    """
    return _nearest(value, known(number_format))


def _nearest(value: float, form: Format) -> float:
    if not math.isfinite(value):
        raise ValueError(f"value must be a finite number, not {value!r}")
    if value == 0:
        return 0.0
    binade = max(math.frexp(value)[1] - 1, 1 - form.bias)
    step = 2.0 ** (binade - form.mantissa_bits)
    nearest = round(value / step) * step  # Python rounds ties to even, and a division by a power of two is exact
    return math.copysign(math.inf, value) if abs(nearest) > _largest(form) else nearest


def saturated(*, value: float, number_format: str) -> float:
    """The nearest number of a format, and the largest one for everything beyond it.

    Casts to FP8 are done so in training: a value that does not fit is clipped and does not spoil the step with a NaN.

    Raises:  ValueError for an unknown format, or a value that is NaN or infinite.
    Source:  Micikevicius et al. 2022, arXiv:2209.05433, section 2.

    >>> saturated(value=500.0, number_format="E4M3"), rounded(value=500.0, number_format="E4M3")
    (448.0, inf)
    """
    nearest = rounded(value=value, number_format=number_format)
    top = largest(number_format=number_format)
    return nearest if math.isfinite(nearest) else math.copysign(top, value)


def clipped_cast(*, value: float, exponent_bits: int, mantissa_bits: int) -> float:
    """What an IEEE-like format of these bits makes of a number when its casts clip.

    The nearest number of the format, ties to even; beyond the largest finite one, that one. The highest exponent field is
    reserved, the lowest one is for 0 and the subnormal numbers, and the bias is 2^(e-1) - 1.

    Raises:  ValueError if exponent_bits is below 2 or above 8, mantissa_bits below 1 or above 23, or value not finite.
    Source:  IEEE 754-2019, sections 3.4 and 4.3.1; clipping: Micikevicius et al. 2022, arXiv:2209.05433, section 2.

    >>> clipped_cast(value=0.1, exponent_bits=8, mantissa_bits=7)     # 0.1 in BF16
    0.10009765625
    >>> clipped_cast(value=-1e6, exponent_bits=5, mantissa_bits=2)    # E5M2 ends at 57344
    -57344.0
    """
    require_counts(exponent_bits=exponent_bits, mantissa_bits=mantissa_bits)
    if not 2 <= exponent_bits <= 8 or mantissa_bits > 23:
        raise ValueError(f"no format here has {exponent_bits} exponent and {mantissa_bits} mantissa bits")
    form = Format(exponent_bits, mantissa_bits)
    nearest = _nearest(value, form)
    return nearest if math.isfinite(nearest) else math.copysign(_largest(form), value)


def require_magnitudes(*, smallest_value: float, largest_value: float) -> None:
    """Raise ValueError unless both are positive and in order.

    >>> require_magnitudes(smallest_value=1e-6, largest_value=2.0)
    """
    require_positive(smallest_value=smallest_value, largest_value=largest_value)
    require_not_negative(range=largest_value - smallest_value)
