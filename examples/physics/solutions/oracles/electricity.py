"""Electricity from Kirchhoff's rules: the node's potential at which as much current arrives as leaves."""

from __future__ import annotations

from fractions import Fraction


def network_current(*, voltage: float, series_resistance: float, first: float, second: float) -> float:
    """Solve for the potential between the resistors, exactly."""
    battery, *resistors = map(Fraction, (voltage, series_resistance, first, second))

    def surplus(potential: Fraction) -> Fraction:
        return (battery - potential) / resistors[0] - potential / resistors[1] - potential / resistors[2]

    at_zero, at_battery = surplus(Fraction(0)), surplus(battery)
    potential = battery * at_zero / (at_zero - at_battery)
    assert surplus(potential) == 0
    return float((battery - potential) / resistors[0])
