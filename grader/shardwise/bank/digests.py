"""Digests of folders: every file counts, except what Python, editors and notebooks leave there."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import shardwise


def files_below(folder: Path) -> Iterator[Path]:
    """Every file that counts, in the order of their names."""
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        if path.is_file() and not any(part.startswith(".") or part == "__pycache__" for part in parts):
            yield path


def digest_of(*folders: Path) -> str:
    """One digest over the names and contents of all files below some folders."""
    digest = hashlib.sha256()
    for folder in folders:
        for path in files_below(folder):
            contents = path.read_bytes()
            name = path.relative_to(folder.parent).as_posix()
            digest.update(f"{name}\0{len(contents)}\0".encode() + contents)
    return digest.hexdigest()[:12]


@cache
def package_digest() -> str:
    """Digest of every file of this package: of the program that poses, shows and marks."""
    return digest_of(Path(shardwise.__file__).parent)
