"""The progress file: a SQLite file for one student, to which several kernels and a terminal may write at once.

Each write opens the file, commits, and closes it. A rollback journal is slower than a write-ahead log, but it works on
network file systems, where home folders often are, with kernels on several machines.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import astuple
from datetime import UTC, datetime
from pathlib import Path
from types import UnionType
from typing import Any

from shardwise.errors import ShardwiseError
from shardwise.student.progress.events import MARKS, Estimate, Event, Mark, Variant

VARIABLE = "SHARDWISE_PROGRESS"
OFF = "off"  # the value of the variable that turns saving off
_OURS = 0x53575047  # PRAGMA application_id, to recognise our own databases
_FORMAT = 1  # PRAGMA user_version
_PATIENCE = 2.0  # seconds to wait for another writer
_TABLES = """
    CREATE TABLE IF NOT EXISTS event (
        -- the order of events, whatever the clock said
        id INTEGER PRIMARY KEY,
        -- in UTC
        at TEXT NOT NULL,
        bank TEXT NOT NULL, problem TEXT NOT NULL, seed TEXT NOT NULL,
        -- of the problem's file
        digest TEXT NOT NULL,
        -- answer, hint or solution
        what TEXT NOT NULL,
        -- cell, form or terminal
        place TEXT NOT NULL,
        outcome TEXT NOT NULL, points REAL NOT NULL, hint INTEGER NOT NULL, seconds REAL
    );
    CREATE INDEX IF NOT EXISTS event_problem ON event (bank, problem);

    -- only the first estimate of each variant, made before the student knew the answer
    CREATE TABLE IF NOT EXISTS estimate (
        at TEXT NOT NULL,
        bank TEXT NOT NULL, problem TEXT NOT NULL, seed TEXT NOT NULL,
        -- in powers of ten
        off REAL NOT NULL,
        confidence REAL, hit INTEGER,
        PRIMARY KEY (bank, problem, seed)
    );

    -- what was typed into forms, if the notebook cannot store it, and the app's marks
    CREATE TABLE IF NOT EXISTS draft (
        at TEXT NOT NULL,
        bank TEXT NOT NULL,
        -- the purpose and what it is about, such as "answer 01-loans/monthly-payment 3" or "read 01-loans/interest"
        key TEXT NOT NULL,
        -- in JSON
        value TEXT NOT NULL,
        PRIMARY KEY (bank, key)
    );
"""
_EVENT = "at, bank, problem, seed, digest, what, place, outcome, points, hint, seconds"
_ESTIMATE = "at, bank, problem, seed, off, confidence, hit"
_NUMBER, _MAYBE = int | float, int | float | None
_EVENT_TYPES = (str, str, str, str, str, str, str, str, _NUMBER, int, _MAYBE)
_ESTIMATE_TYPES = (str, str, str, str, _NUMBER, _MAYBE, int | None)
_LARGEST = 2**53  # of a number; those of a record are points, seconds and counts
_LONGEST_SEED = 100  # as in a session
Row = tuple[Any, ...]
_ABOUT = "instr(key || ' ', ' ' || ? || ' ') > 0"  # whether a draft is about a problem


class Unusable(ShardwiseError):
    """An unusable progress file, with a message for the student."""


def usual_path() -> Path | None:
    """Return the path in SHARDWISE_PROGRESS, or one in the user's data folder; None if saving is turned off."""
    named = os.environ.get(VARIABLE, "").strip()
    if named:
        return None if named == OFF else Path(os.path.expanduser(named))  # Path.expanduser raises for an unknown user
    import platformdirs

    return Path(platformdirs.user_data_dir("shardwise", appauthor=False)) / "progress.sqlite"


