"""References: the keys of this bank, written to be read."""
