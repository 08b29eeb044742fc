"""Answers as people type them: a corpus of spellings for each kind, and what must happen to each."""
