"""This bank's kinds of questions: parallelism layouts and pipeline schedules."""
