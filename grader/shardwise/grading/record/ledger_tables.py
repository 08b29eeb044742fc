"""The tables of a ledger: opens the file with care and converts rows to values."""

from __future__ import annotations

import hmac
import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from shardwise.course.assigning.keys import VARIABLE, key_fingerprint, key_of_results, own_key
from shardwise.errors import ShardwiseError
from shardwise.grading.results import Result

_FORMAT = 6  # 5 had no signatures
_TABLES = """
CREATE TABLE grading (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,      -- digest of everything that decides the result
    student TEXT NOT NULL,
    "set" TEXT NOT NULL,           -- or the chapter of a practice notebook
    name TEXT NOT NULL,            -- the student's
    points REAL,                   -- NULL: our side failed somewhere; tried again next time
    max_points REAL NOT NULL,
    late INTEGER NOT NULL,
    notes TEXT NOT NULL,           -- JSON: for the report
    tier TEXT NOT NULL,            -- of the sandbox
    version TEXT NOT NULL,         -- of the program that marked it
    scores TEXT NOT NULL,          -- JSON: points by question, null where our side failed
    answers TEXT NOT NULL,         -- JSON: what was said to each answer, in the order of the questions
    notebook TEXT NOT NULL,        -- digest of the file that was handed in
    questions TEXT NOT NULL,       -- digest of the questions and keys that it was marked by
    engine TEXT NOT NULL,          -- version and digest of the program that marked it
    at TEXT NOT NULL,              -- UTC
    who TEXT NOT NULL,             -- user@host
    signature TEXT NOT NULL DEFAULT ''  -- of all of these, by the key below
);
CREATE INDEX grading_student ON grading ("set", student, id);
CREATE TABLE counted (             -- which grading counted when a run ended: a row whenever that is news
    id INTEGER PRIMARY KEY,
    "set" TEXT NOT NULL,
    student TEXT NOT NULL,
    grading INTEGER NOT NULL REFERENCES grading,
    newest INTEGER NOT NULL,       -- the latest grading of this student and set at that time
    at TEXT NOT NULL,              -- UTC
    who TEXT NOT NULL,             -- user@host
    signature TEXT NOT NULL DEFAULT ''
);
CREATE TABLE signer (key TEXT NOT NULL);  -- fingerprint of the course key, or of the user's own
CREATE INDEX counted_student ON counted ("set", student, id);
CREATE TABLE page (                -- the feedback pages that lie in the folder
    file TEXT PRIMARY KEY,
    key TEXT NOT NULL,             -- of the grading that it shows
    kind TEXT NOT NULL,            -- plain, or with solutions
    digest TEXT NOT NULL           -- of its bytes
);
CREATE TABLE notebook (            -- those of the latest run, and the graded ones of earlier runs that still lie there
    path TEXT PRIMARY KEY,
    place INTEGER NOT NULL,        -- in the order of the paths
    latest INTEGER NOT NULL,       -- whether it is one of the latest run
    student TEXT NOT NULL,
    "set" TEXT NOT NULL,
    grading INTEGER REFERENCES grading,
    reason TEXT NOT NULL           -- why there is none
);
CREATE INDEX notebook_student ON notebook ("set", student, place);
CREATE INDEX notebook_latest ON notebook ("set", latest, student);
CREATE VIEW latest AS SELECT * FROM notebook WHERE latest = 1;
CREATE VIEW batch AS               -- what counts: the latest run, and for its sets who was graded earlier and is not in it
SELECT * FROM notebook AS one WHERE latest = 1 OR (
    EXISTS (SELECT 1 FROM latest WHERE latest."set" = one."set")
    AND NOT EXISTS (SELECT 1 FROM latest WHERE latest."set" = one."set" AND latest.student = one.student)
);
"""
# A separate table, which older ledgers get too: a notebook can be received again without a new grading.
_RECEIPTS = """CREATE TABLE IF NOT EXISTS receipt (
    path TEXT PRIMARY KEY,         -- of a notebook
    at TEXT NOT NULL,              -- ISO 8601 with an offset; empty where nobody knows
    source TEXT NOT NULL           -- file, archive, table, git or gradescope
)"""
# So does this one: it records when an override was first applied, and when it was withdrawn.
_DECISIONS = """CREATE TABLE IF NOT EXISTS decision (
    id INTEGER PRIMARY KEY,
    entry TEXT NOT NULL,           -- JSON: an entry of overrides.yaml
    applies INTEGER NOT NULL,      -- 0: it was withdrawn
    at TEXT NOT NULL,              -- UTC
    who TEXT NOT NULL,             -- user@host
    signature TEXT NOT NULL DEFAULT ''
)"""
_RESULT = ("student", "set", "name", "points", "max_points", "late", "notes", "tier", "version", "scores", "answers")
_RESTS_ON = ("key", "notebook", "questions", "engine", "at", "who")
COLUMNS = ", ".join(f'"{name}"' for name in (*_RESULT, *_RESTS_ON))  # of a grading
_SIGNED_GRADING = f"SELECT signature, {COLUMNS} FROM grading"
_SIGNED_COUNTED = (
    'SELECT counted.signature, counted."set", counted.student, grading.key, counted.newest, counted.at, counted.who '
    "FROM counted LEFT JOIN grading ON grading.id = counted.grading"
)
_SIGNED_DECISION = "SELECT signature, entry, applies, at, who FROM decision"
_ASTRAY = """SELECT 1 FROM notebook LEFT JOIN grading ON grading.id = notebook.grading WHERE notebook.grading IS NOT NULL
AND (notebook.student IS NOT grading.student OR notebook."set" IS NOT grading."set") LIMIT 1"""
COLUMNS_OF_RESULT = ", ".join(f'grading."{name}"' for name in _RESULT)


