"""Points for an estimate: a proper scoring rule, under which the honest confidence earns most on average.

An estimate is a hit or a miss, and the confidence c is the probability that the student gives to a hit. A hit earns
1 - (1 - c)²/2 of the points, a miss (1 - c²)/2. Somebody who hits with probability p earns 1/2 + p c - c²/2 on average, which
is largest at c = p and is then (1 + p²)/2. So a hit earns at least half of the points, and a miss at most half.

Without negative points, such a rule must reward an honest "I do not know", and a wild guess with a
confidence of 0 would earn that reward. So an estimate that is far off, which no serious attempt is, earns nothing.

Source:  Brier 1950, Monthly Weather Review 78(1); Gneiting & Raftery 2007, J. Am. Stat. Assoc. 102(477), section 3.
"""

from __future__ import annotations

import math

FAR = 4  # an estimate is far off if it is off by more than this power of the factor that counts as right


def powers_of_ten(estimate: float, exact: float) -> float:
    """Return the error of an estimate in powers of ten: positive if it is too high.

    >>> powers_of_ten(100.0, 1000.0)
    -1.0
    """
    return math.log10(estimate / exact)


def is_hit(off: float, within: float) -> bool:
    """Return whether an estimate with this error is within a factor; rounding in the last bits never decides."""
    return abs(off) <= math.log10(within) + 1e-9


def is_far(off: float, within: float) -> bool:
    """Return whether an estimate is so far off that it earns nothing, whatever the confidence."""
    return abs(off) > FAR * math.log10(within) + 1e-9


def credit(*, hit: bool, confidence: float) -> float:
    """Return the share of the points.

    >>> credit(hit=True, confidence=1.0), credit(hit=False, confidence=1.0)
    (1.0, 0.0)
    >>> credit(hit=True, confidence=0.5), credit(hit=False, confidence=0.5)
    (0.875, 0.375)
    """
    return 1 - (1 - confidence) ** 2 / 2 if hit else (1 - confidence**2) / 2
