"""References for the chapter on mixed precision."""
