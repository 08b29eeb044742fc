"""Oracles of the chapter on tensor and context parallelism."""
