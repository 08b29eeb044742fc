"""References for the chapter on the layout of parallelism."""
