"""Widgets: the answer forms of a notebook. Importing this loads ipywidgets, so only `practice` does."""

from __future__ import annotations

from shardwise.practice.views import KINDS
from shardwise.practice.widget.widget import Practice

__all__ = ["KINDS", "Practice"]
