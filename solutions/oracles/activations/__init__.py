"""Oracles for the chapter on activation memory."""
