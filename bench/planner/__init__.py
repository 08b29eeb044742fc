"""The planner next to published training runs: their facts, what is predicted for each, and how far apart the two are."""
