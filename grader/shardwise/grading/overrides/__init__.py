"""Overrides: what an instructor decides about points, questions, deadlines and attempts, beyond what the grader marks."""
