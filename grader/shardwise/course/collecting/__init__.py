"""Collecting: submissions are found, read with suspicion, and matched with students."""
