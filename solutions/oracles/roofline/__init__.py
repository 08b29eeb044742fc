"""Oracles for the chapter on FLOP, the roofline and MFU."""
