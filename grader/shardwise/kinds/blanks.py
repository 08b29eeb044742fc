"""Blanks: values that mean that nothing was answered."""

from __future__ import annotations

import unicodedata
from typing import Any

FORM_DEPTH = 3  # a form is a dictionary, which may contain one of inputs; deeper data is an answer, not an empty form


def is_blank(raw: Any, depth: int = FORM_DEPTH) -> bool:
    """Return whether nothing was answered: None, an ellipsis (also as text), white space, or an empty form."""
    if isinstance(raw, dict):
        return depth > 0 and all(is_blank(part, depth - 1) for part in raw.values())
    if isinstance(raw, str):
        return raw.strip() in ("", "...")
    return raw is None or raw is ... or (isinstance(raw, list | tuple | set) and not raw)


def visible(text: str) -> str:
    """Return a text without invisible characters that copying brings along: zero-width spaces, directions, a BOM."""
    return "".join(sign for sign in text if unicodedata.category(sign) != "Cf")
