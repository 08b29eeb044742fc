"""Submitted notebooks: found in folders and archives within limits, and read with suspicion."""

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
from shardwise.course.gradescope import EXPORT
from shardwise.errors import ShardwiseError
from shardwise.markdown.escaping import safe
from shardwise.text_files import read_bounded

_NOTEBOOK = re.compile(r"\.ipynb(\.json|\.txt)?$", re.IGNORECASE)  # a browser may append another suffix
_ARCHIVE = re.compile(r"\.zip$", re.IGNORECASE)
_ENCRYPTED = 1  # a bit in a member's flags: APPNOTE.TXT 6.3.10, 4.4.4
_OF_A_SYSTEM = re.compile(
    r"\..*|~\$.*|Thumbs\.db|desktop\.ini", re.IGNORECASE
)  # files that the operating system or an editor creates
_PAGES = "ledger.sqlite", "feedback"  # in a folder of results, which may be among the submissions
_MOST_NAMED = 5  # files that are not notebooks, in one message

Whose = Callable[[Path], bool]  # whether a folder or file is named after a student


class BadSubmission(ShardwiseError):
    """A notebook cannot be graded. The message says why, and what the student can do about it."""


class CannotRead(BadSubmission):
    """A file could not be read because of the disk or the network. Running the same command again may succeed."""


@dataclass(frozen=True)
class SubmittedFile:
    """A submitted notebook: a file, or a member of a zip archive, which is read but never unpacked."""

    path: Path
    root: Path  # the named file or folder
    member: str = ""
    within: tuple[str, ...] = ()  # the nested archives around the member, from the outermost
    is_named: bool = False  # whether the grader named the file itself
    fault: str = ""  # why it must not be read
    is_stray: bool = False  # whether it is not a notebook, and so is ignored if its student has one

    def __str__(self) -> str:
        path = self.path.as_posix()
        return _legible("/".join((path, *map(_short, (*self.within, self.member)))) if self.member else path)

    @property
    def inside(self) -> list[str]:
        """Its folders inside the archive; a nested archive counts as a folder."""
        packed = [part for name in self.within for part in (*Path(name).parts[:-1], Path(name).stem)]
        return [*packed, *Path(self.member).parts[:-1]]

    @property
    def stem(self) -> str:
        """Its name without the suffix."""
        return readable_name(stem_of(Path(self.member or self.path).name))

    @property
    def size(self) -> int:
        """The unpacked size of the notebook in bytes; 0 for a missing file and for a damaged archive."""
        with suppress(OSError, *DAMAGED):
            return self._info().file_size if self.member else self.path.lstat().st_size
        return 0

    def changed(self) -> datetime:
        """Return when it was last changed. Times in an archive count only if the grader named it. Raises OSError.

        In an archive that a student put into that one, the times are the student's own.
        """
        if self.member and self.is_named:
            stamp = archive(self.path).getinfo((*self.within, self.member)[0]).date_time
            with suppress(ValueError, OverflowError):  # an archive may claim the 0th of the 15th month
                return datetime(*stamp).astimezone()
        return datetime.fromtimestamp(self.path.stat().st_mtime, UTC)

    def contents(self) -> bytes:
        """Read the bytes of the notebook from its file or its archive.

        Raises BadSubmission if it must not be read, for example because it is a link or too large, and CannotRead if the
        operating system could not read it.
        """
        if self.fault:
            raise BadSubmission(self.fault)
        try:
            return self._member() if self.member else self._file()
        except OSError as error:
            raise CannotRead(f"This file cannot be read: {error.strerror or error}.") from None

    def _file(self) -> bytes:
        if self.path.is_symlink() or not self.path.is_file():
            raise BadSubmission("This is a link or not a regular file. Hand in the notebook itself.")
        if _ARCHIVE.search(self.path.name):
            raise BadSubmission("This file is not a readable zip archive.")
        _refuse_large(self.path.stat().st_size)
        return read_bounded(self.path, BOUNDS.bytes)

    def _info(self) -> ZipInfo:
        return archive(self.path, self.within).getinfo(self.member)

    def _member(self) -> bytes:
        try:
            info = self._info()
            if is_link(info) or not stays_inside(self.member):
                raise BadSubmission(
                    "This is a link, or its name points outside the archive. Hand in the notebook itself."
                )
            if info.flag_bits & _ENCRYPTED:
                raise BadSubmission("This member of a zip archive is encrypted. Hand in the notebook itself.")
            _refuse_large(info.file_size)
            with archive(self.path, self.within).open(info) as file:
                data = file.read(BOUNDS.bytes + 1)  # the archive may claim any size
            _refuse_large(len(data))
            return data
        except DAMAGED as error:
            raise BadSubmission(f"This member of a zip archive cannot be read: {safe(str(error), 100)}.") from None


