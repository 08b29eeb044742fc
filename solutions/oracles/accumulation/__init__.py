"""Oracles for the chapter on gradient accumulation."""
