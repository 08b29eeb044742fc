"""Zip archives that were handed in: read member by member with suspicion, and never unpacked."""

from __future__ import annotations

import lzma
import os
import re
import stat
import struct
import zipfile
import zlib
from functools import lru_cache
from pathlib import Path

# What zipfile raises for an archive that is none, or is of a kind that it does not know (a RuntimeError).
DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    LookupError,
    RuntimeError,
    ValueError,
)
_END = struct.Struct("<4s4H2LH")  # the record at an archive's end: APPNOTE.TXT 6.3.10, 4.3.16
_LONGEST_COMMENT = 65_535
_LOCATOR = b"PK\6\7"  # of the record of an archive with more than 65,535 members or 4 GB (4.3.15)


def archive(path: Path) -> zipfile.ZipFile:
    """An archive, whose index is read once for all its members."""
    state = path.stat()
    return _opened(path, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=1)  # and again when the file was replaced
def _opened(path: Path, _changed: int, _size: int) -> zipfile.ZipFile:
    return zipfile.ZipFile(path)


def index_bytes(path: Path) -> int:
    """How long an archive's list of members is, which zipfile reads as a whole. Raises OSError and what is in DAMAGED."""
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - _LONGEST_COMMENT - _END.size))
        tail = file.read()
    at = tail.rfind(b"PK\5\6")
    if at < 0:
        raise zipfile.BadZipFile("it has no list of members")
    if _LOCATOR in tail[max(0, at - 20) : at]:
        raise zipfile.BadZipFile("it is made for more than 65,535 members or 4 GB")
    return int(_END.unpack_from(tail, at)[5])


def is_link(info: zipfile.ZipInfo) -> bool:
    """Whether a member is a symbolic link."""
    return stat.S_ISLNK(info.external_attr >> 16)


def stays_inside(member: str) -> bool:
    """Whether a member's name leads to a place inside of the archive."""
    return not re.match(r"[/\\]|[A-Za-z]:", member) and ".." not in re.split(r"[/\\]", member)
