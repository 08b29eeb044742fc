"""Shapes of models: their layers, parameters and published configurations."""
