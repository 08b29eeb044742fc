"""References for the chapter on checkpoints and failures."""
