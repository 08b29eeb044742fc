"""A training run planned by a bank's planner, as the command line and the student's desk both show it."""
