"""Light by other ways: a comparison with hydrogen, and rays that meet."""

from __future__ import annotations

from fractions import Fraction

RYDBERG = 10_973_731.568157  # 1/m; CODATA 2022
RYDBERG_ENERGY = 2.1798723611030e-18  # J; CODATA 2022


def photon_energy(*, wavelength: float) -> float:
    """Compare with the light that ionises hydrogen, whose wavelength and energy have been measured."""
    ionising = 1 / RYDBERG
    return RYDBERG_ENERGY * ionising / wavelength


def image_distance(*, focal_length: float, object_distance: float) -> float:
    """Follow two rays from a point one unit above the axis, through the centre of the lens and parallel to the axis."""
    focus, distance = Fraction(focal_length), Fraction(object_distance)
    through_centre = Fraction(-1) / distance  # its slope behind the lens
    through_focus = Fraction(-1) / focus  # of the other, which leaves the lens at height 1
    return float(1 / (through_centre - through_focus))
