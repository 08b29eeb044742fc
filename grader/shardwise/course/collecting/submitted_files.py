"""Notebooks that were handed in: found in folders and archives, bounded, and their bytes read with suspicion."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from zipfile import ZipInfo

from shardwise.course.collecting.archives import DAMAGED, archive, index_bytes, is_link, stays_inside
from shardwise.course.collecting.bounds import BOUNDS
from shardwise.errors import ShardwiseError
from shardwise.markdown.escaping import safe
from shardwise.text_files import read_bounded

_NOTEBOOK = re.compile(r"\.ipynb(\.json|\.txt)?$", re.IGNORECASE)  # a browser may put another suffix behind it
_ARCHIVE = re.compile(r"\.zip$", re.IGNORECASE)
_ENCRYPTED = 1  # a bit in the flags of a member: APPNOTE.TXT 6.3.10, 4.4.4
_OF_A_SYSTEM = re.compile(r"\..*|~\$.*|Thumbs\.db|desktop\.ini", re.IGNORECASE)  # files that no student handed in
_PAGES = "ledger.sqlite", "feedback"  # in a folder of results, which may lie among the submissions
_MOST_NAMED = 5  # files that are no notebooks, in one line

Whose = Callable[[Path], bool]  # whether a folder, or a file, is called after a student


class BadSubmission(ShardwiseError):
    """A notebook cannot be graded. The message says what was seen, and what the student can do about it."""


class CannotRead(BadSubmission):
    """A file could not be read this time, because of the disk or the network. The same command may read it later."""


@dataclass(frozen=True)
class SubmittedFile:
    """A notebook that was handed in: a file, or a member of a zip archive, which is read and never unpacked."""

    path: Path
    root: Path  # what was named, or the folder that was named
    member: str = ""
    within: tuple[str, ...] = ()  # the archives inside that archive, from the outermost on, in which the member is
    is_named: bool = False  # whether the file itself was named, and so comes from whoever grades
    fault: str = ""  # why it is not to be read
    is_stray: bool = False  # whether it is no notebook, and so counts for nothing where its student has one

    def __str__(self) -> str:
        path = self.path.as_posix()
        return _legible("/".join((path, *map(_short, (*self.within, self.member)))) if self.member else path)

    @property
    def inside(self) -> list[str]:
        """The folders in which it lies inside its archive; an archive in the archive is as good as a folder."""
        packed = [part for name in self.within for part in (*Path(name).parts[:-1], Path(name).stem)]
        return [*packed, *Path(self.member).parts[:-1]]

    @property
    def stem(self) -> str:
        """Its name without the suffix."""
        return readable_name(stem_of(Path(self.member or self.path).name))

    @property
    def size(self) -> int:
        """How many bytes the notebook has, unpacked. It is 0 for a file that is gone and for a damaged archive."""
        with suppress(OSError, *DAMAGED):
            return self._info().file_size if self.member else self.path.lstat().st_size
        return 0

    def changed(self) -> datetime:
        """When it was last changed; raises OSError. What an archive says is believed of one that was named alone, a class's."""
        if self.member and self.is_named:
            stamp = self._info().date_time
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
        if _ARCHIVE.search(self.path.name):
            raise BadSubmission("This file is no zip archive that can be read.")
        _refuse_large(self.path.stat().st_size)
        return read_bounded(self.path, BOUNDS.bytes)

    def _info(self) -> ZipInfo:
        return archive(self.path, self.within).getinfo(self.member)

    def _member(self) -> bytes:
        try:
            info = self._info()
            if is_link(info) or not stays_inside(self.member):
                raise BadSubmission(
                    "This is a link, or its name leads out of the archive. Hand in the notebook itself."
                )
            if info.flag_bits & _ENCRYPTED:
                raise BadSubmission("This member of a zip archive is encrypted. Hand in the notebook itself.")
            _refuse_large(info.file_size)
            with archive(self.path, self.within).open(info) as file:
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
    return "".join(
        sign if sign.isprintable() and sign != "\\" else sign.encode("unicode_escape").decode() for sign in name
    )


def readable_name(name: str) -> str:
    """The name of a file or folder as reports show it: legible, and not too long."""
    return _legible(_short(name))


def _short(name: str) -> str:
    """A name that reports can show: of one that is too long its beginning, and what tells it from others."""
    if len(name) <= BOUNDS.name_characters:
        return name
    return f"{name[: BOUNDS.name_characters - 10]}…{sha256(name.encode(errors='replace')).hexdigest()[:8]}"


