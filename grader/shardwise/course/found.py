"""Notebooks that were handed in: found in folders and archives, bounded, and their bytes read with suspicion."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from itertools import groupby
from pathlib import Path

from shardwise.course.archives import DAMAGED, archive, index_bytes, is_link, stays_inside
from shardwise.course.bounds import BOUNDS
from shardwise.errors import ShardwiseError
from shardwise.markdown.html import safe
from shardwise.text_files import read_bounded

_NOTEBOOK, _ARCHIVE = ".ipynb", ".zip"
_EMPTY = "This archive holds no notebook (*.ipynb). Hand in the notebook itself."
_PACKED_TWICE = "This archive holds no notebook (*.ipynb), only other archives. Hand in the notebook itself."
_MISNAMED = "This is read neither as a notebook (*.ipynb) nor as an archive (*.zip). Hand in the notebook itself, under its own name."
_NOTHING_IN_IT = (_EMPTY, _PACKED_TWICE, _MISNAMED)  # said only of a student who handed in nothing better
_ENCRYPTED = 1  # a bit in the flags of a member: APPNOTE.TXT 6.3.10, 4.4.4
_LIKE_A_NOTEBOOK = re.compile(r"\.ipynb\.\w+$|\.(7z|rar|tar|tgz|gz|bz2|xz)$", re.IGNORECASE)


class BadSubmission(ShardwiseError):
    """A notebook cannot be graded. The message says what was seen, and what the student can do about it."""


class CannotRead(BadSubmission):
    """A file could not be read this time, because of the disk or the network. The same command may read it later."""


@dataclass(frozen=True)
class Found:
    """A notebook that was handed in: a file, or a member of a zip archive, which is read and never unpacked."""

    path: Path
    root: Path  # what was named, or the folder that was named
    member: str = ""
    is_named: bool = False  # whether the file itself was named, and so comes from whoever grades
    fault: str = ""  # why it is not to be read

    def __str__(self) -> str:
        path = self.path.as_posix()
        return _legible(f"{path}/{_short(self.member)}" if self.member else path)

    @property
    def folders(self) -> set[str]:
        """The folders that it lies in, below the one that was named."""
        inside = Path(self.member).parts[:-1]
        below = self.path.relative_to(self.root).parts if self.path.is_relative_to(self.root) else ()
        is_whole = self.member or (self.fault and self.path.is_dir())
        return {*below[: None if is_whole else -1], *inside}

    @property
    def stem(self) -> str:
        """Its name without the suffix."""
        return shown(Path(self.member or self.path).stem)

    @property
    def size(self) -> int:
        """How many bytes the notebook has, unpacked. It is 0 for a file that is gone and for a damaged archive."""
        with suppress(OSError, *DAMAGED):
            return archive(self.path).getinfo(self.member).file_size if self.member else self.path.lstat().st_size
        return 0

    def changed(self) -> datetime:
        """When it was last changed; raises OSError. What an archive says is believed of one that was named alone, a class's."""
        if self.member and self.is_named:
            stamp = archive(self.path).getinfo(self.member).date_time
            with suppress(ValueError, OverflowError):  # an archive may claim the 0th of the 15th month
                return datetime(*stamp).astimezone()
        return datetime.fromtimestamp(self.path.stat().st_mtime, UTC)

    def contents(self) -> bytes:
        """Read the notebook from its file, or from the archive that it is in; gives its bytes as they are.

        Raises BadSubmission if it must not be read, because it is a link or too large, for example. Raises CannotRead if the
        operating system could not read it this time.
        """
        if self.fault:
            raise BadSubmission(self.fault)
        try:
            return self._member() if self.member else self._file()
        except OSError as error:
            raise CannotRead(f"This file cannot be read: {error.strerror or error}.") from None

    def _file(self) -> bytes:
        if self.path.is_symlink() or not self.path.is_file():
            raise BadSubmission("This is a link or no ordinary file. Hand in the notebook itself.")
        if _is_a(_ARCHIVE, self.path.name):
            raise BadSubmission("This file is no zip archive that can be read.")
        _refuse_large(self.path.stat().st_size)
        return read_bounded(self.path, BOUNDS.bytes)

    def _member(self) -> bytes:
        try:
            info = archive(self.path).getinfo(self.member)
            if is_link(info) or not stays_inside(self.member):
                raise BadSubmission(
                    "This is a link, or its name leads out of the archive. Hand in the notebook itself."
                )
            if info.flag_bits & _ENCRYPTED:
                raise BadSubmission("This member of a zip archive is encrypted. Hand in the notebook itself.")
            _refuse_large(info.file_size)
            with archive(self.path).open(info) as file:
                data = file.read(BOUNDS.bytes + 1)  # whatever size the archive claims
            _refuse_large(len(data))
            return data
        except DAMAGED as error:
            raise BadSubmission(f"This member of a zip archive cannot be read: {safe(str(error), 100)}.") from None


def _legible(name: str) -> str:
    r"""A file's name for reports: what cannot be printed is written as an escape, and so is a backslash, so that two names stay two.

    >>> print(_legible("\x1b[31mred\udc80"), _legible(r"\x1b[31mred"))
    \x1b[31mred\udc80 \\x1b[31mred
    """
    return "".join(one if one.isprintable() and one != "\\" else one.encode("unicode_escape").decode() for one in name)


def shown(name: str) -> str:
    """The name of a file or folder as reports show it: legible, and not too long."""
    return _legible(_short(name))


def _short(name: str) -> str:
    """A name that reports can show: of one that is too long its beginning, and what tells it from others."""
    if len(name) <= BOUNDS.name_characters:
        return name
    return f"{name[: BOUNDS.name_characters - 10]}…{sha256(name.encode(errors='replace')).hexdigest()[:8]}"


