"""References for the chapter on gradient accumulation."""
