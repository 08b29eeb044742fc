"""Kinds of questions of this bank: layouts of parallelism, and pipeline schedules."""
