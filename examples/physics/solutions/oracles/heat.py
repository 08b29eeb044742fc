"""Heat without the formulas: molecules are counted, and heat flows until both liquids are equally warm."""

from __future__ import annotations

from fractions import Fraction

AVOGADRO = Fraction("6.02214076e23")  # per mole, exact
BOLTZMANN = Fraction("1.380649e-23")  # J/K, exact


def gas_pressure(*, mass: float, molar_mass: float, volume: float, temperature: float) -> float:
    """Count the molecules; each contributes kT/V."""
    molecules = Fraction(mass) * AVOGADRO / Fraction(molar_mass)
    return float(molecules * BOLTZMANN * Fraction(temperature) / Fraction(volume))


def mixed_temperature(
    *,
    hot_mass: float,
    hot_temperature: float,
    hot_heat_capacity: float,
    cold_mass: float,
    cold_temperature: float,
    cold_heat_capacity: float,
) -> float:
    """Let ever smaller portions of heat flow from the warmer liquid to the other."""
    hot, cold, portion = hot_temperature, cold_temperature, hot_mass * hot_heat_capacity
    for _ in range(400):
        if hot - portion / (hot_mass * hot_heat_capacity) >= cold + portion / (cold_mass * cold_heat_capacity):
            hot -= portion / (hot_mass * hot_heat_capacity)
            cold += portion / (cold_mass * cold_heat_capacity)
        else:
            portion *= 0.75
    return (hot + cold) / 2
