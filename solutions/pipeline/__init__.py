"""References of the chapter on pipeline parallelism."""
