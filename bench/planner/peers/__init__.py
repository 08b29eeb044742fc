"""Two other models of training runs, each in an environment of its own, asked about the same rows."""
