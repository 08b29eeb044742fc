"""Oracles of the shapes of models."""
