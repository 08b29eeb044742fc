"""References of the chapter on mixed precision."""
