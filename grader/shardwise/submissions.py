"""Submitted notebooks: found, read with suspicion, and reduced to the code that is to be run."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shardwise.errors import ShardwiseError

LARGEST = 20_000_000  # bytes; a notebook of 20 answers has about 60,000, one with pictures in its output a few million
MOST_CELLS = 1_000
LONGEST_CELL = 200_000  # characters
MOST_CODE = 1_000_000  # characters of code in all


class BadSubmission(ShardwiseError):
    """A notebook that cannot be graded; says what was seen and what to do."""


@dataclass(frozen=True)
class StudentCell:
    """A code cell to be run: the answer to a question, or a cell the student added."""

    key: str
    source: str
    question: str | None


@dataclass(frozen=True)
class Submission:
    """What is taken from a student's file: who, which set, and code. Texts, outputs and locked cells are not."""

    path: Path
    set: str | None  # of a graded notebook
    practice: str | None  # the chapter of a practice notebook
    seed: str
    student: str
    cells: tuple[StudentCell, ...]
    notes: tuple[str, ...]


def find(paths: Iterable[Path]) -> list[Path]:
    """Every notebook among `paths` and below the folders among them, sorted. Links are not followed.

    Raises BadSubmission when a path does not exist.
    """
    found: set[Path] = set()
    for path in paths:
        if path.is_dir():
            for folder, inner, names in os.walk(path, followlinks=False):
                inner[:] = [name for name in inner if not name.startswith(".")]
                found.update(Path(folder) / name for name in names if name.endswith(".ipynb"))
        elif path.exists():
            found.add(path)
        else:
            raise BadSubmission(f"{path} does not exist.")
    return sorted(found)


def read(path: Path) -> Submission:
    """Read a submitted notebook. Raises BadSubmission, in words for the report, and nothing else."""
    data = _loaded(path)
    metadata = data.get("metadata")
    ours = metadata.get("shardwise") if isinstance(metadata, dict) else None
    if not isinstance(ours, dict) or not (isinstance(ours.get("set"), str) or isinstance(ours.get("practice"), str)):
        raise BadSubmission("This notebook does not come from shardwise: its metadata name no set and no chapter.")
    cells, notes = _cells(data)
    return Submission(
        path=path,
        set=_name(ours.get("set"), "set"),
        practice=_name(ours.get("practice"), "chapter"),
        seed=str(ours.get("seed", "0"))[:64],
        student=_name(ours.get("student"), "student") or path.stem,
        cells=tuple(cells),
        notes=tuple(notes),
    )


def _loaded(path: Path) -> dict[str, Any]:
    try:
        if path.is_symlink() or not path.is_file():
            raise BadSubmission("This is a link or no ordinary file. Hand in the notebook itself.")
        size = path.stat().st_size
        if size > LARGEST:
            raise BadSubmission(
                f"This notebook has {size / 1e6:,.0f} MB; up to {LARGEST / 1e6:.0f} MB are read. Clear its outputs and attachments."
            )
        text = path.read_bytes().decode("utf-8")
    except OSError as error:
        raise BadSubmission(f"This file cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise BadSubmission("This file is not UTF-8 text, so it is no notebook.") from None
    if not text.strip():
        raise BadSubmission("This file is empty.")
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        detail = str(error) if isinstance(error, ValueError) else "its nesting is too deep"
        raise BadSubmission(f"This is no notebook: {detail[:200]}.") from None
    if not isinstance(data, dict) or not isinstance(data.get("cells"), list):
        raise BadSubmission("This is JSON, and no notebook of format 4: it has no list of cells.")
    if data.get("nbformat") != 4:
        raise BadSubmission(
            f"This notebook has format {str(data.get('nbformat'))[:10]}; format 4 is read. Save it with a current Jupyter."
        )
    if len(data["cells"]) > MOST_CELLS:
        raise BadSubmission(f"This notebook has {len(data['cells']):,} cells; {MOST_CELLS:,} are read.")
    return data


def _cells(data: dict[str, Any]) -> tuple[list[StudentCell], list[str]]:
    """The code cells in order, without those of ours: setup and checks are taken from the original."""
    cells: list[StudentCell] = []
    notes: list[str] = []
    answered: dict[str, int] = {}
    total = 0
    for number, cell in enumerate(data["cells"]):
        if not isinstance(cell, dict) or cell.get("cell_type") != "code":
            continue
        role, question = _role(cell)
        source = _source(cell)
        if role in ("setup", "check"):
            continue
        if len(source) > LONGEST_CELL or total + len(source) > MOST_CODE:
            notes.append(f"Cell {number + 1} has {len(source):,} characters and was not run.")
            continue
        total += len(source)
        if role == "answer" and question:
            answered[question] = answered.get(question, 0) + 1
        if source.strip():
            cells.append(StudentCell(f"cell-{number + 1}", source, question if role == "answer" else None))
    notes += [f"{count} cells answer {name}; the last value counts." for name, count in answered.items() if count > 1]
    return cells, notes


def _role(cell: dict[str, Any]) -> tuple[str, str | None]:
    metadata = cell.get("metadata")
    ours = metadata.get("shardwise") if isinstance(metadata, dict) else None
    if not isinstance(ours, dict):
        return "", None
    role, question = ours.get("role"), ours.get("question")
    return str(role)[:20], question[:200] if isinstance(question, str) else None


def _source(cell: dict[str, Any]) -> str:
    source = cell.get("source", "")
    if isinstance(source, list):
        source = "".join(one for one in source if isinstance(one, str))
    # a lone surrogate can stand in JSON and in no file; it becomes a question mark
    return source.encode("utf-8", "replace").decode("utf-8") if isinstance(source, str) else ""


def _name(value: Any, what: str) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str) or not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}", value):
        raise BadSubmission(f"This notebook's metadata name the {what} {str(value)[:40]!r}, which is no name of ours.")
    return value
