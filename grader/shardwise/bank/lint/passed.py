"""The problems that passed the lint, remembered in the user's cache folder until anything that they depend on changes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from shardwise.atomic_files import write_file
from shardwise.bank.bank import Bank
from shardwise.bank.dependencies import Dependencies
from shardwise.bank.digests import digest_of_text


class Passed:
    """The problems of a bank that passed before, with the reports of that run as plain data."""

    def __init__(self, bank: Bank, names: Iterable[str]) -> None:
        dependencies = Dependencies(bank)
        self._digests = {name: dependencies.digest(bank.problems[name]) for name in names}
        self._path = _cache() / f"{digest_of_text(str(bank.folder))}.json"
        self._all = _read(self._path)

    def report(self, name: str, seeds: int) -> Mapping[str, Any] | None:
        """Return the report of an unchanged problem that passed with at least as many seeds; None otherwise."""
        with suppress(LookupError, TypeError):  # it is unknown, or the cache is damaged
            known = self._all[name]
            if known["digest"] == self._digests[name] and known["report"]["seeds"] >= seeds:
                report: Mapping[str, Any] = known["report"]
                return report
        return None

    def add(self, reports: Mapping[str, Mapping[str, Any]]) -> None:
        """Remember the reports of problems that just passed. If the cache cannot be written, the next run is slower."""
        self._all |= {name: {"digest": self._digests[name], "report": report} for name, report in reports.items()}
        with suppress(OSError):
            write_file(self._path, json.dumps(self._all).encode())


def _cache() -> Path:
    import platformdirs

    return Path(platformdirs.user_cache_dir("shardwise", appauthor=False)) / "lint"


def _read(path: Path) -> dict[str, Mapping[str, Any]]:
    with suppress(OSError, ValueError):
        known = json.loads(path.read_bytes())
        return known if isinstance(known, dict) else {}
    return {}
