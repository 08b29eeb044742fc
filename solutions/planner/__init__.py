"""The planner: memory, step time and faults of a training run's layout."""
