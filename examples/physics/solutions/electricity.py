"""Electricity: the current in a network of resistors."""

from __future__ import annotations


def network_current(*, voltage: float, series_resistance: float, first: float, second: float) -> float:
    """Current from a battery through a resistor in series with two in parallel.

        I = U / (R + R₁ R₂ / (R₁ + R₂))

    Units:   volts and ohms. Result in amperes.
    Source:  Young & Freedman 2020, University Physics, 15th ed., section 26.1.

    >>> network_current(voltage=12, series_resistance=500, first=1000, second=1000)
    0.012
    """
    parallel = first * second / (first + second)
    return voltage / (series_resistance + parallel)
