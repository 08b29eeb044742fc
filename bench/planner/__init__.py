"""The planner compared with published training runs: their data, the predictions, and the errors."""
