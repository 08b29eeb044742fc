"""Oracles for the chapter on expert parallelism."""
