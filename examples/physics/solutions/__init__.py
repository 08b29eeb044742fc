"""References: the keys of this bank, as readable functions."""
