"""Assigned notebooks in their folder: whether somebody has worked in one, and what it asks."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shardwise.course.collecting.bounds import BOUNDS
from shardwise.text_files import read_bounded

MARK = "contents"  # the key in a notebook's metadata with the digest of the assigned cells


def notebook_digest(notebook: Mapping[str, Any]) -> str:
    """Return a digest of the cells' contents, independent of the file's formatting and of folded cells."""
    cells = [(cell["cell_type"], _source(cell), cell.get("outputs") or []) for cell in notebook["cells"]]
    return hashlib.sha256(json.dumps(cells).encode()).hexdigest()[:32]


def is_as_handed_out(path: Path) -> bool:
    """Return whether nobody has written or run anything in this notebook."""
    try:
        notebook = json.loads(read_bounded(path, BOUNDS.bytes))
        return bool(notebook_digest(notebook) == notebook["metadata"]["shardwise"][MARK])
    except (OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError):
        return False


def asks_the_same(path: Path, text: str) -> bool:
    """Return whether the notebook in this file has the same questions as the one in `text`."""
    try:
        return _questions(json.loads(read_bounded(path, BOUNDS.bytes))) == _questions(json.loads(text))
    except (OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError):
        return False


def _questions(notebook: Mapping[str, Any]) -> list[str]:
    roles = [(cell["metadata"].get("shardwise", {}).get("role"), _source(cell)) for cell in notebook["cells"]]
    return [source for role, source in roles if role == "question"]


def _source(cell: Mapping[str, Any]) -> str:
    """Return a cell's source, which Jupyter stores as lines."""
    return "".join(cell["source"])
