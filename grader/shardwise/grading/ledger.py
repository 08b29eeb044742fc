"""The ledger of a folder of results: every grading that was made there, and which of them count now.

A SQLite file in WAL mode. A result is committed as it comes; a process that is killed loses nothing that was committed,
and the next one finds it. A complete grading is never changed and never deleted: what a student earned, when, by which
templates, engine and sandbox, stays on record.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from shardwise.errors import ShardwiseError
from shardwise.grading.results import Result

LEDGER = "ledger.sqlite"
_FORMAT = 2
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
_RESULT = ("student", "set", "name", "points", "max_points", "late", "notes", "tier", "version", "scores", "answers")
_RESTS_ON = ("key", "notebook", "questions", "engine", "at", "who")
_COLUMNS = ", ".join(f'"{name}"' for name in (*_RESULT, *_RESTS_ON))


@dataclass(frozen=True)
class Grading:
    """A result, and what it rests on."""

    result: Result
    key: str  # digest of everything that decides the result
    notebook: str  # digest of the file that was handed in
    questions: str  # digest of the questions and keys
    engine: str
    at: str
    who: str


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
            raise ShardwiseError(
                f"{path} was written by another version of shardwise (its format is {found}, and I read {_FORMAT}). "
                "Use that version, or move the file away to grade anew."
            )

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

    def record(self, path: str, grading: Grading, *, page: str, kind: str, digest: str) -> None:
        """Keep a grading and the file, kind and digest of its page, and let a notebook of this run have it: all or nothing."""
        values = _values(grading)
        with self._db:
            self._db.execute("BEGIN")
            self._db.execute("DELETE FROM grading WHERE key = ? AND points IS NULL", (grading.key,))
            self._db.execute(
                f"INSERT OR IGNORE INTO grading ({_COLUMNS}) VALUES ({', '.join('?' * len(values))})", values
            )
            self._db.execute("INSERT OR REPLACE INTO page VALUES (?, ?, ?, ?)", (page, grading.key, kind, digest))
            self.reuse(path, grading.key)

    def refuse(self, result: Result) -> None:
        """Say why a notebook of this run has no grading."""
        self._db.execute(
            'UPDATE batch SET (student, "set", grading, reason) = (?, ?, NULL, ?) WHERE path = ?',
            (result.student, result.set, result.reason, result.path),
        )

    # What counts ------------------------------------------------------------------------------------------------

    def results(self) -> Iterator[Result]:
        """The latest run, a result a notebook, read as it goes. Of several notebooks of one student none counts."""
        doubles = self._doubles()
        for path, student, name_of_set, reason, grading, *columns in self._db.execute(
            f'SELECT batch.path, batch.student, batch."set", batch.reason, grading.id, {_RESULT_OF_GRADING} '
            "FROM batch LEFT JOIN grading ON grading.id = batch.grading ORDER BY place"
        ):
            if grading is None:
                yield Result(student, name_of_set, status="ungraded", reason=reason, path=path)
                continue
            result = replace(_result(columns), path=path)
            if several := doubles.get((name_of_set, student)):
                reason = f"{len(several)} notebooks of {student} for this set: {', '.join(several)}. Keep the one that counts."
                result = Result(student, name_of_set, result.name, status="ungraded", reason=reason, path=path)
            yield result

    def _doubles(self) -> dict[tuple[str, str], list[str]]:
        """Students with several graded notebooks for one set, and where these lie."""
        counted = self._all(
            """SELECT "set", student FROM batch WHERE grading IS NOT NULL GROUP BY "set", student HAVING COUNT(*) > 1"""
        )
        paths = 'SELECT path FROM batch WHERE grading IS NOT NULL AND "set" = ? AND student = ? ORDER BY path'
        return {
            (name_of_set, student): [path for (path,) in self._all(paths, name_of_set, student)]
            for name_of_set, student in counted
        }

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

    def history(self, student: str | None = None) -> Iterator[Grading]:
        """Every grading there was, in order, of one student or of all."""
        query = f'SELECT {_COLUMNS} FROM grading {"WHERE student = ?" if student else ""} ORDER BY "set", student, id'
        for row in self._db.execute(query, (student,) if student else ()):
            yield _grading(row)

    def counts(self, name_of_set: str, student: str) -> Grading | None:
        """The grading that counts: that of the latest run, or else the last there was."""
        query = f"""SELECT {_COLUMNS} FROM grading WHERE "set" = ? AND student = ? AND points IS NOT NULL
        ORDER BY id IN (SELECT grading FROM batch) DESC, id DESC LIMIT 1"""
        return next((_grading(row) for row in self._db.execute(query, (name_of_set, student))), None)

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


_RESULT_OF_GRADING = ", ".join(f'grading."{name}"' for name in _RESULT)


def _values(grading: Grading) -> tuple[Any, ...]:
    """A grading as a row of the table, in the order of its columns."""
    result = grading.result
    return (
        result.student, result.set, result.name, result.points, result.max_points, result.late,
        json.dumps(result.notes, ensure_ascii=False), result.tier, result.version, json.dumps(result.scores),
        result.answers_json, *(getattr(grading, name) for name in _RESTS_ON),
    )  # fmt: skip


def _result(row: Sequence[Any]) -> Result:
    """A result out of its columns."""
    student, name_of_set, name, points, max_points, late, notes, tier, version, scores, answers = row
    return Result(
        student, name_of_set, name, points=points, max_points=max_points, late=bool(late), notes=tuple(json.loads(notes)),
        tier=tier, version=version, scores=json.loads(scores), answers_json=answers,
    )  # fmt: skip


def _grading(row: Sequence[Any]) -> Grading:
    return Grading(_result(row[: len(_RESULT)]), *row[len(_RESULT) :])
