"""The ledger of a folder of results: every grading that was made there, and which of them count now.

A SQLite file in WAL mode. A result is committed as it comes; a process that is killed loses nothing that was committed,
and the next one finds it. A complete grading is never changed and never deleted: what a student earned, when, by which
templates, engine and sandbox, stays on record.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shardwise.errors import ShardwiseError
from shardwise.grading.results import Graded, Row

LEDGER = "ledger.sqlite"
_FORMAT = 1
_TABLES = """
CREATE TABLE grading (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,      -- digest of everything that decides the result
    student TEXT NOT NULL,
    "set" TEXT NOT NULL,
    name TEXT NOT NULL,            -- the student's
    points REAL,                   -- NULL: our side failed somewhere; tried again next time
    max_points REAL NOT NULL,
    late INTEGER NOT NULL,
    scores TEXT NOT NULL,          -- JSON: points by question, null where our side failed
    document TEXT NOT NULL,        -- JSON: the whole result, but for the notebook's path
    notebook TEXT NOT NULL,        -- digest of the file that was handed in
    questions TEXT NOT NULL,       -- digest of the questions and keys that it was marked by
    engine TEXT NOT NULL,          -- version and digest of the program that marked it
    tier TEXT NOT NULL,            -- of the sandbox
    at TEXT NOT NULL,              -- UTC
    who TEXT NOT NULL              -- user@host
);
CREATE INDEX grading_student ON grading ("set", student, id);
CREATE TABLE page (                -- the feedback pages that lie in the folder
    file TEXT PRIMARY KEY,
    key TEXT NOT NULL,             -- of the grading that it shows
    kind TEXT NOT NULL,            -- plain, or with solutions
    digest TEXT NOT NULL           -- of its bytes
);
CREATE TABLE batch (               -- the notebooks of the latest run, in the order of the reports
    place INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE,
    student TEXT NOT NULL,
    "set" TEXT NOT NULL,
    grading INTEGER REFERENCES grading,
    reason TEXT NOT NULL           -- why there is none
);
CREATE INDEX batch_student ON batch ("set", student);
"""
_COLUMNS = "key, student, \"set\", name, points, max_points, late, scores, document, notebook, questions, engine, tier, at, who"  # fmt: skip
_ROWS = """
SELECT batch.path, batch.student, batch."set", batch.reason, g.name, g.points, g.max_points, g.late, g.tier, g.scores, g.document
FROM batch LEFT JOIN grading AS g ON g.id = batch.grading ORDER BY place
"""


@dataclass(frozen=True)
class Entry:
    """One grading, with what it rests on."""

    key: str
    row: Row
    notebook: str
    questions: str
    engine: str
    at: str
    who: str

    @property
    def graded(self) -> Graded:
        """The whole result."""
        return self.row.graded


@dataclass(frozen=True)
class Page:
    """A feedback page that was written."""

    file: str  # below the folder of pages
    kind: str
    digest: str


class Ledger:
    """An open ledger. Raises ShardwiseError for a file that is none, or one of another version of shardwise."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._db = sqlite3.connect(path, timeout=30, isolation_level=None)
        try:
            self._db.execute("PRAGMA journal_mode = WAL")
            # A power cut may cost the latest results; a kill costs none.
            self._db.execute("PRAGMA synchronous = NORMAL")
            (found,) = self._db.execute("PRAGMA user_version").fetchone()
            if found == 0:
                self._db.executescript(f"BEGIN; {_TABLES} PRAGMA user_version = {_FORMAT}; COMMIT;")
        except sqlite3.OperationalError:  # a full disk, a folder that may not be written
            self._db.close()
            raise
        except sqlite3.DatabaseError as error:
            self._db.close()
            raise ShardwiseError(f"{path} is no ledger of ours ({error}). Move it away to begin anew.") from None
        if found not in (0, _FORMAT):
            self._db.close()
            raise ShardwiseError(f"{path} was written by another version of shardwise (its format is {found}).")

    def close(self) -> None:
        """Fold the write-ahead log into the file."""
        self._db.close()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _all(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        return self._db.execute(query, values).fetchall()

    # A run ------------------------------------------------------------------------------------------------------

    def begin(self, notebooks: Iterable[str]) -> int:
        """Begin a run over the notebooks of these paths; gives their number."""
        with self._db:
            self._db.execute("BEGIN")
            self._db.execute("DELETE FROM batch")
            self._db.executemany(
                "INSERT OR IGNORE INTO batch VALUES (?, ?, '', '', NULL, 'it was not graded yet')",
                enumerate(notebooks),
            )
        return int(self._all("SELECT COUNT(*) FROM batch")[0][0])

    def page_digest(self, key: str, file: str, kind: str) -> str | None:
        """The digest of the page that shows a complete grading; None when either is still to be made."""
        found = self._all(
            "SELECT digest FROM page JOIN grading USING (key) WHERE key = ? AND file = ? AND kind = ? AND points IS NOT NULL",
            key, file, kind,
        )  # fmt: skip
        return str(found[0][0]) if found else None

    def kinds_of_pages(self) -> set[str]:
        """The kinds of feedback pages that lie in the folder."""
        return {kind for (kind,) in self._all("SELECT DISTINCT kind FROM page")}

    def reuse(self, path: str, key: str) -> None:
        """Let a notebook of this run have a grading that is there already."""
        self._db.execute(
            """UPDATE batch SET (grading, student, "set", reason) =
            (SELECT id, student, "set", '' FROM grading WHERE key = ?) WHERE path = ?""",
            (key, path),
        )

    def record(self, path: str, entry: Entry, page: Page) -> None:
        """Keep a grading and what is known of its page, and let a notebook of this run have it: all or nothing."""
        with self._db:
            self._db.execute("BEGIN")
            self._keep(entry)
            self._db.execute(
                "INSERT OR REPLACE INTO page VALUES (?, ?, ?, ?)", (page.file, entry.key, page.kind, page.digest)
            )
            self.reuse(path, entry.key)

    def _keep(self, entry: Entry) -> None:
        row = entry.row
        values = (
            entry.key, row.student, row.set, row.name, row.points, row.max_points, row.late, json.dumps(row.scores),
            row.document, entry.notebook, entry.questions, entry.engine, row.tier, entry.at, entry.who,
        )  # fmt: skip
        self._db.execute("DELETE FROM grading WHERE key = ? AND points IS NULL", (entry.key,))
        self._db.execute(f"INSERT OR IGNORE INTO grading ({_COLUMNS}) VALUES ({', '.join('?' * len(values))})", values)

    def refuse(self, path: str, row: Row) -> None:
        """Say why a notebook of this run has no grading."""
        self._db.execute(
            'UPDATE batch SET (student, "set", grading, reason) = (?, ?, NULL, ?) WHERE path = ?',
            (row.student, row.set, row.reason, path),
        )

    # What counts ------------------------------------------------------------------------------------------------

    def rows(self) -> Iterator[Row]:
        """The latest run, a row a notebook, read as it goes. Of several notebooks of one student none counts."""
        doubles = self._doubles()
        for path, student, name_of_set, reason, name, points, most, late, tier, scores, document in self._db.execute(
            _ROWS
        ):
            if document is None:
                yield Row(path, student, name_of_set, "ungraded", reason)
            elif several := doubles.get((name_of_set, student)):
                reason = f"{len(several)} notebooks of {student} for this set: {', '.join(several)}. Keep the one that counts."
                yield Row(path, student, name_of_set, "ungraded", reason, name)
            else:
                yield Row(path, student, name_of_set, "graded", "", name, points, most, bool(late), tier,
                          json.loads(scores), document)  # fmt: skip

    def _doubles(self) -> dict[tuple[str, str], list[str]]:
        """Students with several graded notebooks for one set, and where these lie."""
        counted = self._all(
            """SELECT "set", student FROM batch WHERE grading IS NOT NULL GROUP BY "set", student HAVING COUNT(*) > 1"""
        )
        paths = 'SELECT path FROM batch WHERE grading IS NOT NULL AND "set" = ? AND student = ? ORDER BY path'
        return {(one, student): [path for (path,) in self._all(paths, one, student)] for one, student in counted}

    def sets(self) -> list[str]:
        """The sets of the latest run."""
        return [name for (name,) in self._all('SELECT DISTINCT "set" FROM batch WHERE "set" <> \'\' ORDER BY "set"')]

    def handed_in(self, name_of_set: str, student: str) -> bool:
        """Whether the latest run had a notebook of this student."""
        return bool(self._all('SELECT 1 FROM batch WHERE "set" = ? AND student = ? LIMIT 1', name_of_set, student))

    def questions(self) -> list[str]:
        """The questions of the latest run: the columns of a table of grades."""
        seen: dict[str, None] = {}
        for (names,) in self._db.execute(
            "SELECT DISTINCT (SELECT group_concat(key, ' ') FROM json_each(scores)) FROM batch JOIN grading ON grading.id = grading"
        ):
            seen.update(dict.fromkeys(names.split()))
        return list(seen)

    # What was ---------------------------------------------------------------------------------------------------

    def history(self, student: str | None = None) -> Iterator[Entry]:
        """Every grading there was, in order, of one student or of all."""
        query = f'SELECT {_COLUMNS} FROM grading {"WHERE student = ?" if student else ""} ORDER BY "set", student, id'
        for row in self._db.execute(query, (student,) if student else ()):
            yield _entry(row)

    def counts(self, name_of_set: str, student: str) -> Entry | None:
        """The grading that counts: that of the latest run, or else the last there was."""
        query = f"""SELECT {_COLUMNS} FROM grading WHERE "set" = ? AND student = ? AND points IS NOT NULL
        ORDER BY id IN (SELECT grading FROM batch) DESC, id DESC LIMIT 1"""
        return next((_entry(row) for row in self._db.execute(query, (name_of_set, student))), None)

    def absorb(self, other: Path) -> None:
        """Take over the gradings of another ledger that are not here yet, and what is known of its pages."""
        self._db.execute("ATTACH ? AS other", (str(other),))
        try:
            with self._db:
                self._db.execute("BEGIN")
                self._db.execute(
                    f"INSERT OR IGNORE INTO main.grading ({_COLUMNS}) "
                    f"SELECT {_COLUMNS} FROM other.grading WHERE points IS NOT NULL ORDER BY id"
                )
                self._db.execute("INSERT OR REPLACE INTO main.page SELECT * FROM other.page")
        finally:
            self._db.execute("DETACH other")


def _entry(row: tuple[Any, ...]) -> Entry:
    one = dict(zip(_COLUMNS.replace('"', "").split(", "), row, strict=True))
    kept = {name: str(one[name]) for name in ("key", "notebook", "questions", "engine", "at", "who")}
    told = {name: one[name] for name in ("student", "set", "name", "points", "max_points", "tier", "document")}
    return Entry(
        row=Row(path="", status="graded", late=bool(one["late"]), scores=json.loads(one["scores"]), **told), **kept
    )
