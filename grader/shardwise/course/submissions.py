"""Submitted notebooks: found, read with suspicion, and reduced to the code that is to be run."""

from __future__ import annotations

import json
import lzma
import os
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from shardwise.errors import ShardwiseError
from shardwise.markdown.html import safe

LARGEST = 20_000_000  # bytes; a notebook of 20 answers has about 60,000, one with pictures in its output a few million
MOST_CELLS = 1_000
LONGEST_CELL = 200_000  # characters
MOST_CODE = 1_000_000  # characters of code in all
# What zipfile raises for an archive that is none, or is of a kind that it does not know (a RuntimeError).
_DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    LookupError,
    RuntimeError,
    ValueError,
)


class BadSubmission(ShardwiseError):
    """A notebook that cannot be graded; says what was seen and what to do."""


class CannotRead(BadSubmission):
    """A file that could not be read this time; it may be next time."""


@dataclass(frozen=True)
class StudentCell:
    """A code cell to be run: the answer to a question, or a cell the student added."""

    key: str
    source: str
    question: str | None


@dataclass(frozen=True)
class Submission:
    """What is taken from a student's file: who, which set, and code. Texts, outputs and locked cells are not."""

    set: str | None  # of a graded notebook
    practice: str | None  # the chapter of a practice notebook
    seed: str
    student: str
    cells: tuple[StudentCell, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Found:
    """A notebook that was handed in: a file, or a member of a zip archive, which is read and never unpacked."""

    path: Path
    root: Path  # what was named, or the folder that was named
    member: str = ""

    def __str__(self) -> str:
        return _legible(f"{self.path}/{self.member}" if self.member else str(self.path))

    @property
    def folders(self) -> set[str]:
        """The folders that it lies in, below the one that was named."""
        inside = Path(self.member).parts[:-1]
        below = self.path.relative_to(self.root).parts if self.path.is_relative_to(self.root) else ()
        return {*below[: None if self.member else -1], *inside}

    @property
    def stem(self) -> str:
        """Its name without the suffix."""
        return _legible(Path(self.member or self.path).stem)

    def changed(self) -> datetime:
        """When it was last changed; raises OSError. What an archive says is believed of the one that was named, a class's."""
        if self.member and self.path.parent == self.root:
            stamp = _archive(self.path).getinfo(self.member).date_time
            with suppress(ValueError, OverflowError):  # an archive may claim the 0th of the 15th month
                return datetime(*stamp).astimezone()
        return datetime.fromtimestamp(self.path.stat().st_mtime, UTC)

    def contents(self) -> bytes:
        """Its bytes. Raises BadSubmission when it is not to be read, and CannotRead when it could not be."""
        try:
            return self._member() if self.member else self._file()
        except OSError as error:
            raise CannotRead(f"This file cannot be read: {error.strerror or error}.") from None

    def _file(self) -> bytes:
        if self.path.is_symlink() or not self.path.is_file():
            raise BadSubmission("This is a link or no ordinary file. Hand in the notebook itself.")
        if self.path.suffix == ".zip":
            raise BadSubmission("This file is no zip archive that can be read.")
        _refuse_large(self.path.stat().st_size)
        return self.path.read_bytes()

    def _member(self) -> bytes:
        try:
            info = _archive(self.path).getinfo(self.member)
            if stat.S_ISLNK(info.external_attr >> 16) or not _stays_inside(self.member):
                raise BadSubmission(
                    "This is a link, or its name leads out of the archive. Hand in the notebook itself."
                )
            _refuse_large(info.file_size)
            with _archive(self.path).open(info) as file:
                data = file.read(LARGEST + 1)  # whatever size the archive claims
            _refuse_large(len(data))
            return data
        except _DAMAGED as error:
            raise BadSubmission(f"This member of a zip archive cannot be read: {safe(str(error), 100)}.") from None


def _legible(name: str) -> str:
    r"""A file's name for reports: what cannot be printed is written as an escape, so that two names stay two.

    >>> print(_legible("\x1b[31mred\udc80"))
    \x1b[31mred\udc80
    """
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in name)


def _stays_inside(member: str) -> bool:
    return not re.match(r"[/\\]|[A-Za-z]:", member) and ".." not in re.split(r"[/\\]", member)


def _refuse_large(size: int) -> None:
    if size > LARGEST:
        raise BadSubmission(
            f"This notebook has {size / 1e6:,.0f} MB; up to {LARGEST / 1e6:.0f} MB are read. Clear its outputs and attachments."
        )


def _archive(path: Path) -> zipfile.ZipFile:
    state = path.stat()
    return _opened(path, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=1)  # its directory is read once for all its members, and again when the file was replaced
def _opened(path: Path, _changed: int, _size: int) -> zipfile.ZipFile:
    return zipfile.ZipFile(path)


def find(paths: Iterable[Path]) -> Iterator[Found]:
    """Every notebook among `paths`, below the folders among them and in zip archives, in the order of their names.

    Links are not followed. Raises BadSubmission when a path does not exist.
    """
    for root in paths:
        if root.is_dir():
            for folder, inner, names in os.walk(root, followlinks=False):
                inner[:] = sorted(name for name in inner if not name.startswith("."))
                for name in sorted(names):
                    if name.endswith((".ipynb", ".zip")):
                        yield from _found(Path(folder) / name, root)
        elif root.exists():
            yield from _found(root, root.parent)
        else:
            raise BadSubmission(f"{root} does not exist.")


def _found(path: Path, root: Path) -> Iterator[Found]:
    """A notebook, or those of a zip archive; an archive that cannot be read stands for itself, and will say so."""
    if path.suffix != ".zip" or path.is_symlink() or not path.is_file():  # a pipe would be waited for
        yield Found(path, root)
        return
    try:
        names = sorted({one.filename for one in _archive(path).infolist() if one.filename.endswith(".ipynb")})
    except (OSError, *_DAMAGED):
        yield Found(path, root)
        return
    for name in names:
        yield Found(path, root, name)


def parse(contents: bytes, name: str) -> Submission:
    """What a submitted notebook holds. Raises BadSubmission, in words for the report, and nothing else."""
    data = _loaded(contents)
    metadata = data.get("metadata")
    ours = metadata.get("shardwise") if isinstance(metadata, dict) else None
    if not isinstance(ours, dict) or not (isinstance(ours.get("set"), str) or isinstance(ours.get("practice"), str)):
        raise BadSubmission("This notebook does not come from shardwise: its metadata name no set and no chapter.")
    cells, notes = _cells(data)
    return Submission(
        set=_name(ours.get("set"), "set"),
        practice=_name(ours.get("practice"), "chapter"),
        seed=safe(str(ours.get("seed", "0")), 64),
        student=_name(ours.get("student"), "student") or name,
        cells=tuple(cells),
        notes=tuple(notes),
    )


def _loaded(contents: bytes) -> dict[str, Any]:
    try:
        text = contents.decode("utf-8")
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
            f"This notebook has format {safe(str(data.get('nbformat')), 10)}; format 4 is read. Save it with a current Jupyter."
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
    return str(role)[:20], safe(question, 200) if isinstance(question, str) else None


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
