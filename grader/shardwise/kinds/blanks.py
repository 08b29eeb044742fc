"""Blanks: values that stand where nothing was answered."""

from __future__ import annotations

import unicodedata
from typing import Any

FORM_DEPTH = 3  # a form is a dictionary that holds one of inputs; what is nested deeper is no form of ours


def is_blank(raw: Any, depth: int = FORM_DEPTH) -> bool:
    """Whether nothing was answered: nothing at all, an ellipsis as such or as text, white space, or a form without an answer."""
    if isinstance(raw, dict):
        return depth > 0 and all(is_blank(part, depth - 1) for part in raw.values())
    if isinstance(raw, str):
        return raw.strip() in ("", "...")
    return raw is None or raw is ... or (isinstance(raw, list | tuple | set) and not raw)


def visible(text: str) -> str:
    """A text without the marks that nobody sees and that come along when it is copied: zero-width spaces, directions, a BOM."""
    return "".join(sign for sign in text if unicodedata.category(sign) != "Cf")
