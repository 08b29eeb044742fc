"""Blanks: values that stand where nothing was answered."""

from __future__ import annotations

import unicodedata
from typing import Any


def is_empty(value: Any) -> bool:
    """Whether a value is nothing at all, an ellipsis, white space, or the three dots of an answer cell as text."""
    return value is None or value is ... or (isinstance(value, str) and value.strip() in ("", "..."))


def visible(text: str) -> str:
    """A text without the marks that nobody sees and that come along when it is copied: zero-width spaces, directions, a BOM."""
    return "".join(sign for sign in text if unicodedata.category(sign) != "Cf")
