"""The progress file: a SQLite file of the student's own, into which several kernels and a terminal may write at once.

Each write opens the file, commits, and closes it. A rollback journal is slower than a write-ahead log and works where
home folders often lie: on a file system of the network, with kernels on several machines.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import astuple
from datetime import datetime
from pathlib import Path
from typing import Any

from shardwise.errors import ShardwiseError
from shardwise.student.progress.events import Estimate, Event, Variant

VARIABLE = "SHARDWISE_PROGRESS"
OFF = "off"  # the value of the variable by which nothing is kept
_OURS = 0x53575047  # PRAGMA application_id, so that no other program's database is taken for ours
_FORMAT = 1  # PRAGMA user_version
_PATIENCE = 2.0  # seconds to wait for another writer
_TABLES = """
    CREATE TABLE IF NOT EXISTS event (
        id INTEGER PRIMARY KEY,   -- the order in which it happened, whatever the clock said
        at TEXT NOT NULL,         -- UTC
        bank TEXT NOT NULL, problem TEXT NOT NULL, seed TEXT NOT NULL,
        digest TEXT NOT NULL,     -- of the problem's file
        what TEXT NOT NULL,       -- answer, hint or solution
        place TEXT NOT NULL,      -- cell, form or terminal
        outcome TEXT NOT NULL, points REAL NOT NULL, hint INTEGER NOT NULL, seconds REAL
    );
    CREATE INDEX IF NOT EXISTS event_problem ON event (bank, problem);
    CREATE TABLE IF NOT EXISTS estimate (    -- the first of each variant: who knows the answer does not estimate
        at TEXT NOT NULL,
        bank TEXT NOT NULL, problem TEXT NOT NULL, seed TEXT NOT NULL,
        off REAL NOT NULL,        -- powers of ten
        confidence REAL, hit INTEGER,
        PRIMARY KEY (bank, problem, seed)
    );
    CREATE TABLE IF NOT EXISTS draft (       -- what was typed into forms, where the notebook does not keep it
        at TEXT NOT NULL,
        bank TEXT NOT NULL,
        key TEXT NOT NULL,        -- what it is, the problem and the seed, as forms write them: "answer 01-loans/monthly-payment 3"
        value TEXT NOT NULL,      -- JSON
        PRIMARY KEY (bank, key)
    );
"""
_EVENT = "at, bank, problem, seed, digest, what, place, outcome, points, hint, seconds"
_ESTIMATE = "at, bank, problem, seed, off, confidence, hit"
_ABOUT = "instr(key || ' ', ' ' || ? || ' ') > 0"  # whether a draft is about a problem


class Unusable(ShardwiseError):
    """A progress file that cannot be read or written, in words for the student."""


def usual_path() -> Path | None:
    """Where progress is kept: the file that SHARDWISE_PROGRESS names, or one in the user's data folder; None for nowhere."""
    named = os.environ.get(VARIABLE, "").strip()
    if named:
        return None if named == OFF else Path(os.path.expanduser(named))  # a Path's own way raises for an unknown user
    import platformdirs

    return Path(platformdirs.user_data_dir("shardwise", appauthor=False)) / "progress.sqlite"


