"""Numbers as whole multiples of a part that all of them share: as exact as fractions, and many times quicker to count with."""

from __future__ import annotations

from fractions import Fraction
from math import gcd, lcm


def in_parts(*numbers: float) -> tuple[list[int], Fraction]:
    """The numbers, as they are written, in the largest part that divides them all, and how many such parts make 1.

    >>> in_parts(0.75, 1.5, 2)
    ([3, 6, 8], Fraction(4, 1))
    """
    written = [Fraction(str(number)) for number in numbers]
    fine = lcm(*(number.denominator for number in written))
    counts = [int(number * fine) for number in written]
    shared = gcd(*counts) or 1  # all of them may be 0
    return [count // shared for count in counts], Fraction(fine, shared)
