"""References for the chapter on pipeline parallelism."""