def _legible(name: str) -> str:
    r"""Return a file's name for reports, with escapes for unprintable characters and backslashes, so that names stay distinct.

    >>> print(_legible("\x1b[31mred\udc80"), _legible(r"\x1b[31mred"))
    \x1b[31mred\udc80 \\x1b[31mred
    """
    return "".join(
        sign if sign.isprintable() and sign != "\\" else sign.encode("unicode_escape").decode() for sign in name
    )


def readable_name(name: str) -> str:
    """Return the name of a file or folder for reports: legible, and not too long."""
    return _legible(_short(name))


def _short(name: str) -> str:
    """Return a name for reports; one that is too long is cut and gets a distinguishing suffix."""
    if len(name) <= BOUNDS.name_characters:
        return name
    return f"{name[: BOUNDS.name_characters - 10]}…{sha256(name.encode(errors='replace')).hexdigest()[:8]}"


def stem_of(name: str) -> str:
    """Return a file's name without its suffix; the suffix of week-1.ipynb.json is .ipynb.json."""
    return _NOTEBOOK.sub("", name) if _NOTEBOOK.search(name) else Path(name).stem


def _refuse_large(size: int) -> None:
    if size > BOUNDS.bytes:
        raise BadSubmission(
            f"This notebook has {size / 1e6:,.0f} MB, but the limit is {BOUNDS.bytes / 1e6:.0f} MB. Clear its outputs and attachments."
        )


def find(paths: Iterable[Path], whose: Whose = lambda _: False) -> Iterator[SubmittedFile]:
    """Yield every notebook among `paths`, in their folders and in zip archives, in the order of their names.

    BOUNDS limit each folder that belongs to a student, according to `whose`, and each archive in a folder; one entry reports
    the notebooks beyond them. If a student submitted no notebook, one entry reports their other files. Links are not followed.
    Raises BadSubmission if a path does not exist.
    """
    is_students = lru_cache(maxsize=4096)(whose)
    for (place, is_bounded), group in groupby(_all(paths), lambda found: _place(found, is_students)):
        if is_bounded:
            yield from _bounded(place, group)
        else:
            # in a folder that belongs to nobody, a file may not be a submission
            yield from (found for found in group if not found.is_stray)


def _place(found: SubmittedFile, whose: Whose) -> tuple[Path, bool]:
    """Return the folder or archive that limits apply to, and whether it belongs to a single student."""
    below = found.path.relative_to(found.root).parts[:-1] if found.path.is_relative_to(found.root) else ()
    chain = (*below, *(found.inside if found.is_named else ()))
    for depth in range(len(chain)):
        folder = found.root.joinpath(*chain[: depth + 1])
        if whose(folder):
            return folder, True
    itself = found.path.parent / Path(found.member or found.path).name
    for place in (
        (itself, found.root) if found.is_stray else ()
    ):  # a named folder may belong to the class, so it is checked only for stray files
        if whose(place):
            return place, True
    is_archive = _ARCHIVE.search(found.path.name) is not None and not found.is_named
    return found.path if is_archive else found.path.parent, is_archive


def place_of_one(found: SubmittedFile, whose: Whose) -> Path | None:
    """Return the folder or archive that one student submitted; None if it may belong to several."""
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
            f"{left:,} more notebooks here were not read: the limit per student is {BOUNDS.notebooks} notebooks with "
            f"{BOUNDS.unpacked_bytes / 1e6:.0f} MB in total. Keep only the one that counts."
        )
        if _ARCHIVE.search(place.name):
            fault += " If this archive has the notebooks of a class, name it in the command instead of its folder."
        yield SubmittedFile(place, root, fault=fault)
    elif strays and not taken:
        yield replace(strays[0], fault=_no_notebooks(strays, others))


