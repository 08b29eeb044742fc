"""Oracles of the chapter on checkpoints and failures."""
