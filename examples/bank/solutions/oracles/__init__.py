"""Oracles: independent computations of the same amounts, payment by payment in exact arithmetic."""
