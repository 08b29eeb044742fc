"""Oracles for the shapes of models."""
