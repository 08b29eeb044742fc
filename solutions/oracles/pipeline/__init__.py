"""Oracles for the chapter on pipeline parallelism."""
