"""Execution of grading: executors, cores, and a sandbox for each worker."""
