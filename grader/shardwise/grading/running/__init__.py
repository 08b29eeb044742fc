"""Where grading runs: executors, cores, and a sandbox for each worker."""
