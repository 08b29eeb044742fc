"""The progress file: a SQLite file of the student's own, into which several kernels and a terminal may write at once.

Each write opens the file, commits, and closes it. A rollback journal is slower than a write-ahead log and works where
home folders often lie: on a file system of the network, with kernels on several machines.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import astuple
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from shardwise.errors import ShardwiseError
from shardwise.student.progress.events import Draft, Estimate, Event, Variant

VARIABLE = "SHARDWISE_PROGRESS"
OFF = "off"  # the value of the variable by which nothing is kept
_OURS = 0x53575047  # PRAGMA application_id, so that no other program's database is taken for ours
_PATIENCE = 10.0  # seconds to wait for another writer
# The statements that lead from each format to the next. A change adds to them, and changes none.
_FORMATS: tuple[tuple[str, ...], ...] = (
    (
        """CREATE TABLE event (
            id INTEGER PRIMARY KEY,   -- the order in which it happened, whatever the clock said
            at TEXT NOT NULL,         -- UTC
            bank TEXT NOT NULL, problem TEXT NOT NULL, seed TEXT NOT NULL,
            digest TEXT NOT NULL,     -- of the problem's file
            what TEXT NOT NULL,       -- answer, hint or solution
            place TEXT NOT NULL,      -- cell, form or terminal
            outcome TEXT NOT NULL, points REAL NOT NULL, hint INTEGER NOT NULL, seconds REAL
        )""",
        "CREATE INDEX event_problem ON event (bank, problem)",
        """CREATE TABLE estimate (    -- the first of each variant: who knows the answer does not estimate
            at TEXT NOT NULL,
            bank TEXT NOT NULL, problem TEXT NOT NULL, seed TEXT NOT NULL,
            off REAL NOT NULL,        -- powers of ten
            confidence REAL, hit INTEGER,
            PRIMARY KEY (bank, problem, seed)
        )""",
        """CREATE TABLE draft (       -- what was typed into forms, where the notebook does not keep it
            at TEXT NOT NULL,
            bank TEXT NOT NULL,
            key TEXT NOT NULL,        -- what it is, the problem and the seed, as forms write them: "answer 01-loans/monthly-payment 3"
            value TEXT NOT NULL,      -- JSON
            PRIMARY KEY (bank, key)
        )""",
    ),
)
_PLACE = "bank, problem, seed"
_EVENT = f"at, {_PLACE}, digest, what, place, outcome, points, hint, seconds"
_ESTIMATE = f"at, {_PLACE}, off, confidence, hit"
_ABOUT = "instr(key || ' ', ' ' || ? || ' ') > 0"  # whether a draft is about a problem
_T = TypeVar("_T")


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
        with self._open() as db:
            db.execute("BEGIN IMMEDIATE")
            db.executemany("INSERT OR REPLACE INTO draft (at, bank, key, value) VALUES (?, ?, ?, ?)", rows)
            db.execute("COMMIT")

    def drafts(self) -> list[Draft]:
        """All that was typed and kept."""
        return self._all(_draft, "SELECT at, bank, key, value FROM draft ORDER BY at")

    def drafts_of(self, bank: str, problem: str) -> dict[str, Any]:
        """What was typed for a problem, by key."""
        query = f"SELECT at, bank, key, value FROM draft WHERE bank = ? AND {_ABOUT}"
        return {draft.key: draft.value for draft in self._all(_draft, query, (bank, problem))}

    def events(self) -> list[Event]:
        """All that a student did, in order."""
        return self._all(_event, f"SELECT {_EVENT} FROM event ORDER BY id")

    def seeds(self, variant: Variant) -> list[str]:
        """The seeds of the variants of the same problem at which something was done."""
        query = "SELECT DISTINCT seed FROM event WHERE (bank, problem) = (?, ?)"
        return self._all(str, query, (variant.bank, variant.problem))

    def was_answered(self, variant: Variant, digest: str) -> bool:
        """Whether an answer to a variant was judged, as its problem's file is now."""
        query = "SELECT 1 FROM event WHERE (bank, problem, seed, digest, what) = (?, ?, ?, ?, 'answer') LIMIT 1"
        return bool(self._all(bool, query, (*variant, digest)))

    def estimates(self) -> list[Estimate]:
        """Every estimate, in order."""
        return self._all(_estimate, f"SELECT {_ESTIMATE} FROM estimate ORDER BY rowid")

    def forget(self, problem: str | None = None) -> None:
        """Delete all that is kept of a problem, in whichever bank; without a problem, all that is kept."""
        if not os.path.exists(self.path):
            return
        values = () if problem is None else (problem,)
        with self._open() as db:
            db.execute("PRAGMA secure_delete = ON")  # nothing of it stays in the file
            db.execute("BEGIN IMMEDIATE")
            for table, about in (("event", "problem = ?"), ("estimate", "problem = ?"), ("draft", _ABOUT)):
                db.execute(f"DELETE FROM {table} WHERE {'true' if problem is None else about}", values)
            db.execute("COMMIT")

    def _insert(self, into: str, columns: str, kept: Event | Estimate) -> None:
        at, variant, *rest = astuple(kept)
        values = (at.isoformat(), *variant, *rest)
        marks = ", ".join("?" * len(values))
        with self._open() as db:
            db.execute(f"INSERT {into} ({columns}) VALUES ({marks})", values)

    def _all(self, make: Callable[..., _T], query: str, values: Sequence[Any] = ()) -> list[_T]:
        if not self._is_there():
            return []
        with self._open() as db:
            return [make(*row) for row in db.execute(query, values)]

    def _is_there(self) -> bool:
        try:
            os.stat(self.path)
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError as error:  # a folder that may not be read: what is in it is not nothing
            raise Unusable(f"{self.path} {_trouble(error)}") from None
        return True

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            if not os.path.exists(self.path):
                self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                with suppress(OSError):  # sqlite says better what is wrong
                    self.path.touch(mode=0o600)
            with closing(sqlite3.connect(self.path, timeout=_PATIENCE, isolation_level=None)) as db:
                self._bring_up(db)
                yield db
        except (sqlite3.Error, OSError, ValueError, TypeError) as error:
            raise Unusable(f"{self.path} {_trouble(error)}") from None

    def _bring_up(self, db: sqlite3.Connection) -> None:
        """See that the file is ours, and bring it to today's format; of several processes one does so."""
        if self._format(db) < len(_FORMATS):
            db.execute("BEGIN IMMEDIATE")
            for statements in _FORMATS[self._format(db) :]:
                for statement in statements:
                    db.execute(statement)
            db.execute(f"PRAGMA application_id = {_OURS}")
            db.execute(f"PRAGMA user_version = {len(_FORMATS)}")
            db.execute("COMMIT")

    def _format(self, db: sqlite3.Connection) -> int:
        (found,) = db.execute("PRAGMA user_version").fetchone()
        (tables,) = db.execute("SELECT count(*) FROM sqlite_master").fetchone()
        # The owner is asked for last, since another process may be bringing the file up just now.
        (owner,) = db.execute("PRAGMA application_id").fetchone()
        if owner != _OURS and (found, tables) != (0, 0):
            raise Unusable(
                f"{self.path} is a database of another program, and was left as it is. "
                f"Name another file in {VARIABLE}, or none to use the usual one."
            )
        if found > len(_FORMATS):
            raise Unusable(
                f"{self.path} was written by a newer shardwise (its format is {found}, and I know {len(_FORMATS)}). "
                "It was left as it is: update shardwise here."
            )
        return int(found)


