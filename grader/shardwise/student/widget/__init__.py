"""The form of a question in a notebook. Importing this loads ipywidgets, so only `practice()` does."""

from __future__ import annotations

from shardwise.student.widget.practice import Practice

__all__ = ["Practice"]
