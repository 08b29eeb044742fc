"""References of the chapter on expert parallelism."""
