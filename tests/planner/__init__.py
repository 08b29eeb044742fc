"""Tests of bench/planner: the published runs, how they are read, and how predictions of them are scored."""
