"""References for the chapter on activation memory."""
