"""Oracles of the chapter on gradient accumulation."""
