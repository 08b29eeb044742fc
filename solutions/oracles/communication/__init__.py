"""Oracles for the chapter on collectives, topology and overlap."""
