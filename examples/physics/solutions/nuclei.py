"""Nuclei: how many of them decay."""

from __future__ import annotations

import math


def decays(*, activity_bq: float, half_life_s: float, elapsed_s: float) -> float:
    """Number of nuclei of a sample that decay in some time.

        N(0) = A(0) / λ    and    N(0) - N(t) = N(0) (1 - e^(-λt))    with  λ = ln 2 / half-life

    Units:   becquerels and seconds. Result is a number.
    Source:  Young & Freedman 2020, University Physics, 15th ed., section 43.4.

    >>> round(decays(activity_bq=1000, half_life_s=60, elapsed_s=60))  # half of all nuclei
    43281
    """
    rate = math.log(2) / half_life_s
    nuclei = activity_bq / rate
    left = nuclei * math.exp(-rate * elapsed_s)
    return nuclei - left
