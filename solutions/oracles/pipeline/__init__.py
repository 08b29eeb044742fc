"""Oracles of the chapter on pipeline parallelism."""