def stem_of(name: str) -> str:
    """Return a file's name without its suffix; the suffix of week-1.ipynb.json is .ipynb.json."""
    return _NOTEBOOK.sub("", name) if _NOTEBOOK.search(name) else Path(name).stem


def _refuse_large(size: int) -> None:
    if size > BOUNDS.bytes:
        raise BadSubmission(
            f"This notebook has {size / 1e6:,.0f} MB; up to {BOUNDS.bytes / 1e6:.0f} MB are read. Clear its outputs and attachments."
        )


def find(paths: Iterable[Path], whose: Whose = lambda _: False) -> Iterator[SubmittedFile]:
    """Every notebook among `paths`, below the folders among them and in zip archives, in the order of their names.

    Of each folder that is a student's by `whose`, and of each archive that lies in a folder, no more than BOUNDS allow; what is
    beyond them stands in one line, and so do files of theirs that are no notebooks, where there is none. Links are not followed.
    Raises BadSubmission when a path does not exist.
    """
    is_students = lru_cache(maxsize=4096)(whose)
    for (place, is_bounded), group in groupby(_all(paths), lambda found: _place(found, is_students)):
        if is_bounded:
            yield from _bounded(place, group)
        else:
            # of what lies in nobody's folder, nobody can tell whether it was handed in
            yield from (found for found in group if not found.is_stray)


def _place(found: SubmittedFile, whose: Whose) -> tuple[Path, bool]:
    """Where what one student handed in lies, as far as that can be told; and whether that is one student's."""
    below = found.path.relative_to(found.root).parts[:-1] if found.path.is_relative_to(found.root) else ()
    chain = (*below, *(found.inside if found.is_named else ()))
    for depth in range(len(chain)):
        folder = found.root.joinpath(*chain[: depth + 1])
        if whose(folder):
            return folder, True
    itself = found.path.parent / Path(found.member or found.path).name
    for place in (
        (itself, found.root) if found.is_stray else ()
    ):  # a folder that was named may be a class's, so it bounds nothing else
        if whose(place):
            return place, True
    is_archive = _ARCHIVE.search(found.path.name) is not None and not found.is_named
    return found.path if is_archive else found.path.parent, is_archive


def place_of_one(found: SubmittedFile, whose: Whose) -> Path | None:
    """Return the folder or archive that one student handed in; None where nobody can tell how many students' it is."""
    place, is_one_students = _place(found, whose)
    return place if is_one_students else None


def _bounded(place: Path, group: Iterable[SubmittedFile]) -> Iterator[SubmittedFile]:
    """Yield the notebooks of one student up to the limit, then one entry for the rest or for files that are not notebooks."""
    taken = size = left = 0
    strays: list[SubmittedFile] = []
    others = 0
    root = place
    for found in group:
        root = found.root
        if found.is_stray:
            strays += [found] if len(strays) < _MOST_NAMED else []
            others += 1
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
        yield SubmittedFile(place, root, fault=fault)
    elif strays and not taken:
        yield replace(strays[0], fault=_no_notebooks(strays, others))


def _no_notebooks(strays: Sequence[SubmittedFile], count: int) -> str:
    """Return why none of these files is a notebook, by name."""
    if count == 1 and strays[0].fault:
        return strays[0].fault
    names = [readable_name(Path(stray.member or stray.path).name) for stray in strays]
    listed = ", ".join(names) + (f" and {count - len(names):,} more" if count > len(names) else "")
    are = "is" if count == 1 else "are"
    which = "itself, under its own name" if count == 1 else "itself"
    return (
        f"{listed} {are} read neither as a notebook (*.ipynb) nor as an archive (*.zip). Hand in the notebook {which}."
    )


def _all(paths: Iterable[Path]) -> Iterator[SubmittedFile]:
    for root in paths:
        if root.is_dir():
            yield from _below(root)
        elif root.exists():
            yield from _found(root, root.parent, is_named=True)
        else:
            raise BadSubmission(f"{root} does not exist.")


