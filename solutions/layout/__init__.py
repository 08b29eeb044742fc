"""References of the chapter on the layout of parallelism."""
