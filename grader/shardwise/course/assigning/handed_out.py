"""Handed-out notebooks as they lie in their folder: whether somebody has worked in one, and what it asks."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shardwise.course.collecting.bounds import BOUNDS
from shardwise.text_files import read_bounded

MARK = "contents"  # where a notebook's metadata keep the digest of what was handed out


def notebook_digest(notebook: Mapping[str, Any]) -> str:
    """A digest of what stands in the cells; how the file is formatted does not matter, nor which cells were folded."""
    cells = [(cell["cell_type"], _source(cell), cell.get("outputs") or []) for cell in notebook["cells"]]
    return hashlib.sha256(json.dumps(cells).encode()).hexdigest()[:32]


def is_as_handed_out(path: Path) -> bool:
    """Whether nobody has written or run anything in this notebook."""
    try:
        notebook = json.loads(read_bounded(path, BOUNDS.bytes))
        return bool(notebook_digest(notebook) == notebook["metadata"]["shardwise"][MARK])
    except (OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError):
        return False


def asks_the_same(path: Path, text: str) -> bool:
    """Whether the notebook in this file has the same questions as the one in `text`."""
    try:
        return _questions(json.loads(read_bounded(path, BOUNDS.bytes))) == _questions(json.loads(text))
    except (OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError):
        return False


def _questions(notebook: Mapping[str, Any]) -> list[str]:
    roles = [(cell["metadata"].get("shardwise", {}).get("role"), _source(cell)) for cell in notebook["cells"]]
    return [source for role, source in roles if role == "question"]


def _source(cell: Mapping[str, Any]) -> str:
    """A cell's source, which Jupyter writes as lines."""
    return "".join(cell["source"])
