"""The ledger of a folder of results: every grading, which of them count now, and which counted when.

It is a SQLite file in WAL mode. Each result is committed at once, so a killed process loses nothing that was committed. A
complete grading is never changed or deleted: what a student earned, when, and with which templates, engine and sandbox
stays on record.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from shardwise.atomic_files import patiently
from shardwise.course.collecting.receipts import Receipt
from shardwise.errors import ShardwiseError
from shardwise.grading.record.ledger_tables import (
    COLUMNS,
    COLUMNS_OF_RESULT,
    Decision,
    Grading,
    as_grading,
    opened,
    result_of,
    row_of,
    sign_new,
    signature_of,
    unusable,
)
from shardwise.grading.results import Result

LEDGER = "ledger.sqlite"
_T = TypeVar("_T")
_COUNTED_LAST = """(
    SELECT MAX(counted.id) FROM counted
    WHERE counted."set" = grading."set" AND counted.student = grading.student AND counted.grading = grading.id
) DESC, id DESC"""  # of several gradings of a student the one that counted last, or else the newest


class Ledger:
    """An open ledger.

    Raises ShardwiseError if the file is not a ledger or belongs to another version, and NoRoom on a full disk.
    """

    def __init__(self, path: Path, keys: Sequence[bytes] = ()) -> None:
        self.path = path
        self._db, self._key = self._patiently(lambda: opened(path, keys))

    def _patiently(self, act: Callable[[], _T]) -> _T:
        """Run a function that writes, and raise NoRoom if the disk stays full."""
        return patiently(act, self.path.parent)

    def _write(self, query: str, *values: Any) -> None:
        self._patiently(lambda: self._db.execute(query, values))

    def close(self) -> None:
        """Fold the write-ahead log into the file."""
        self._db.close()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        self.close()
        if isinstance(error, sqlite3.DatabaseError):
            raise unusable(self.path, error) from None

    def _all(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        return self._db.execute(query, values).fetchall()

    # A run ------------------------------------------------------------------------------------------------------

    def begin(self, notebooks: Iterable[str]) -> int:
        """Begin a run over the notebooks at these paths, and return their number.

        Earlier gradings stay while their notebooks exist, because a class may be graded in parts. Raises ShardwiseError if these
        are only some of the latest run's notebooks and the others still exist.
        """
        named = dict.fromkeys(notebooks)
        with self._db:
            self._db.execute("BEGIN")
            graded = dict(self._all("SELECT path, latest FROM notebook WHERE grading IS NOT NULL"))
            lying = {path for path in graded.keys() - named.keys() if lies(Path(path))}
            left_out = [path for path in lying if graded[path]]
            if left_out and any(graded.get(path) for path in named):
                several = len(left_out) > 1
                raise ShardwiseError(
                    f"{self.path.parent} contains grades of {len(left_out)} more notebook{'s' if several else ''}, such as "
                    f"{min(left_out)}: if {'they have' if several else 'it has'} changed, grades.csv would be out of date. "
                    "Name all of the notebooks, or use another --out for these."
                )
            self._db.execute("DELETE FROM notebook WHERE grading IS NULL")
            self._db.executemany("DELETE FROM notebook WHERE path = ?", ((path,) for path in graded.keys() - lying))
            self._db.execute("UPDATE notebook SET latest = 0")
            self._db.executemany(
                "INSERT INTO notebook VALUES (?, ?, TRUE, '', '', NULL, 'it was not graded yet')",
                ((path, place) for place, path in enumerate(named)),
            )
        return len(named)

    def page_digest(self, key: str, file: str, kind: str) -> str | None:
        """Return the digest of the page of a complete grading; None if either does not exist yet."""
        found = self._all(
            "SELECT digest FROM page JOIN grading USING (key) WHERE key = ? AND file = ? AND kind = ? AND points IS NOT NULL",
            key, file, kind,
        )  # fmt: skip
        return str(found[0][0]) if found else None

    def kinds_of_pages(self) -> set[str]:
        """Return the kinds of feedback pages in the folder."""
        return {kind for (kind,) in self._all("SELECT DISTINCT kind FROM page")}

    def reuse(self, path: str, key: str, note: str = "") -> None:
        """Assign an existing grading, if there is one, to a notebook of this run; the note is for the report."""
        self._write(
            """UPDATE notebook SET (grading, student, "set", reason) =
            (SELECT id, student, "set", ?1 FROM grading WHERE key = ?2) WHERE path = ?3
            AND EXISTS (SELECT 1 FROM grading WHERE key = ?2)""",
            note, key, path,
        )  # fmt: skip

    def adopt(self, path: str, grading: Grading, note: str = "") -> None:
        """Assign a grading, which may come from another ledger, to a notebook of this run."""
        self._insert(grading)
        self.reuse(path, grading.key, note)

    def drop(self, path: str) -> None:
        """Remove a notebook from this run, because another one of its student counts."""
        self._write("DELETE FROM notebook WHERE path = ?", path)

    def record(self, path: str, grading: Grading, *, page: str, kind: str, digest: str) -> None:
        """Save a grading with its page's file, kind and digest, and assign it to a notebook of this run, in one transaction."""
        with self._db:
            self._db.execute("BEGIN")
            self._db.execute("DELETE FROM grading WHERE key = ? AND points IS NULL", (grading.key,))
            self._insert(grading)
            self._db.execute("INSERT OR REPLACE INTO page VALUES (?, ?, ?, ?)", (page, grading.key, kind, digest))
            self.reuse(path, grading.key)

    def receive(self, path: str, receipt: Receipt) -> None:
        """Save when a notebook was received, and the source of that time."""
        at = receipt.at.isoformat(timespec="seconds") if receipt.at else ""
        self._write("INSERT OR REPLACE INTO receipt VALUES (?, ?, ?)", path, at, receipt.source)

    def refuse(self, result: Result) -> None:
        """Save why a notebook of this run has no grading."""
        self._write(
            'UPDATE notebook SET (student, "set", grading, reason) = (?, ?, NULL, ?) WHERE path = ?',
            result.student, result.set, result.reason, result.path,
        )  # fmt: skip

    def _insert(self, grading: Grading) -> None:
        values = row_of(grading)
        signature = signature_of(self._key, values)
        self._write(
            f"INSERT OR IGNORE INTO grading ({COLUMNS}, signature) VALUES ({', '.join('?' * len(values))}, ?)",
            *values,
            signature,
        )

    def count(self, path: str, at: str, who: str) -> None:
        """Record that the complete grading of a notebook of this run counts as an attempt."""
        with self._db:
            self._write(
                """INSERT INTO counted ("set", student, grading, newest, at, who)
                SELECT one."set", one.student, one.grading, (
                    SELECT MAX(id) FROM grading WHERE "set" = one."set" AND student = one.student
                ), ?, ? FROM notebook AS one JOIN grading AS its ON its.id = one.grading
                WHERE one.path = ? AND its.points IS NOT NULL AND its.id IS NOT (
                    SELECT counted.grading FROM counted JOIN grading ON grading.id = counted.grading
                    WHERE counted."set" = one."set" AND counted.student = one.student AND grading.notebook = its.notebook
                    ORDER BY counted.id DESC LIMIT 1
                )""",
                at, who, path,
            )  # fmt: skip
            sign_new(self._db, self._key)

    def decide(self, entries: Sequence[str], at: str, who: str) -> None:
        """Record which overrides apply from now on, and which were withdrawn."""
        before = [decision.entry for decision in self.decisions() if decision.applies]
        changes = [(entry, True) for entry in entries if entry not in before]
        changes += [(entry, False) for entry in before if entry not in entries]
        with self._db:
            for entry, applies in changes:
                self._write(
                    "INSERT INTO decision (entry, applies, at, who) VALUES (?, ?, ?, ?)", entry, applies, at, who
                )
            sign_new(self._db, self._key)

    def decisions(self) -> list[Decision]:
        """Return the last record of every override, in order."""
        query = "SELECT entry, applies, at, who FROM decision WHERE id IN (SELECT MAX(id) FROM decision GROUP BY entry) ORDER BY id"
        return [Decision(entry, bool(applies), at, who) for entry, applies, at, who in self._all(query)]

    def end(self, at: str, who: str) -> None:
        """End a run: record for each student which complete grading counts now.

        A record is added if another grading counted before, or if a newer one does not count: a student's last record is the one
        that counts.
        """
        self._patiently(lambda: self._end(at, who))

    def _end(self, at: str, who: str) -> None:
        last = 'FROM counted WHERE counted."set" = one."set" AND counted.student = one.student ORDER BY counted.id DESC LIMIT 1'
        of_theirs = 'FROM grading WHERE grading."set" = one."set" AND grading.student = one.student'
        with self._db:
            self._db.execute("BEGIN")
            self._db.execute(
                f"""INSERT INTO counted ("set", student, grading, newest, at, who)
            SELECT "set", student, grading, (SELECT MAX(grading.id) {of_theirs}), ?, ? FROM (
                SELECT "set", student, MIN(grading) AS grading FROM batch
                WHERE grading IS NOT NULL GROUP BY "set", student HAVING COUNT(*) = 1
            ) AS one
            WHERE (SELECT points FROM grading WHERE grading.id = one.grading) IS NOT NULL AND (
                one.grading IS NOT (SELECT counted.grading {last})
                OR (SELECT MAX(grading.id) {of_theirs} AND grading.id <> one.grading) > (SELECT newest {last})
            ) ORDER BY "set", student""",
                (at, who),
            )  # fmt: skip
            sign_new(self._db, self._key)

    # What counts ------------------------------------------------------------------------------------------------

    def results(self, *, latest: bool = False) -> Iterator[Result]:
        """Yield a result per notebook, by set and student; with `latest`, only those of the latest run.

        If a student has several notebooks, none of them counts.
        """
        doubles = self._doubles()
        for path, student, name_of_set, reason, at, source, grading, *columns in self._db.execute(
            f'SELECT batch.path, batch.student, batch."set", batch.reason, receipt.at, receipt.source, grading.id, {COLUMNS_OF_RESULT} '
            f"FROM {'latest' if latest else 'batch'} AS batch LEFT JOIN grading ON grading.id = batch.grading "
            "LEFT JOIN receipt ON receipt.path = batch.path "
            'ORDER BY batch."set", batch.student, place'
        ):
            if grading is None:
                yield Result(
                    student, name_of_set, status="ungraded", reason=reason, path=path, received=at or "", received_by=source or ""
                )  # fmt: skip
                continue
            result = replace(result_of(columns), path=path, received=at or "", received_by=source or "")
            if reason:
                result = replace(result, notes=(*result.notes, reason))
            if several := doubles.get((name_of_set, student)):
                reason = f"{len(several)} notebooks of {student} for this set: {', '.join(several)}. Keep the one that counts, or use --latest."
                result = Result(
                    student, name_of_set, result.name, status="ungraded", reason=reason, path=path, received=at or "", received_by=source or ""
                )  # fmt: skip
            yield result

    def _doubles(self) -> dict[tuple[str, str], list[str]]:
        """Return the students with several graded notebooks for one set, and the paths of these."""
        counted = self._all(
            """SELECT "set", student FROM batch WHERE grading IS NOT NULL GROUP BY "set", student HAVING COUNT(*) > 1"""
        )
        paths = 'SELECT path FROM batch WHERE grading IS NOT NULL AND "set" = ? AND student = ? ORDER BY path'
        return {
            (name_of_set, student): [path for (path,) in self._all(paths, name_of_set, student)]
            for name_of_set, student in counted
        }

    def sets(self) -> list[str]:
        """Return the sets of the latest run."""
        return [name for (name,) in self._all('SELECT DISTINCT "set" FROM batch WHERE "set" <> \'\' ORDER BY "set"')]

    def handed_in(self, name_of_set: str, student: str) -> bool:
        """Return whether a notebook of this student is on record for a set of the latest run."""
        return bool(self._all('SELECT 1 FROM notebook WHERE "set" = ? AND student = ? LIMIT 1', name_of_set, student))

    def questions(self) -> list[str]:
        """Return the questions of the notebooks that count, which are the columns of a table of grades."""
        seen: dict[str, None] = {}
        for (names,) in self._db.execute(
            "SELECT DISTINCT (SELECT COALESCE(group_concat(key, ' '), '') FROM json_each(scores)) FROM batch JOIN grading ON grading.id = grading"
        ):
            seen.update(dict.fromkeys(names.split()))
        return list(seen)

    # History ---------------------------------------------------------------------------------------------------

    def history(self, student: str | None = None) -> Iterator[Grading]:
        """Yield every grading of one student or of all, in order; one that counts again after a later one is repeated."""
        whose = "WHERE student = ?" if student else ""
        events = self._all(
            f"""SELECT "set" AS name, student, id AS place, 0 AS number, id, '', '' FROM grading {whose} UNION ALL
            SELECT "set", student, newest, id, grading, at, who FROM counted {whose} ORDER BY name, student, place, number""",
            *([student, student] if student else []),
        )
        before = None
        for *_, grading, at, who in events:
            if grading != before:
                rows = self._all(f"SELECT {COLUMNS} FROM grading WHERE id = ?", grading)
                if not rows:
                    raise sqlite3.DatabaseError("a grading that counted is missing")
                row = rows[0]
                yield replace(as_grading(row), at=at, who=who) if at else as_grading(row)
            before = grading

    def counts(self, name_of_set: str, student: str) -> Grading | None:
        """Return the grading that counts: the one that counted when the latest run ended, or else the last one."""
        query = f"""SELECT {COLUMNS} FROM grading WHERE "set" = ? AND student = ? AND points IS NOT NULL
        ORDER BY {_COUNTED_LAST} LIMIT 1"""
        return next((as_grading(row) for row in self._db.execute(query, (name_of_set, student))), None)

    def has_counted(self) -> bool:
        """Return whether any grading ever counted here."""
        return bool(self._all("SELECT 1 FROM counted LIMIT 1"))

    def received(self, name_of_set: str, student: str) -> Receipt:
        """Return when a student's last graded notebook was received, or no time if the ledger did not record it."""
        rows = self._all(
            """SELECT receipt.at, source FROM receipt JOIN notebook USING (path)
            WHERE "set" = ? AND student = ? AND grading IS NOT NULL LIMIT 1""",
            name_of_set, student,
        )  # fmt: skip
        at, source = rows[0] if rows else ("", "")
        return Receipt(datetime.fromisoformat(at) if at else None, source)

    def notebooks(self, name_of_set: str, student: str) -> list[str]:
        """Return the digests of a student's notebooks that counted at the end of a run, in order of first occurrence."""
        query = """SELECT notebook FROM counted JOIN grading ON grading.id = counted.grading
        WHERE counted."set" = ? AND counted.student = ? GROUP BY notebook ORDER BY MIN(counted.id)"""
        return [str(notebook) for (notebook,) in self._all(query, name_of_set, student)]

    def attempts(self, name_of_set: str, student: str) -> list[Grading]:
        """Return the last grading of each of a student's notebooks that counted, in order of first occurrence."""
        query = f"""SELECT {COLUMNS} FROM grading JOIN (
            SELECT MAX(counted.id) AS last, MIN(counted.id) AS first, grading.notebook AS of FROM counted
            JOIN grading ON grading.id = counted.grading WHERE counted."set" = ?1 AND counted.student = ?2 GROUP BY grading.notebook
        ) ON grading.id = (SELECT counted.grading FROM counted WHERE counted.id = last) ORDER BY first"""
        return [as_grading(row) for row in self._all(query, name_of_set, student)]

    def grading_of(self, name_of_set: str, student: str, notebook: str, questions: str) -> Grading:
        """Return the grading of a notebook that counted here: with these questions, or else the one that counted last."""
        query = f"""SELECT {COLUMNS} FROM grading WHERE "set" = ? AND student = ? AND notebook = ? AND points IS NOT NULL
        ORDER BY questions = ? DESC, {_COUNTED_LAST} LIMIT 1"""
        return as_grading(self._all(query, name_of_set, student, notebook, questions)[0])

    def absorb(self, other: Path) -> None:
        """Copy the new gradings of another ledger's latest run, and the data of their pages.

        Nobody has confirmed the results of earlier runs in that ledger.
        """
        self._db.execute("ATTACH ? AS other", (str(other),))
        try:
            self._patiently(self._take_over)
        finally:
            self._db.execute("DETACH other")

    def _take_over(self) -> None:
        with self._db:
            self._db.execute("BEGIN")
            self._db.execute(
                f"INSERT OR IGNORE INTO main.grading ({COLUMNS}) "
                f"SELECT {COLUMNS} FROM other.grading WHERE points IS NOT NULL AND id IN (SELECT grading FROM other.latest) "
                "ORDER BY id"
            )
            self._db.execute(
                "INSERT OR REPLACE INTO main.page SELECT * FROM other.page WHERE key IN "
                "(SELECT key FROM other.grading WHERE id IN (SELECT grading FROM other.latest))"
            )
            sign_new(self._db, self._key)


def lies(path: Path) -> bool:
    """Return whether a notebook, or its archive, still exists."""
    return path.exists() or any(folder.is_file() for folder in path.parents)
