"""Predictions of llm-analysis and Calculon for the same rows, each run in a separate environment."""
