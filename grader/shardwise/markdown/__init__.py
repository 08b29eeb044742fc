"""Markdown with LaTeX as HTML without a script, or as text for a terminal; and feedback in both."""
