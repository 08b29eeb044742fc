"""References for the chapter on expert parallelism."""
