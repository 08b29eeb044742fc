"""The planner: memory, step time and faults of a layout of a whole training run."""
