"""Widgets: the answer forms of a notebook. Importing this loads ipywidgets, so only `practice` does."""

from __future__ import annotations

from shardwise.widgets.practice import Practice
from shardwise.widgets.views import KINDS

__all__ = ["KINDS", "Practice"]
