"""A course: sets for a roster, lock files, notebooks, and what is handed in."""
