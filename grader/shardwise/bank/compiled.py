"""The cache of a bank: its YAML files as plain data, by content, since reading YAML and validating it takes seconds.

It lies in the user's cache folder. An entry counts only for the very bytes of a file and for the code that found them
valid; a cache that cannot be read or written is no fault, only slow.
"""

from __future__ import annotations

import atexit
import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import shardwise
from shardwise.atomic_files import write
from shardwise.bank.digests import digest_of
from shardwise.kinds import kinds

Data = Mapping[str, Any]


class Compiled:
    """The files of one bank that were read and found valid."""

    def __init__(self, file: Path | None, entries: dict[str, tuple[str, Data]]) -> None:
        self._file, self._entries = file, entries
        self._is_new = False

    @classmethod
    def of(cls, bank: Path) -> Compiled:
        """What is known of the bank in this folder."""
        file = cache_folder() / "banks" / f"{hashlib.sha256(str(bank).encode()).hexdigest()[:16]}.json"
        try:
            found = json.loads(file.read_bytes())
            entries = {name: (str(digest), data) for name, (digest, data) in found["files"].items()}
            return cls(file, entries if found["readers"] == readers() else {})
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):  # none yet, or damaged
            return cls(file, {})

    def read(self, path: Path, name: str, model: Any) -> tuple[Data, str]:
        """A YAML file as plain data that `model` accepts, and the file's digest. Raises Faulty with all its faults."""
        from shardwise.template.yaml_source import load, validate  # slow to import, and needed for new files only

        with suppress(OSError):
            digest = _digest(path.read_bytes())
            known = self._entries.get(name)
            if known is not None and known[0] == digest:
                return known[1], digest
        source = load(path, name)
        validate(source, model)
        if not self._is_new:
            self._is_new = True
            atexit.register(self.keep)
        self._entries[name] = (_digest(source.text.encode()), source.data)
        return source.data, self._entries[name][0]

    def keep(self) -> None:
        """Write what was read anew; nothing when there is nothing new, or no place for it."""
        if self._is_new and self._file is not None:
            self._is_new = False
            document = {"readers": readers(), "files": self._entries}
            with suppress(OSError, ValueError, TypeError):
                write(self._file, json.dumps(document, ensure_ascii=False).encode())


def cache_folder() -> Path:
    """Where caches of this user lie."""
    import platformdirs

    return Path(platformdirs.user_cache_dir("shardwise", appauthor=False))


@cache
def readers() -> str:
    """Version and digest of the code that decides whether a file is valid."""
    package = Path(shardwise.__file__).parent
    return f"{shardwise.__version__} {digest_of(package / 'template', package / 'kinds')} {' '.join(kinds())}"


def _digest(contents: bytes) -> str:
    return hashlib.sha256(contents).hexdigest()[:16]
