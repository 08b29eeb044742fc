"""Forms in a notebook. Importing this loads ipywidgets, so only `practice()` does."""

from __future__ import annotations

from shardwise.student.widget.form import Form
from shardwise.student.widget.practice import Practice

__all__ = ["Form", "Practice"]