class ProgressFile:
    """The progress file at a path, created by the first write. Every method may raise Unusable."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def add(self, event: Event) -> None:
        """Save an event."""
        self._insert("INTO event", _EVENT, event)

    def add_estimate(self, estimate: Estimate) -> None:
        """Save an estimate, unless its variant already has one."""
        self._insert("OR IGNORE INTO estimate", _ESTIMATE, estimate)

    def keep_drafts(self, at: datetime, bank: str, drafts: Mapping[str, Any]) -> None:
        """Save what was typed, by key, replacing what was typed before."""
        rows = [(at.isoformat(), bank, key, json.dumps(value)) for key, value in drafts.items()]
        with self._open() as db, db:
            db.executemany("INSERT OR REPLACE INTO draft (at, bank, key, value) VALUES (?, ?, ?, ?)", rows)

    def drafts_of(self, bank: str, problem: str) -> dict[str, Any]:
        """Return what was typed for a problem, by key."""
        rows = self._rows(f"SELECT key, value FROM draft WHERE bank = ? AND {_ABOUT}", bank, problem)
        return {row["key"]: self._read(json.loads, row["value"]) for row in rows}

    def marks(self) -> list[Mark]:
        """Return the app's marks: the sections that were read, and settings."""
        query = f"SELECT at, bank, key, value FROM draft WHERE {' OR '.join(['key LIKE ?'] * len(MARKS))} ORDER BY at"
        rows = self._rows(query, *(f"{purpose} %" for purpose in MARKS))
        return [self._read(_mark, row) for row in rows]

    def events(self) -> list[Event]:
        """Return all events, in order."""
        return [Event(**self._read(_of_variant, row)) for row in self._rows(f"SELECT {_EVENT} FROM event ORDER BY id")]

    def events_of(self, variant: Variant) -> list[Event]:
        """Return all events of this variant's problem, in order."""
        query = f"SELECT {_EVENT} FROM event WHERE (bank, problem) = (?, ?) ORDER BY id"
        return [Event(**self._read(_of_variant, row)) for row in self._rows(query, variant.bank, variant.problem)]

    def seeds(self, variant: Variant) -> list[str]:
        """Return the seeds of all variants of this problem that have an event."""
        query = "SELECT DISTINCT seed FROM event WHERE (bank, problem) = (?, ?)"
        return [row["seed"] for row in self._rows(query, variant.bank, variant.problem)]

    def was_answered(self, variant: Variant, digest: str) -> bool:
        """Return whether an answer to a variant was judged while its problem's file had this digest."""
        query = "SELECT 1 FROM event WHERE (bank, problem, seed, digest, what) = (?, ?, ?, ?, 'answer') LIMIT 1"
        return bool(self._rows(query, *variant, digest))

    def estimates(self) -> list[Estimate]:
        """Return all estimates, in order."""
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

    def add_exported(self, document: Any, banks: Sequence[str] = ()) -> int:
        """Add what another file holds, as `exported` returns it, and return the number of new events.

        What both hold is kept once; of two drafts, the later one. A bank that is in another folder there, as on a site, is the
        one of these `banks` whose folder has the same name. Raises Unusable for anything else, and then changes nothing.
        """
        events, estimates, drafts = _checked(document, {_folder(name): name for name in banks})
        with self._open() as db, db:
            db.execute("BEGIN IMMEDIATE")
            columns = ", ".join("?" * len(_EVENT_TYPES))
            held = [tuple(row) for row in db.execute(f"SELECT {_EVENT} FROM event ORDER BY id")]
            known = set(held)
            new = [row for row in dict.fromkeys(events) if row not in known]
            if new:  # only the order of events is trusted, so those of two files are put in order
                merged = sorted([*held, *new], key=lambda row: datetime.fromisoformat(row[0]))
                db.execute("DELETE FROM event")
                db.executemany(f"INSERT INTO event ({_EVENT}) VALUES ({columns})", merged)
            db.executemany(f"INSERT OR IGNORE INTO estimate ({_ESTIMATE}) VALUES (?, ?, ?, ?, ?, ?, ?)", estimates)
            db.executemany(
                "INSERT INTO draft (at, bank, key, value) VALUES (?, ?, ?, ?) ON CONFLICT (bank, key) DO UPDATE "
                "SET at = excluded.at, value = excluded.value WHERE excluded.at > draft.at",
                drafts,
            )
        return len(new)

    def forget(self, problem: str | None = None) -> None:
        """Delete everything saved for a problem, in any bank; without a problem, delete everything."""
        if not os.path.exists(self.path):
            return
        values = () if problem is None else (problem,)
        with self._open() as db, db:
            db.execute("PRAGMA secure_delete = ON")  # overwrite the deleted data in the file
            for table, about in (("event", "problem = ?"), ("estimate", "problem = ?"), ("draft", _ABOUT)):
                db.execute(f"DELETE FROM {table} WHERE {'true' if problem is None else about}", values)

    def _insert(self, into: str, columns: str, kept: Event | Estimate) -> None:
        at, variant, *rest = astuple(kept)
        values = (at.isoformat(), *variant, *rest)
        with self._open() as db, db:
            db.execute(f"INSERT {into} ({columns}) VALUES ({', '.join('?' * len(values))})", values)

    def _read(self, convert: Callable[[Any], Any], value: Any) -> Any:
        """Convert a value from the file. Raises Unusable if shardwise cannot have written it."""
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
                with suppress(OSError):  # the error from SQLite is clearer
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
            f"{self.path} cannot be used ({why}). The file was not changed. Check that you can write to it and its folder, that "
            "the disk has room, and that no other program has it open. If it is damaged, move it away to start a new one."
        )

    def _begin(self, db: sqlite3.Connection) -> None:
        """Check that the file is ours, and create the tables of a new one, even while another process does the same."""
        (tables,) = db.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if not tables:
            db.executescript(
                f"BEGIN IMMEDIATE; {_TABLES} PRAGMA application_id = {_OURS}; PRAGMA user_version = {_FORMAT}; COMMIT"
            )
        (owner,), (found,) = (db.execute(f"PRAGMA {name}").fetchone() for name in ("application_id", "user_version"))
        if (owner, found) != (_OURS, _FORMAT):
            whose = (
                "a newer version of shardwise. Update shardwise here"
                if owner == _OURS
                else f"another program. Set {VARIABLE} to another file"
            )
            raise Unusable(f"{self.path} belongs to {whose}. The file was not changed.")


