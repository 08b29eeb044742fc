"""References of the chapter on gradient accumulation."""
