"""References for the chapter on the ring all-reduce."""
