"""Reading of files that others wrote, up to a limit; an error in reading is a fault of the file."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from shardwise.errors import Fault, Faulty

LARGEST = 1_000_000  # bytes; the longest template has fewer than 10,000


def read_text(path: Path, name: str) -> str:
    """Return the text of a file, which faults call `name`. Raises Faulty if it is missing, too large, or not UTF-8.

    The byte order mark with which Notepad begins a file is removed.
    """
    try:
        raw = read_bounded(path)
    except OSError as error:
        raise Faulty([Fault(name, f"cannot be read: {error.strerror}")]) from None
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise Faulty([Fault(f"{name}:{line}", f"is not UTF-8: {error.reason}", "Save it as UTF-8.")]) from None


def read_bounded(path: Path, most: int = LARGEST) -> bytes:
    """Return the bytes of a file. Raises OSError, also for more than `most` bytes, or if it is not a regular file."""
    must_be_ordinary(path)
    with path.open("rb") as file:
        found = file.read(most + 1)
        size = max(len(found), os.fstat(file.fileno()).st_size)
    if size > most:
        raise OSError(errno.EFBIG, f"it has {size:,} bytes, but the limit is {most:,}", str(path))
    return found


def first_line(path: Path, most: int) -> bytes:
    """Return the first line of a file of any size. Raises OSError, as `read_bounded` does, if that line is too long."""
    must_be_ordinary(path)
    with path.open("rb") as file:
        found = file.readline(most + 1)
    if len(found) > most:
        raise OSError(errno.EFBIG, f"its first line has more than {most:,} bytes", str(path))
    return found


def has_contents(path: Path, data: bytes) -> bool:
    """Return whether a regular file has exactly these bytes, without reading more."""
    with suppress(OSError):
        return read_bounded(path, len(data)) == data
    return False


def lines_of(file: BinaryIO, most: int) -> Iterator[bytes]:
    """Yield the lines of an open file; a line of more than `most` bytes comes in pieces, so that memory stays bounded."""
    return iter(lambda: file.readline(most), b"")


def must_be_ordinary(path: Path) -> None:
    """Raise OSError for a path whose reading could block or never end: a pipe, a device, or a dangling link."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        if path.is_symlink():
            raise OSError(errno.ENOENT, "it is a dangling link", str(path)) from None
        raise
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):  # opening a folder fails anyway
        raise OSError(errno.EINVAL, "it is a pipe, a socket or a device", str(path))