class ProgressFile:
    """The file at a path; it is made by the first write. Every method may raise Unusable."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def add(self, event: Event) -> None:
        """Keep what a student did."""
        self._insert("INTO event", _EVENT, event)

    def add_estimate(self, estimate: Estimate) -> None:
        """Keep an estimate, unless there is one of that variant."""
        self._insert("OR IGNORE INTO estimate", _ESTIMATE, estimate)

    def keep_drafts(self, at: datetime, bank: str, drafts: Mapping[str, Any]) -> None:
        """Keep what was typed, by key, in place of what was typed before."""
        rows = [(at.isoformat(), bank, key, json.dumps(value)) for key, value in drafts.items()]
        with self._open() as db, db:
            db.executemany("INSERT OR REPLACE INTO draft (at, bank, key, value) VALUES (?, ?, ?, ?)", rows)

    def drafts_of(self, bank: str, problem: str) -> dict[str, Any]:
        """What was typed for a problem, by key."""
        rows = self._rows(f"SELECT key, value FROM draft WHERE bank = ? AND {_ABOUT}", bank, problem)
        return {row["key"]: self._read(json.loads, row["value"]) for row in rows}

    def events(self) -> list[Event]:
        """All that a student did, in order."""
        return [Event(**self._read(_of_variant, row)) for row in self._rows(f"SELECT {_EVENT} FROM event ORDER BY id")]

    def seeds(self, variant: Variant) -> list[str]:
        """The seeds of the variants of the same problem at which something was done."""
        query = "SELECT DISTINCT seed FROM event WHERE (bank, problem) = (?, ?)"
        return [row["seed"] for row in self._rows(query, variant.bank, variant.problem)]

    def was_answered(self, variant: Variant, digest: str) -> bool:
        """Whether an answer to a variant was judged, as its problem's file is now."""
        query = "SELECT 1 FROM event WHERE (bank, problem, seed, digest, what) = (?, ?, ?, ?, 'answer') LIMIT 1"
        return bool(self._rows(query, *variant, digest))

    def estimates(self) -> list[Estimate]:
        """Every estimate, in order."""
        return [
            Estimate(**self._read(_of_variant, row))
            for row in self._rows(f"SELECT {_ESTIMATE} FROM estimate ORDER BY rowid")
        ]

    def exported(self) -> dict[str, Any]:
        """Return everything the file holds, as JSON data."""
        drafts = self._rows("SELECT at, bank, key, value FROM draft ORDER BY at")
        return {
            "format": _FORMAT,
            "events": self._rows(f"SELECT {_EVENT} FROM event ORDER BY id"),
            "estimates": self._rows(f"SELECT {_ESTIMATE} FROM estimate ORDER BY rowid"),
            "drafts": [{**draft, "value": self._read(json.loads, draft["value"])} for draft in drafts],
        }

    def forget(self, problem: str | None = None) -> None:
        """Delete all that is kept of a problem, in whichever bank; without a problem, all that is kept."""
        if not os.path.exists(self.path):
            return
        values = () if problem is None else (problem,)
        with self._open() as db, db:
            db.execute("PRAGMA secure_delete = ON")  # nothing of it stays in the file
            for table, about in (("event", "problem = ?"), ("estimate", "problem = ?"), ("draft", _ABOUT)):
                db.execute(f"DELETE FROM {table} WHERE {'true' if problem is None else about}", values)

    def _insert(self, into: str, columns: str, kept: Event | Estimate) -> None:
        at, variant, *rest = astuple(kept)
        values = (at.isoformat(), *variant, *rest)
        with self._open() as db, db:
            db.execute(f"INSERT {into} ({columns}) VALUES ({', '.join('?' * len(values))})", values)

    def _read(self, convert: Callable[[Any], Any], value: Any) -> Any:
        """Convert a value of the file. Raises Unusable where it is not one that shardwise wrote."""
        try:
            return convert(value)
        except (ValueError, TypeError) as error:
            raise self._unusable(error) from None

    def _rows(self, query: str, *values: Any) -> list[dict[str, Any]]:
        if not os.path.exists(self.path):
            return []
        with self._open() as db:
            return [dict(row) for row in db.execute(query, values)]

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            if not os.path.exists(self.path):
                self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                with suppress(OSError):  # sqlite says better what is wrong
                    self.path.touch(mode=0o600)
            with closing(sqlite3.connect(self.path, timeout=_PATIENCE)) as db:
                db.row_factory = sqlite3.Row
                self._begin(db)
                yield db
        except (sqlite3.Error, OSError, ValueError, TypeError) as error:
            raise self._unusable(error) from None

    def _unusable(self, error: Exception) -> Unusable:
        why = error.strerror if isinstance(error, OSError) and error.strerror else error
        return Unusable(
            f"{self.path} cannot be used ({why}), and was left as it is. See that you may write it and its folder, that its "
            "disk has room, and that no other program holds it. Move a damaged file away: then a new one is begun."
        )

    def _begin(self, db: sqlite3.Connection) -> None:
        """See that the file is ours, and make the tables of a new one, also where another process does so just now."""
        (tables,) = db.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if not tables:
            db.executescript(
                f"BEGIN IMMEDIATE; {_TABLES} PRAGMA application_id = {_OURS}; PRAGMA user_version = {_FORMAT}; COMMIT"
            )
        (owner,), (found,) = (db.execute(f"PRAGMA {name}").fetchone() for name in ("application_id", "user_version"))
        if (owner, found) != (_OURS, _FORMAT):
            whose = (
                "a newer shardwise: update it here"
                if owner == _OURS
                else f"another program: name another in {VARIABLE}"
            )
            raise Unusable(f"{self.path} is a database of {whose}. It was left as it is.")


def _of_variant(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row with its time and its variant as events have them. Raises ValueError."""
    rest = {name: value for name, value in row.items() if name not in ("at", *Variant._fields)}
    variant = Variant(*(row[name] for name in Variant._fields))
    at = datetime.fromisoformat(row["at"])
    if at.tzinfo is None:
        raise ValueError(f"a time without its zone, {row['at']}")
    return {"at": at, "variant": variant, **rest}
