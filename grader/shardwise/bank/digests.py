"""Digests of folders: they cover every file except those that Python, editors and notebooks leave behind."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import shardwise


def files_below(folder: Path) -> Iterator[str]:
    """Yield the relative name of every file that counts, in order. It is fast, because every worker calls it at start."""
    yield from _below(str(folder), "")


def _below(folder: str, inner: str) -> Iterator[str]:
    try:
        with os.scandir(f"{folder}/{inner}") as entries:
            found = sorted(entries, key=lambda entry: entry.name)
    except FileNotFoundError:  # a bank may have no references
        return
    for entry in found:
        if entry.name.startswith(".") or entry.name.endswith(".pyc") or entry.name == "__pycache__":
            continue
        if entry.is_dir():
            yield from _below(folder, f"{inner}{entry.name}/")
        elif entry.is_file():  # reading a pipe would block, and a link may be dangling
            yield inner + entry.name


def digest_of(*folders: Path) -> str:
    """Return one digest of the names and contents of all files below some folders."""
    digest = hashlib.sha256()
    for folder in folders:
        for name in files_below(folder):
            with open(f"{folder}/{name}", "rb") as file:
                contents = file.read()
            digest.update(f"{folder.name}/{name}\0{len(contents)}\0".encode() + contents)
    return digest.hexdigest()[:12]


def digest_of_text(text: str) -> str:
    """Return the digest of a file's text."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@cache
def package_digest() -> str:
    """Return the digest of every file of this package, the program that poses, shows and marks questions."""
    return digest_of(Path(shardwise.__file__).parent)
