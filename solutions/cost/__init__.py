"""References for the chapter on compute, scaling laws and what a run costs."""
