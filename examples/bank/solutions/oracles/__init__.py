"""Oracles: the same amounts by another road, payment by payment in exact fractions."""
