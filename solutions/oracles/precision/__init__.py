"""Oracles of the chapter on mixed precision."""
