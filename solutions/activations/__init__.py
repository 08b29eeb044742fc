"""References of the chapter on activation memory."""
