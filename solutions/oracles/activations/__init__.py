"""Oracles of the chapter on activation memory."""
