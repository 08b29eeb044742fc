"""The cache of a bank: its YAML files as plain data, by content, since validating them takes seconds.

It lies in the user's cache folder. An entry counts only for the very bytes of a file and for the code that found them
valid; a cache that cannot be read or written is no fault, only slow.
"""

from __future__ import annotations

import atexit
import hashlib
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import shardwise
from shardwise.atomic_files import write
from shardwise.bank.digests import digest_of
from shardwise.text_files import read_text

Data = Mapping[str, Any]


class Compiled:
    """The files of one bank that were read and found valid."""

    def __init__(self, file: Path, entries: dict[str, tuple[str, Data]]) -> None:
        self._file, self._entries = file, entries
        self._is_new = False

    @classmethod
    def of(cls, bank: Path) -> Compiled:
        """What is known of the bank in this folder."""
        file = cache_folder() / "banks" / f"{hashlib.sha256(os.fsencode(bank)).hexdigest()[:16]}.json"
        with suppress(OSError, ValueError):  # none yet, or damaged
            known = _is_trusted(file) and _is_trusted(file.parent)
            head, _, body = file.read_bytes().partition(b"\n") if known else (b"", b"", b"")
            if head.decode() == _head(body):
                return cls(file, {name: (digest, data) for name, (digest, data) in json.loads(body).items()})
        return cls(file, {})

    def read(self, path: Path, name: str, of: str) -> tuple[Data, str]:
        """A YAML file as the plain data of a valid "problem", "chapter" or "curriculum", and its digest. Raises Faulty with all faults."""
        text = read_text(path, name)
        digest = _digest(text.encode())
        known = self._entries.get(name)
        if known is not None and known[0] == digest:
            return known[1], digest
        from shardwise.bank.files import adapter, is_ours  # slow to import, and needed for new files only
        from shardwise.template.yaml_source import validated

        data = validated(text, name, adapter(of))
        if is_ours(data):
            self._entries[name] = (digest, data)
            self._changed()
        return data, digest

    def _changed(self) -> None:
        if not self._is_new:
            self._is_new = True
            atexit.register(self.keep)

    def keep(self) -> None:
        """Write what was read anew; nothing when there is nothing new, or no place for it."""
        if self._is_new:
            self._is_new = False
            atexit.unregister(self.keep)
            with suppress(OSError, ValueError, TypeError):
                body = json.dumps(self._entries, ensure_ascii=False).encode()
                self._file.parent.mkdir(parents=True, exist_ok=True)
                self._file.parent.chmod(0o700)  # whatever the umask: these are the solutions of a private bank
                write(self._file, _head(body).encode() + b"\n" + body, private=True)


def _is_trusted(path: Path) -> bool:
    """Return whether only this user could have written a file; true on systems without file owners."""
    found = path.stat()
    return not hasattr(os, "getuid") or (found.st_uid == os.getuid() and not found.st_mode & 0o022)


def cache_folder() -> Path:
    """Where caches of this user lie."""
    import platformdirs

    return Path(platformdirs.user_cache_dir("shardwise", appauthor=False))


@cache
def readers() -> str:
    """Version and digest of the code that decides whether a file is valid."""
    package = Path(shardwise.__file__).parent
    wings = [package / name for name in ("template", "kinds", "bank", "units")]
    return f"{shardwise.__version__} {digest_of(*wings)}"


def _head(body: bytes) -> str:
    """The first line of a cache: who wrote it, and the digest of what follows, so that nothing else is believed."""
    return f"{readers()} {_digest(body)}"


def _digest(contents: bytes) -> str:
    return hashlib.sha256(contents).hexdigest()[:16]
