"""Light by other ways: an electron's work against a voltage, and rays that meet."""

from __future__ import annotations

from fractions import Fraction

_PLANCK_EV = Fraction("6.62607015e-34") / Fraction("1.602176634e-19")  # eV s
_CHARGE = Fraction("1.602176634e-19")  # C


def photon_energy(*, wavelength: float) -> float:
    """The voltage that gives an electron the energy of one oscillation, times its charge."""
    period = Fraction(wavelength) / 299_792_458
    volts = _PLANCK_EV / period
    return float(volts * _CHARGE)


def image_distance(*, focal_length: float, object_distance: float) -> float:
    """Follow two rays from a point one unit above the axis: one through the centre of the lens, one parallel to the axis."""
    focus, distance = Fraction(focal_length), Fraction(object_distance)
    through_centre = Fraction(-1) / distance  # its slope behind the lens
    through_focus = Fraction(-1) / focus  # of the other, which leaves the lens at height 1
    return float(1 / (through_centre - through_focus))