def _no_notebooks(strays: Sequence[SubmittedFile], count: int) -> str:
    """Return why none of these files is a notebook, by name."""
    if count == 1 and strays[0].fault:
        return strays[0].fault
    names = [readable_name(Path(stray.member or stray.path).name) for stray in strays]
    listed = ", ".join(names) + (f" and {count - len(names):,} more" if count > len(names) else "")
    if count == 1:
        return f"{listed} is neither a notebook (*.ipynb) nor an archive (*.zip). Hand in the notebook itself, under its own name."
    return f"{listed} are neither notebooks (*.ipynb) nor archives (*.zip). Hand in the notebook itself."


def _all(paths: Iterable[Path]) -> Iterator[SubmittedFile]:
    for root in paths:
        if root.is_dir():
            yield from _below(root)
        elif root.exists():
            yield from _found(root, root.parent, is_named=True)
        else:
            raise BadSubmission(f"{root} does not exist.")


def _below(root: Path) -> Iterator[SubmittedFile]:
    """Yield the files below a folder. A folder that cannot be read or is nested too deeply yields itself with a fault."""
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
            fault = f"Folders here are nested more than {BOUNDS.depth} levels deep; deeper levels were not read."
            yield SubmittedFile(Path(folder), root, fault=fault)
    for error in unread:
        yield SubmittedFile(Path(error.filename), root, fault=f"This folder cannot be read: {error.strerror}.")


def _may_hold(name: str) -> bool:
    """Return whether a file may be a notebook or contain notebooks."""
    return bool(_NOTEBOOK.search(name) or _ARCHIVE.search(name))


def _is_hidden(name: str) -> bool:
    """Return whether a folder was created by Jupyter, for checkpoints, or by a Mac, in every archive."""
    return name == "__MACOSX" or (name.startswith(".") and name.strip(".") != "")


def _found(path: Path, root: Path, *, is_named: bool = False) -> Iterator[SubmittedFile]:
    """Yield a notebook, or those of a zip archive; an archive that cannot be read yields itself with a fault."""
    itself = SubmittedFile(path, root, is_named=is_named)
    if not _ARCHIVE.search(path.name) or path.is_symlink() or not path.is_file():  # a pipe would be waited for
        yield itself
        return
    try:
        if not is_named and index_bytes(path) > BOUNDS.index_bytes:
            fault = f"This archive lists too many members: the limit is {BOUNDS.index_bytes / 1e6:.0f} MB of names. Hand in the notebook itself."
            yield replace(itself, fault=fault)
            return
        held = list(_members(itself, [BOUNDS.unpacked_bytes]))
    except (OSError, *DAMAGED):
        yield itself
        return
    if any(Path(file.member).name == EXPORT and not file.within for file in held):
        fault = (
            f"This archive is an export from Gradescope, whose {EXPORT} is read only from a folder. Unpack the archive."
        )
        yield replace(itself, fault=fault)
        return
    if is_named or not all(file.is_stray for file in held):
        yield from held
        return
    names = [readable_name(Path(file.member).name) for file in held[:_MOST_NAMED]]
    only = f", only {', '.join(names)}{' and more' if len(held) > len(names) else ''}" if names else ""
    yield replace(
        itself, fault=f"This archive contains no notebook (*.ipynb){only}. Hand in the notebook itself.", is_stray=True
    )


def _members(itself: SubmittedFile, left: list[int]) -> Iterator[SubmittedFile]:
    """Yield an archive's members, including nested archives; `left` is the remaining budget of unpacked bytes.

    A named archive belongs to the class, so each archive in it may belong to another student and has a budget of its own.
    """
    packed = archive(itself.path, itself.within)
    names = Counter(info.filename for info in packed.infolist() if not info.is_dir())
    for name in sorted(name for name in names if not _is_of_a_system(name)):
        file = replace(itself, member=name)
        if names[name] > 1 and _may_hold(name):
            fault = f"This archive contains {names[name]} members with this name. Keep only the one that counts."
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
        fault = "Archives are nested too deeply here. Hand in the notebook itself."
        yield replace(file, fault=fault)
        return
    try:
        yield from list(_members(inner, left))
    except (OSError, *DAMAGED) as error:
        yield replace(
            file,
            fault=f"This nested archive cannot be read: {safe(str(error), 100)}. Hand in the notebook itself.",
        )


def _is_of_a_system(member: str) -> bool:
    *folders, name = re.split(r"[/\\]", member)
    return _OF_A_SYSTEM.fullmatch(name) is not None or any(map(_is_hidden, folders))
