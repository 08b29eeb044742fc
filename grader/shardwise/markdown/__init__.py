"""Rendering of Markdown with LaTeX and of feedback, as HTML without scripts or as text for a terminal."""
