"""Oracles for the chapter on tensor and context parallelism."""
