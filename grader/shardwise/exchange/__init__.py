"""Exchange with other tools: nbgrader, Gradescope, learning platforms, question formats and PDF."""