@dataclass(frozen=True)
class Grading:
    """A result, and everything that it depends on."""

    result: Result
    key: str  # digest of everything that decides the result
    notebook: str  # digest of the submitted file
    questions: str  # digest of the questions and keys
    engine: str
    at: str
    who: str


@dataclass(frozen=True)
class Decision:
    """An override that was applied or withdrawn, with when and by whom."""

    entry: str  # JSON
    applies: bool
    at: str
    who: str


def opened(path: Path, keys: Sequence[bytes] = ()) -> tuple[sqlite3.Connection, bytes]:
    """Open or create a ledger's SQLite file, and return it with the key that signs its rows.

    A new ledger is signed with the first of `keys`, or with the user's own. Raises ShardwiseError if the file is not a ledger,
    belongs to another version, is signed with an unknown key, or has a changed row: a student's repository may contain a
    ledger. Raises sqlite3.OperationalError on a full disk.
    """
    with suppress(OSError):  # SQLite's own error message is better
        # only the grader may read names, points and answers; SQLite's other files get the same mode
        path.touch(mode=0o600)
        path.chmod(0o600)
    try:
        db = sqlite3.connect(path, timeout=30, isolation_level=None)
    except sqlite3.OperationalError as error:
        raise unusable(path, error) from None
    try:
        db.execute("PRAGMA journal_mode = WAL")
        # A power failure may lose the latest results; a kill loses none.
        db.execute("PRAGMA synchronous = NORMAL")
        (found,) = db.execute("PRAGMA user_version").fetchone()
        is_new = found == 0 and not _schema(db)
        if is_new:
            # One transaction, because a ledger without its signer would be rejected.
            signer = key_fingerprint(keys[0] if keys else own_key())
            db.executescript(
                f"BEGIN; {_TABLES} INSERT INTO signer VALUES ('{signer}'); PRAGMA user_version = {_FORMAT}; COMMIT;"
            )
        elif found in (0, _FORMAT) and not _schema(db) <= _ours():
            raise sqlite3.DatabaseError("it has unknown tables or triggers")
        if found == _FORMAT or is_new:
            db.execute(_RECEIPTS)
            db.execute(_DECISIONS)
    except sqlite3.OperationalError as error:
        db.close()
        if error.sqlite_errorcode == sqlite3.SQLITE_FULL:
            raise
        raise unusable(path, error) from None
    except sqlite3.DatabaseError as error:
        db.close()
        raise ShardwiseError(f"{path} is not a shardwise ledger ({error}). Move it away to start a new one.") from None
    if found != _FORMAT and not is_new:
        db.close()
        raise ShardwiseError(
            f"{path} was written by another version of shardwise (in format {found}; this version reads format {_FORMAT}). "
            "Use that version, or move the file away to grade again."
        )
    try:
        return db, _signer(db, path, keys)
    except sqlite3.DatabaseError as error:
        db.close()
        raise unusable(path, error) from None
    except ShardwiseError:
        db.close()
        raise


