"""Blanks: values that stand where nothing was answered."""

from __future__ import annotations

from typing import Any


def is_empty(value: Any) -> bool:
    """Whether a value is nothing at all, an ellipsis, white space, or the three dots of an answer cell as text."""
    return value is None or value is ... or (isinstance(value, str) and value.strip() in ("", "..."))