def _mark(row: Mapping[str, Any]) -> Mark:
    purpose, _, name = row["key"].partition(" ")
    return Mark(row["at"], row["bank"], purpose, name, json.loads(row["value"]))


def _of_variant(row: Mapping[str, Any]) -> dict[str, Any]:
    """Convert the time and the variant of a row to the types that events use. Raises ValueError."""
    rest = {name: value for name, value in row.items() if name not in ("at", *Variant._fields)}
    variant = Variant(*(row[name] for name in Variant._fields))
    at = datetime.fromisoformat(row["at"])
    if at.tzinfo is None:
        raise ValueError(f"a time without a time zone, {row['at']}")
    return {"at": at, "variant": variant, **rest}


def _folder(bank: str) -> str:
    """Return the name of a bank's folder."""
    return re.split(r"[/\\]", bank)[-1]


def _checked(document: Any, banks: Mapping[str, str]) -> tuple[list[Row], list[Row], list[Row]]:
    """Return the rows of an exported file, with all times in UTC. Raises Unusable if shardwise cannot have written it."""
    try:
        if document["format"] != _FORMAT:
            raise ValueError(f"its format is {document['format']!r} instead of {_FORMAT}")
        events = [_row(row, _EVENT, _EVENT_TYPES, banks) for row in document["events"]]
        estimates = [_row(row, _ESTIMATE, _ESTIMATE_TYPES, banks) for row in document["estimates"]]
        drafts = [
            (*_row(row, "at, bank, key", (str, str, str), banks), json.dumps(row["value"], allow_nan=False))
            for row in document["drafts"]
        ]
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError) as error:
        why = f"{error} is missing" if isinstance(error, KeyError) else error
        if isinstance(error, TypeError | AttributeError):  # Python's own words
            why = "it has another structure"
        raise Unusable(
            f"This is not a record of shardwise ({why}). Nothing was changed. `shardwise progress --export` writes one."
        ) from None
    return events, estimates, drafts


def _row(row: Any, columns: str, types: Sequence[type | UnionType], banks: Mapping[str, str]) -> Row:
    """Return the values of some columns of a row. Raises KeyError, TypeError, ValueError and OverflowError."""
    names = columns.split(", ")
    values = {name: row[name] for name in names}
    for (name, value), wanted in zip(values.items(), types, strict=True):
        is_strange = isinstance(value, bool) or (isinstance(value, _NUMBER) and not abs(value) < _LARGEST)
        if is_strange or not isinstance(value, wanted) or (isinstance(value, str) and not value.isprintable()):
            raise ValueError(f"{name} is {str(value)[:50]!r}")
    if values.get("what", "hint") not in ("answer", "hint", "solution") or len(values.get("seed", "")) > _LONGEST_SEED:
        raise ValueError("an event or a seed is unknown")
    at = datetime.fromisoformat(values["at"])
    if at.tzinfo is None:
        raise ValueError(f"a time without a time zone, {values['at']}")
    bank = banks.get(_folder(values["bank"]), values["bank"])
    return tuple({**values, "bank": bank, "at": at.astimezone(UTC).isoformat()}[name] for name in names)
