"""References of the chapter on compute, scaling laws and what a run costs."""
