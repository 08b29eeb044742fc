"""A course: sets for a roster, lock files, notebooks and submissions."""