def _is_a(suffix: str, name: str) -> bool:
    return name.lower().endswith(suffix)


def _refuse_large(size: int) -> None:
    if size > BOUNDS.bytes:
        raise BadSubmission(
            f"This notebook has {size / 1e6:,.0f} MB; up to {BOUNDS.bytes / 1e6:.0f} MB are read. Clear its outputs and attachments."
        )


def find(paths: Iterable[Path], students: Collection[str] = ()) -> Iterator[Found]:
    """Every notebook among `paths`, below the folders among them and in zip archives, in the order of their names.

    Of each of these students, and of each archive that lies in a folder, no more than BOUNDS allow; what is beyond them
    stands in one line. Links are not followed. Raises BadSubmission when a path does not exist.
    """
    for (place, is_bounded), group in groupby(_all(paths), lambda found: _place(found, students)):
        if is_bounded:
            yield from _bounded(place, group)
        else:
            # of what has another name, nobody can tell whether it is a student's
            yield from (found for found in group if found.fault != _MISNAMED)


def _place(found: Found, students: Collection[str]) -> tuple[Path, bool]:
    """Where what one student handed in lies, as far as that can be told; and whether that is one student's."""
    below = found.path.relative_to(found.root).parts[:-1] if found.path.is_relative_to(found.root) else ()
    for depth, folder in enumerate(below, start=1):
        if folder in students:
            return found.root.joinpath(*below[:depth]), True
    is_archive = _is_a(_ARCHIVE, found.path.name) and not found.is_named
    return found.path if is_archive else found.path.parent, is_archive


def place_of_one(found: Found, students: Collection[str]) -> Path | None:
    """Return the folder or archive that one student handed in; None where nobody can tell how many students' it is."""
    place, is_one_students = _place(found, students)
    return place if is_one_students else None


def _bounded(place: Path, group: Iterable[Found]) -> Iterator[Found]:
    """As many of these notebooks as are read of one student, and a line for the others."""
    taken = size = left = 0
    empty: list[Found] = []
    root = place
    for found in group:
        root = found.root
        if found.fault in _NOTHING_IN_IT:
            empty.append(found)
        elif taken < BOUNDS.notebooks and (taken == 0 or size + found.size <= BOUNDS.unpacked_bytes):
            taken, size = taken + 1, size + found.size
            yield found
        else:
            left += 1
    if left:
        fault = (
            f"{left:,} more notebooks lie here and were not read: of one student up to {BOUNDS.notebooks} are, of "
            f"{BOUNDS.unpacked_bytes / 1e6:.0f} MB together. Keep the one that counts."
        )
        yield Found(place, root, fault=fault)
    elif not taken:
        yield from empty[:1]


def _all(paths: Iterable[Path]) -> Iterator[Found]:
    for root in paths:
        if root.is_dir():
            yield from _below(root)
        elif root.exists():
            yield from _found(root, root.parent, is_named=True)
        else:
            raise BadSubmission(f"{root} does not exist.")


def _below(root: Path) -> Iterator[Found]:
    """What lies below a folder. A folder that cannot be read, or lies too deep, stands for itself and will say so."""
    unread: list[OSError] = []
    for folder, inner, names in os.walk(root, onerror=unread.append, followlinks=False):
        inner[:] = sorted(name for name in inner if not _is_hidden(name))
        for name in sorted(names):
            if _is_a(_NOTEBOOK, name) or _is_a(_ARCHIVE, name):
                yield from _found(Path(folder) / name, root) if not name.startswith("._") else ()
            elif _LIKE_A_NOTEBOOK.search(name) and not name.startswith("."):
                yield Found(Path(folder) / name, root, fault=_MISNAMED)
        if inner and len(Path(folder).relative_to(root).parts) >= BOUNDS.depth:
            inner.clear()
            fault = f"Here folders lie in each other more than {BOUNDS.depth} deep; what is further down was not read."
            yield Found(Path(folder), root, fault=fault)
    for error in unread:
        yield Found(Path(error.filename), root, fault=f"This folder cannot be read: {error.strerror}.")


def _is_hidden(name: str) -> bool:
    """Whether a folder is none of the student's: checkpoints of Jupyter, and what a Mac puts into every archive."""
    return name == "__MACOSX" or (name.startswith(".") and name.strip(".") != "")


def _found(path: Path, root: Path, *, is_named: bool = False) -> Iterator[Found]:
    """A notebook, or those of a zip archive; an archive that cannot be read stands for itself, and will say so."""
    itself = Found(path, root, is_named=is_named)
    if not _is_a(_ARCHIVE, path.name) or path.is_symlink() or not path.is_file():  # a pipe would be waited for
        yield itself
        return
    try:
        if not is_named and index_bytes(path) > BOUNDS.index_bytes:
            fault = f"This archive lists more members than are read ({BOUNDS.index_bytes / 1e6:.0f} MB of names). Hand in the notebook itself."
            yield replace(itself, fault=fault)
            return
        members = [info.filename for info in archive(path).infolist()]
    except (OSError, *DAMAGED):
        yield itself
        return
    names = Counter(name for name in members if _is_a(_NOTEBOOK, name))
    theirs = sorted(name for name in names if not _is_of_a_system(name))
    for name in theirs:
        fault = f"This archive holds {names[name]} members of this name. Keep the one that counts."
        yield replace(itself, member=name, fault=fault if names[name] > 1 else "")
    if not theirs and not is_named:
        yield replace(itself, fault=_PACKED_TWICE if any(_is_a(_ARCHIVE, name) for name in members) else _EMPTY)


def _is_of_a_system(member: str) -> bool:
    *folders, name = re.split(r"[/\\]", member)
    return name.startswith("._") or any(map(_is_hidden, folders))
