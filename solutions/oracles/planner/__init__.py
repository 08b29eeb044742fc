"""Oracles for the planner."""
