"""Collecting: finds submissions, reads them with suspicion, and matches them with students."""
