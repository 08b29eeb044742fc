"""Oracles of the chapter on expert parallelism."""
