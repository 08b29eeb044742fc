"""Oracles of the chapter on the layout of parallelism."""
