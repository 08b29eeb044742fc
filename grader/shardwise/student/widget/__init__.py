"""Forms in a notebook. Importing this loads ipywidgets, so only `practice()` and `figure()` do."""

from __future__ import annotations

from shardwise.student.widget.form import FormWidget
from shardwise.student.widget.picture import Picture
from shardwise.student.widget.practice import Practice
from shardwise.student.widget.progress import ProgressCard

__all__ = ["FormWidget", "Picture", "Practice", "ProgressCard"]
