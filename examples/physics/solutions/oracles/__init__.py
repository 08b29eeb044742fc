"""Oracles: the same keys, simulated or solved numerically."""
