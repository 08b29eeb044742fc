"""Light: the energy of a photon, and the image of a lens."""

from __future__ import annotations

PLANCK = 6.62607015e-34  # J s, exact since 2019
LIGHT_SPEED = 299_792_458  # m/s, exact


def photon_energy(*, wavelength: float) -> float:
    """Energy of a photon.

        E = h c / λ

    Units:   metres. Result in joules.
    Source:  Young & Freedman 2020, University Physics, 15th ed., section 38.1.

    >>> round(photon_energy(wavelength=500e-9) / 1.602176634e-19, 3)  # in eV
    2.48
    """
    return PLANCK * LIGHT_SPEED / wavelength


def image_distance(*, focal_length: float, object_distance: float) -> float:
    """Distance of the real image behind a thin converging lens.

        1/f = 1/s + 1/s'

    Units:   metres. Result in metres.
    Raises:  ValueError unless the object is farther away than the focal length.
    Source:  Young & Freedman 2020, University Physics, 15th ed., section 34.4.

    >>> round(image_distance(focal_length=0.1, object_distance=0.3), 3)
    0.15
    """
    if object_distance <= focal_length:
        raise ValueError(f"object_distance must be above focal_length, not {object_distance!r}")
    return focal_length * object_distance / (object_distance - focal_length)
