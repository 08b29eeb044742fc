"""Submitted zip archives: read member by member with suspicion, and never unpacked."""

from __future__ import annotations

import lzma
import os
import re
import stat
import struct
import zipfile
import zlib
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from shardwise.course.collecting.bounds import BOUNDS

# What zipfile raises for a file that is not an archive, or an archive of an unknown kind (a RuntimeError).
DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    LookupError,
    MemoryError,  # LZMA allocates the dictionary that a member claims to need, up to 4 GB
    RuntimeError,
    ValueError,
)
_END = struct.Struct("<4s4H2LH")  # the record at an archive's end: APPNOTE.TXT 6.3.10, 4.3.16
_LONGEST_COMMENT = 65_535
_LOCATOR = b"PK\6\7"  # the record of an archive with more than 65,535 members or 4 GB (4.3.15)


def archive(path: Path, within: tuple[str, ...] = ()) -> zipfile.ZipFile:
    """Return an archive, or the nested one that the member names in `within` lead to; its index is read once.

    Raises OSError and the errors in DAMAGED, also if a nested archive exceeds BOUNDS.
    """
    state = path.stat()
    return _opened(path, state.st_mtime_ns, state.st_size, within)


@lru_cache(maxsize=4)  # an archive and its nested ones; read again if the file is replaced
def _opened(path: Path, changed: int, size: int, within: tuple[str, ...]) -> zipfile.ZipFile:
    if not within:
        return zipfile.ZipFile(path)
    *outer, name = within
    around = _opened(path, changed, size, tuple(outer))
    info = around.getinfo(name)
    if is_link(info) or not stays_inside(name):
        raise zipfile.BadZipFile("it is a link")
    with around.open(info) as file:
        data = file.read(BOUNDS.unpacked_bytes + 1)  # the outer archive may claim any size
    if len(data) > BOUNDS.unpacked_bytes:
        raise zipfile.BadZipFile(f"it is larger than {BOUNDS.unpacked_bytes / 1e6:.0f} MB")
    if _index_bytes(BytesIO(data)) > BOUNDS.index_bytes:
        raise zipfile.BadZipFile("it lists too many members")
    return zipfile.ZipFile(BytesIO(data))


def index_bytes(path: Path) -> int:
    """Return the size of an archive's list of members, which zipfile reads at once. Raises OSError and the errors in DAMAGED."""
    with path.open("rb") as file:
        return _index_bytes(file)


def _index_bytes(file: BinaryIO) -> int:
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - _LONGEST_COMMENT - _END.size))
    tail = file.read()
    at = tail.rfind(b"PK\5\6")
    if at < 0:
        raise zipfile.BadZipFile("it has no list of members")
    if _LOCATOR in tail[max(0, at - 20) : at]:
        raise zipfile.BadZipFile("its format is for more than 65,535 members or 4 GB")
    return int(_END.unpack_from(tail, at)[5])


def is_link(info: zipfile.ZipInfo) -> bool:
    """Return whether a member is a symbolic link."""
    return stat.S_ISLNK(info.external_attr >> 16)


def stays_inside(member: str) -> bool:
    """Return whether a member's name stays inside the archive."""
    return not re.match(r"[/\\]|[A-Za-z]:", member) and ".." not in re.split(r"[/\\]", member)
