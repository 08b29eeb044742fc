"""Oracles of the chapter on collectives, topology and overlap."""