def exported(kept: ProgressFile) -> dict[str, Any]:
    """All that a file holds, as JSON data. May raise Unusable."""
    return {
        "format": len(_FORMATS),
        "events": [_as_data(event) for event in kept.events()],
        "estimates": [_as_data(estimate) for estimate in kept.estimates()],
        "drafts": [{**vars(draft), "at": draft.at.isoformat()} for draft in kept.drafts()],
    }


def _as_data(item: Event | Estimate) -> dict[str, Any]:
    data = {name: value for name, value in vars(item).items() if name not in ("at", "variant")}
    return {"at": item.at.isoformat(), **item.variant._asdict(), **data}


def _event(at: str, bank: str, problem: str, seed: str, *rest: Any) -> Event:
    *words, points, hint, seconds = rest
    _see_that(str, bank, problem, seed, *words)
    _see_that(float, points)
    _see_that(int, hint)
    _see_that(float | None, seconds)
    return Event(datetime.fromisoformat(at), Variant(bank, problem, seed), *rest)


def _see_that(sort: Any, *values: Any) -> None:
    """SQLite keeps text in a column of numbers, if somebody writes it there. Raises TypeError."""
    for value in values:
        if not isinstance(value, sort):
            raise TypeError(f"{str(value)[:40]!r} is not of the type that belongs there")


def _estimate(
    at: str, bank: str, problem: str, seed: str, off: float, confidence: float | None, hit: int | None
) -> Estimate:
    _see_that(str, bank, problem, seed)
    _see_that(float, off)
    _see_that(float | None, confidence)
    is_hit = None if hit is None else bool(hit)
    return Estimate(datetime.fromisoformat(at), Variant(bank, problem, seed), off, confidence, is_hit)


def _draft(at: str, bank: str, key: str, value: str) -> Draft:
    _see_that(str, bank, key)
    return Draft(datetime.fromisoformat(at), bank, key, json.loads(value))


def _trouble(error: Exception) -> str:
    """What is wrong with a progress file, and what to do, after its name."""
    if isinstance(error, OSError):
        return f"cannot be used ({error.strerror or error}). See that you may write it and its folder."
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF  # the rest says more than we need
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH):
        return f"cannot be written ({error}). See that you may write it and its folder."
    if code == sqlite3.SQLITE_IOERR:  # a quota, a limit, a disk or a network that gave up
        return f"cannot be used just now ({error}), and was left as it is. See that its disk is there and has room."
    if code == sqlite3.SQLITE_FULL:
        return "cannot be written: the disk is full. Make room."
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return f"has been locked by another program for {_PATIENCE:g} seconds. Close that program."
    return (
        f"is damaged ({error}), and was left as it is. Put a copy of it back, or move it away: then a new one is begun."
    )
