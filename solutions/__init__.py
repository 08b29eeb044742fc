"""Reference implementations, one module a chapter: the keys of the bank, written to be read."""
