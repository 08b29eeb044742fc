"""Oracles for the chapter on the layout of parallelism."""
