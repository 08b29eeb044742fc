"""Clearing: removes a student's work from a practice notebook, so that it can be handed on."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shardwise.atomic_files import write_file
from shardwise.bank.bank import Banks
from shardwise.course.assigning.rendering import named_in
from shardwise.course.collecting.bounds import BOUNDS
from shardwise.errors import ShardwiseError
from shardwise.text_files import read_bounded


@dataclass(frozen=True)
class Cleared:
    """What was removed from a notebook, and how many cells of the student remain."""

    drafts: int  # typed into forms
    answers: int  # typed into cells
    outputs: int
    kept: int  # cells that the student added

    def __str__(self) -> str:
        counts = ((self.drafts, "draft"), (self.answers, "typed answer"), (self.outputs, "output"))
        removed = ", ".join(_counted(count, what) for count, what in counts if count)
        stay = f" Kept {_counted(self.kept, 'cell')} that you added; only the output is removed." if self.kept else ""
        return f"{f'removed {removed}' if removed else 'nothing to remove'}.{stay}"


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"


def clear_notebook(banks: Banks, path: Path) -> Cleared:
    """Restore every cell of a practice notebook that we wrote, and remove drafts and outputs. Raises ShardwiseError."""
    from shardwise.course.assigning.notebooks import chapter_notebook, file_text

    notebook = _read(path)
    ours = notebook["metadata"]["shardwise"]
    chapter = str(ours.get("forms") or ours.get("practice"))
    bank = banks.of(chapter)
    fresh = chapter_notebook(bank, chapter, named=named_in(bank, path.parent), typed="practice" in ours)
    originals = {cell["id"]: cell for cell in fresh["cells"]}
    cells = notebook["cells"]
    done = Cleared(
        drafts=len(ours.get("drafts") or ()),
        answers=sum(_was_answered(cell, originals.get(cell.get("id"))) for cell in cells),
        outputs=sum(cell.get("execution_count") is not None for cell in cells),
        kept=sum(cell.get("id") not in originals for cell in cells),
    )
    notebook["cells"] = [originals.get(cell.get("id")) or _without_output(cell) for cell in cells]
    notebook["metadata"] |= fresh["metadata"]
    notebook["metadata"].pop("widgets", None)
    write_file(path, file_text(notebook).encode())
    return done


def _read(path: Path) -> dict[str, Any]:
    """Return a practice notebook. Raises ShardwiseError for any other file."""
    try:
        notebook: dict[str, Any] = json.loads(read_bounded(path, BOUNDS.bytes))
        ours = notebook["metadata"]["shardwise"]
        _ = [cell.get("id") for cell in notebook["cells"]]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ShardwiseError(f"Cannot clear {path}: it is not a notebook of shardwise.") from None
    if "set" in ours:
        raise ShardwiseError(f"Cannot clear {path}: it is a graded notebook, and your answers are what you hand in.")
    return notebook


def _was_answered(cell: dict[str, Any], original: dict[str, Any] | None) -> bool:
    """Return whether a student changed a cell for answers."""
    is_ours = original is not None and original["metadata"]["shardwise"]["role"] in ("typed", "answer", "check")
    return is_ours and original is not None and "".join(cell.get("source", "")) != original["source"]


def _without_output(cell: dict[str, Any]) -> dict[str, Any]:
    return {**cell, "outputs": [], "execution_count": None} if cell.get("cell_type") == "code" else cell
