"""Oracles of the planner."""
