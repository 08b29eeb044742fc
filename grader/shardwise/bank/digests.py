"""Digests of folders: every file counts, except what Python, editors and notebooks leave there."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import shardwise


def files_below(folder: Path) -> Iterator[str]:
    """The name below it of every file that counts, in order. Every worker reads them when it begins, so this is quick."""
    yield from _below(str(folder), "")


def _below(folder: str, inner: str) -> Iterator[str]:
    try:
        with os.scandir(f"{folder}/{inner}") as entries:
            found = sorted(entries, key=lambda entry: entry.name)
    except FileNotFoundError:  # a bank without references
        return
    for entry in found:
        if entry.name.startswith(".") or entry.name.endswith(".pyc") or entry.name == "__pycache__":
            continue
        if entry.is_dir():
            yield from _below(folder, f"{inner}{entry.name}/")
        elif entry.is_file():  # a pipe would be waited for, and a link may lead nowhere
            yield inner + entry.name


def digest_of(*folders: Path) -> str:
    """One digest over the names and contents of all files below some folders."""
    digest = hashlib.sha256()
    for folder in folders:
        for name in files_below(folder):
            with open(f"{folder}/{name}", "rb") as file:
                contents = file.read()
            digest.update(f"{folder.name}/{name}\0{len(contents)}\0".encode() + contents)
    return digest.hexdigest()[:12]


def digest_of_text(text: str) -> str:
    """Return the digest of one file, by its text."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@cache
def package_digest() -> str:
    """Digest of every file of this package: of the program that poses, shows and marks."""
    return digest_of(Path(shardwise.__file__).parent)
