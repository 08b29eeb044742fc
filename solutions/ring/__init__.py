"""References of the chapter on the ring all-reduce."""