def _schema(db: sqlite3.Connection) -> set[str]:
    """Return the statements that create a database's tables, indices and triggers, which could change rows unseen."""
    return {str(sql) for (sql,) in db.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")}


@cache
def _ours() -> frozenset[str]:
    """Return the statements of a valid ledger."""
    with closing(sqlite3.connect(":memory:")) as db:
        db.executescript(f"{_TABLES} {_RECEIPTS}; {_DECISIONS};")
        return frozenset(_schema(db))


def _signer(db: sqlite3.Connection, path: Path, keys: Sequence[bytes]) -> bytes:
    """Return the key of a ledger whose signatures are all valid."""
    signers = [str(known_by) for (known_by,) in db.execute("SELECT key FROM signer LIMIT 2")]
    known = key_of_results(signers[0], keys) if len(signers) == 1 else None
    if known is None:
        raise ShardwiseError(
            f"Cannot verify {path}: it was signed with an unknown course key, so its points may be forged. If it is yours, give the key "
            f"with --key or in {VARIABLE}. If not, move it away or use another --out."
        )
    for query in (_SIGNED_GRADING, _SIGNED_COUNTED, _SIGNED_DECISION):
        for signature, *row in db.execute(query):
            if not hmac.compare_digest(str(signature), signature_of(known, row)):
                raise ShardwiseError(
                    f"{path} was changed: the signature of a grading or a decision is invalid. Restore the file from a copy, "
                    "or move it away to grade again."
                )
    if db.execute(_ASTRAY).fetchone():
        raise ShardwiseError(
            f"{path} was changed: a notebook has another student's grading. Move it away to grade again."
        )
    return known


def signature_of(key: bytes, row: Sequence[Any]) -> str:
    """Return the signature of a row's values; integers and equal floats from SQLite have the same signature."""
    values = [float(value) if isinstance(value, int) else value for value in row]
    return hmac.digest(key, b"shardwise ledger\0" + json.dumps(values).encode(), "sha256").hex()


def sign_new(db: sqlite3.Connection, key: bytes) -> None:
    """Sign the rows without a signature, in the transaction that created them."""
    for table, query in (("grading", _SIGNED_GRADING), ("counted", _SIGNED_COUNTED), ("decision", _SIGNED_DECISION)):
        for _, *row, number in db.execute(
            f"{query.replace(' FROM', f', {table}.id FROM')} WHERE {table}.signature = ''"
        ).fetchall():
            db.execute(f"UPDATE {table} SET signature = ? WHERE id = ?", (signature_of(key, row), number))


def unusable(path: Path, error: sqlite3.Error) -> ShardwiseError:
    """Return the error for a ledger that is damaged or not writable; even reading one writes files next to it."""
    return ShardwiseError(
        f"{path} cannot be used as a ledger ({error}). Check that you can write to it and its folder, or move it away to start a new one."
    )


def row_of(grading: Grading) -> tuple[Any, ...]:
    """Return a grading as a row of its table, in the order of COLUMNS."""
    result = grading.result
    return (
        result.student, result.set, result.name, result.points, result.max_points, result.late,
        json.dumps(result.notes, ensure_ascii=False), result.tier, result.version, json.dumps(result.scores),
        result.answers_json, *(getattr(grading, name) for name in _RESTS_ON),
    )  # fmt: skip


def result_of(row: Sequence[Any]) -> Result:
    """Return a result from COLUMNS_OF_RESULT. Raises sqlite3.DatabaseError for data that we did not write."""
    student, name_of_set, name, points, max_points, late, notes, tier, version, scores, answers = row
    try:
        said, earned = json.loads(notes), json.loads(scores)
        if not isinstance(earned, dict) or not all(isinstance(note, str) for note in said):
            raise ValueError("its scores or notes have the wrong format")
        return Result(
            student, name_of_set, name, points=None if points is None else float(points), max_points=float(max_points),
            late=bool(late), notes=tuple(said), tier=tier, version=version, scores=earned, answers_json=answers,
        )  # fmt: skip
    except (ValueError, TypeError, RecursionError) as error:
        raise sqlite3.DatabaseError(f"a grading of {student} cannot be read: {error}") from None


def as_grading(row: Sequence[Any]) -> Grading:
    """Return a grading from COLUMNS."""
    return Grading(result_of(row[: len(_RESULT)]), *row[len(_RESULT) :])
