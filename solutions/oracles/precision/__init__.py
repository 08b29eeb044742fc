"""Oracles for the chapter on mixed precision."""