def _below(root: Path) -> Iterator[SubmittedFile]:
    """What lies below a folder. A folder that cannot be read, or lies too deep, stands for itself and will say so."""
    unread: list[OSError] = []
    for folder, inner, names in os.walk(root, onerror=unread.append, followlinks=False):
        ledger, pages = _PAGES
        inner[:] = sorted(name for name in inner if not _is_hidden(name) and not (name == pages and ledger in names))
        for name in sorted(names):
            path = Path(folder) / name
            if not _OF_A_SYSTEM.fullmatch(name):
                yield from _found(path, root) if _may_hold(name) else [SubmittedFile(path, root, is_stray=True)]
        if inner and len(Path(folder).relative_to(root).parts) >= BOUNDS.depth:
            inner.clear()
            fault = f"Here folders lie in each other more than {BOUNDS.depth} deep; what is further down was not read."
            yield SubmittedFile(Path(folder), root, fault=fault)
    for error in unread:
        yield SubmittedFile(Path(error.filename), root, fault=f"This folder cannot be read: {error.strerror}.")


def _may_hold(name: str) -> bool:
    """Return whether a file may be a notebook, or hold some."""
    return bool(_NOTEBOOK.search(name) or _ARCHIVE.search(name))


def _is_hidden(name: str) -> bool:
    """Whether a folder is none of the student's: checkpoints of Jupyter, and what a Mac puts into every archive."""
    return name == "__MACOSX" or (name.startswith(".") and name.strip(".") != "")


def _found(path: Path, root: Path, *, is_named: bool = False) -> Iterator[SubmittedFile]:
    """A notebook, or those of a zip archive; an archive that cannot be read stands for itself, and will say so."""
    itself = SubmittedFile(path, root, is_named=is_named)
    if not _ARCHIVE.search(path.name) or path.is_symlink() or not path.is_file():  # a pipe would be waited for
        yield itself
        return
    try:
        if not is_named and index_bytes(path) > BOUNDS.index_bytes:
            fault = f"This archive lists more members than are read ({BOUNDS.index_bytes / 1e6:.0f} MB of names). Hand in the notebook itself."
            yield replace(itself, fault=fault)
            return
        held = list(_members(itself, [BOUNDS.unpacked_bytes]))
    except (OSError, *DAMAGED):
        yield itself
        return
    if is_named or not all(file.is_stray for file in held):
        yield from held
        return
    names = [readable_name(Path(file.member).name) for file in held[:_MOST_NAMED]]
    only = f", only {', '.join(names)}{' and more' if len(held) > len(names) else ''}" if names else ""
    yield replace(
        itself, fault=f"This archive holds no notebook (*.ipynb){only}. Hand in the notebook itself.", is_stray=True
    )


def _members(itself: SubmittedFile, left: list[int]) -> Iterator[SubmittedFile]:
    """Yield an archive's members, including nested archives; `left` is the remaining budget of unpacked bytes.

    An archive that was named is a class's: what is in it may be of as many students, and each may unpack as much.
    """
    packed = archive(itself.path, itself.within)
    names = Counter(info.filename for info in packed.infolist() if not info.is_dir())
    for name in sorted(name for name in names if not _is_of_a_system(name)):
        file = replace(itself, member=name)
        if names[name] > 1 and _may_hold(name):
            fault = f"This archive holds {names[name]} members of this name. Keep the one that counts."
            yield replace(file, fault=fault)
        elif _ARCHIVE.search(name):
            theirs = [BOUNDS.unpacked_bytes] if itself.is_named and not itself.within else left
            yield from _packed(
                replace(itself, within=(*itself.within, name)), file, packed.getinfo(name).file_size, theirs
            )
        else:
            yield file if _NOTEBOOK.search(name) else replace(file, is_stray=True)


def _packed(inner: SubmittedFile, file: SubmittedFile, size: int, left: list[int]) -> Iterator[SubmittedFile]:
    """Yield the members of a nested archive; if it cannot be unpacked, yield `file` itself with the reason."""
    left[0] -= size
    if len(inner.within) >= BOUNDS.archives or left[0] < 0:
        fault = "Archives lie in each other here, more of them than are unpacked. Hand in the notebook itself."
        yield replace(file, fault=fault)
        return
    try:
        yield from list(_members(inner, left))
    except (OSError, *DAMAGED) as error:
        yield replace(
            file,
            fault=f"This archive in an archive cannot be read: {safe(str(error), 100)}. Hand in the notebook itself.",
        )


def _is_of_a_system(member: str) -> bool:
    *folders, name = re.split(r"[/\\]", member)
    return _OF_A_SYSTEM.fullmatch(name) is not None or any(map(_is_hidden, folders))
