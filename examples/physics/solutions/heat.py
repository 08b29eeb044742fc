"""Heat: the pressure of a gas, and the temperature of a mixture."""

from __future__ import annotations

GAS_CONSTANT = 8.31446261815324  # J/(mol K), exact since 2019: Avogadro's constant times Boltzmann's


def gas_pressure(*, mass: float, molar_mass: float, volume: float, temperature: float) -> float:
    """Pressure of an ideal gas.

        p = m R T / (M V)

    Units:   kilograms, kilograms per mole, cubic metres, kelvins. Result in pascals.
    Source:  Young & Freedman 2020, University Physics, 15th ed., section 18.1.

    >>> round(gas_pressure(mass=0.028, molar_mass=0.028, volume=0.024, temperature=293.15))
    101558
    """
    return mass / molar_mass * GAS_CONSTANT * temperature / volume


def mixed_temperature(
    *,
    hot_mass: float,
    hot_temperature: float,
    hot_heat_capacity: float,
    cold_mass: float,
    cold_temperature: float,
    cold_heat_capacity: float,
) -> float:
    """Temperature after two liquids have exchanged heat with each other only.

        T = (m₁ c₁ T₁ + m₂ c₂ T₂) / (m₁ c₁ + m₂ c₂)

    Units:   kilograms, kelvins, joules per kilogram per kelvin. Result in kelvins.
    Source:  Young & Freedman 2020, University Physics, 15th ed., section 17.5.

    >>> mixed_temperature(hot_mass=0.2, hot_temperature=360, hot_heat_capacity=4180, cold_mass=0.2, cold_temperature=280, cold_heat_capacity=4180)
    320.0
    """
    hot, cold = hot_mass * hot_heat_capacity, cold_mass * cold_heat_capacity
    return (hot * hot_temperature + cold * cold_temperature) / (hot + cold)
