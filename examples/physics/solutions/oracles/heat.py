"""Heat without the formulas: molecules hit a wall, and a temperature is found at which one liquid loses what the other gains."""

from __future__ import annotations

import math

from .roots import root

AVOGADRO = 6.02214076e23  # per mole, exact
BOLTZMANN = 1.380649e-23  # J/K, exact


def gas_pressure(*, mass: float, molar_mass: float, volume: float, temperature: float) -> float:
    """Let the molecules fly to and fro in a cube, and add up the momentum that one wall receives per second and area."""
    molecules, molecule = mass / molar_mass * AVOGADRO, molar_mass / AVOGADRO
    speed = math.sqrt(BOLTZMANN * temperature / molecule)  # root mean square, along one edge
    edge = volume ** (1 / 3)
    hits_per_second = molecules * speed / (2 * edge)
    return hits_per_second * 2 * molecule * speed / edge**2


def mixed_temperature(
    *,
    cold_mass: float,
    cold_heat_capacity: float,
    cold_temperature: float,
    hot_mass: float,
    hot_heat_capacity: float,
    hot_temperature: float,
) -> float:
    """Try temperatures until the heat that the hot liquid loses equals the heat that the cold one gains."""

    def surplus(mixed: float) -> float:
        lost = hot_mass * hot_heat_capacity * (hot_temperature - mixed)
        return lost - cold_mass * cold_heat_capacity * (mixed - cold_temperature)

    return root(surplus, cold_temperature, hot_temperature)
