"""Lock files: the draws of every student, signed with the course key, so that changes are detected.

A lock file has a header, a line for each student, and a last line with the number of students. Each line ends with a
signature, an HMAC-SHA256 with the course key over the line and the previous line's signature. So no line can be dropped,
added or moved, not even to the lock file of another set, and the beginning of a truncated file can be trusted. An older lock
file with the same key stays valid: nothing in it says that there is a newer one.
A lock file is data: nothing in it is ever executed.
"""

from __future__ import annotations

import hmac
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO

from shardwise.atomic_files import replacing
from shardwise.course.assigning.keys import key_fingerprint, key_for
from shardwise.course.collecting.bounds import BOUNDS
from shardwise.errors import ShardwiseError
from shardwise.kinds import kinds
from shardwise.question import Question
from shardwise.text_files import first_line, lines_of

LOCK_SUFFIX = ".lock.jsonl"
FORMAT = 4  # of lock files: format 2 had no signatures, and format 3 did not bind a line to its set
_END = 200  # bytes at the end of a line that contain the student
# The beginning of a student's line: name, points, aliases and section can be read without the questions.
_ABOUT = re.compile(
    rb'\{"name": ("(?:[^"\\]|\\.)*"), "points": ([\d.]+), '
    rb'(?:"also": (\[[^\]]*\]), )?(?:"section": ("(?:[^"\\]|\\.)*"), )?'
)
_SIGNATURE = re.compile(rb', "signature": "([0-9a-f]{64})"\}\n$')
_DAMAGE = (ValueError, TypeError, LookupError, RecursionError)  # errors that JSON of an unexpected shape causes


@dataclass(frozen=True)
class _About:
    """A student's data that can be read without their questions."""

    name: str
    points: float = 0.0
    also: tuple[str, ...] = ()  # aliases in course systems
    section: str = ""


class Lock:
    """A lock file with valid signatures, whose students' lines are read one at a time.

    Without `key`, the key next to the file is used. Raises ShardwiseError, which names a line that was changed. With
    `cut_off`, a file that ends too early, after an interrupted copy or write, is read as far as possible; `is_whole` is False.
    """

    def __init__(self, path: Path, key: bytes | None = None, *, cut_off: bool = False) -> None:
        self.path = path
        self.places: dict[str, int] = {}
        self._before: dict[str, bytes] = {}  # the signature of the line before each student's
        self._about: dict[str, _About] = {}
        self.is_whole = False
        if path.exists() and not path.is_file():  # reading a pipe would block
            raise ShardwiseError(f"{path} cannot be read as a lock file: it is not a regular file.")
        try:
            with path.open("rb") as file:
                first = file.readline(BOUNDS.lock_header_bytes)
                self.header = self._read_header(first)
                self.key = self._key(key)
                if _signature_of(first, self.key, b"") is None:
                    raise self._changed(1)
                self._read_students(file, first)
        except OSError as error:
            raise ShardwiseError(f"{path} cannot be read as a lock file: {error.strerror}") from None
        except _DAMAGE as error:
            raise ShardwiseError(
                f"{path} cannot be read as a lock file: {error}. `assign` writes lock files, whose names end in {LOCK_SUFFIX}."
            ) from None
        if not self.is_whole and not cut_off:
            raise ShardwiseError(
                f"{path} was cut off before its last line. Run the same `shardwise assign` again to repair it."
            )

    def _read_header(self, line: bytes) -> dict[str, Any]:
        header: dict[str, Any] = json.loads(line)
        if not isinstance(header, dict) or "set" not in header:
            raise ShardwiseError(f"{self.path} is not a lock file: its first line does not name a set.")
        if header.get("format") != FORMAT:
            raise ShardwiseError(
                f"{self.path} was written by shardwise {header.get('version', '(unknown)')!s:.20} in format "
                f"{header.get('format', 1)!s:.10}, but this version reads format {FORMAT}. Grade it with the version that wrote it."
            )
        return header

    def _key(self, given: bytes | None) -> bytes:
        known_by = str(self.header.get("key"))
        if given is not None and key_fingerprint(given) != known_by:
            raise ShardwiseError(
                f"{self.path} is signed with a different course key than the one you gave. Give the key that `assign` used, with --key."
            )
        return given if given is not None else key_for(self.path, known_by)

    def _read_students(self, file: BinaryIO, first: bytes) -> None:
        """Check every line and record where it begins."""
        before, place = _signature_in(first), len(first)
        for number, line in enumerate(lines_of(file, BOUNDS.lock_line_bytes), start=2):
            if self.is_whole:
                raise ShardwiseError(f"{self.path}, line {number}: this line was added after the last one. {_RESTORE}")
            signature = _signature_of(line, self.key, before)
            if signature is None:
                if line.endswith(b"\n"):
                    raise self._changed(number)
                return  # the line was still being written
            if line.startswith(b'{"students": '):
                self.is_whole = True
                continue
            student = _student_of(line)
            self.places[student], self._before[student] = place, before
            self._about[student] = _about(line, student)
            place += len(line)
            before = signature

    def _changed(self, number: int) -> ShardwiseError:
        return ShardwiseError(
            f"{self.path}, line {number}: this line was changed, or lines before it were dropped, added or moved. {_RESTORE}"
        )

    @property
    def set_name(self) -> str:
        """The name of the set."""
        return str(self.header["set"])

    @property
    def due(self) -> datetime | None:
        """The set's due date, if there is one; a section may have its own. Raises ShardwiseError if it cannot be read."""
        return self._moment(self.header.get("due"))

    def due_of(self, student: str) -> datetime | None:
        """Return when a set is due for a student: their section's date, or else the set's. Raises KeyError, ShardwiseError."""
        return self._moment(due_in(self.header, self.section_of(student)))

    def _moment(self, due: Any) -> datetime | None:
        try:
            found = datetime.fromisoformat(due) if due else None
        except _DAMAGE:
            found = datetime.min
        if found is not None and found.tzinfo is None:
            raise ShardwiseError(f"{self.path} has the due date {str(due)[:40]!r}. A due date needs an offset.")
        return found

    def line(self, student: str) -> bytes:
        """Return a student's line. Raises KeyError for an unknown student, ShardwiseError if the file has changed."""
        with self.path.open("rb") as file:
            file.seek(self.places[student])
            line = file.readline(BOUNDS.lock_line_bytes)
        if _signature_of(line, self.key, self._before[student]) is None or _student_of(line) != student:
            raise ShardwiseError(f"{self.path} was changed while it was in use. Run the command again.")
        return line

    def about(self, student: str) -> tuple[str, float]:
        """Return a student's name and question points. Raises KeyError."""
        about = self._about[student]
        return about.name, about.points

    def called(self, student: str) -> tuple[str, tuple[str, ...]]:
        """Return a student's name and their aliases in course systems. Raises KeyError."""
        about = self._about[student]
        return about.name, about.also

    def section_of(self, student: str) -> str:
        """Return a student's section; empty without one. Raises KeyError."""
        return self._about[student].section

    def questions(self, student: str) -> list[Question]:
        """Return a student's questions as drawn. Raises KeyError for an unknown student, ShardwiseError for a damaged line."""
        line = self.line(student)
        try:
            return list(read_line(line)[1])
        except _DAMAGE as error:
            raise ShardwiseError(f"{self.path}: the line of {student} is damaged: {error}") from None

    def students(self) -> Iterator[str]:
        """Yield every student, in the roster's order."""
        return iter(self.places)


def claimed_key(path: Path) -> str:
    """Return the fingerprint of the key that a file claims to be signed with; empty if it names none."""
    with suppress(OSError, AttributeError, *_DAMAGE):
        return str(json.loads(first_line(path, BOUNDS.lock_header_bytes)).get("key", ""))
    return ""


_RESTORE = "Restore the file from a copy, or move it away and assign again."


class LockWriter:
    """A writer for the lines of a lock file, which signs each of them."""

    def __init__(self, file: BinaryIO, key: bytes) -> None:
        self._file, self._key = file, key
        self._before = b""  # the signature of the previous line
        self._lines = 0

    def add(self, data: Mapping[str, Any]) -> None:
        """Write a header or a student's line; an old signature in it is dropped."""
        self.sign(line_of({name: value for name, value in data.items() if name != "signature"}).encode())

    def sign(self, unsigned: bytes) -> None:
        """Sign and write a line of JSON."""
        line = _signed(self._key, unsigned, self._before)
        self._before = _signature_in(line)
        self._lines += 1
        self._file.write(line)

    def end(self) -> None:
        """Write the last line."""
        self.add({"students": self._lines - 1})


@contextmanager
def writing(path: Path, key: bytes) -> Iterator[LockWriter]:
    """Write a lock file that only its owner can read; it appears as a whole or not at all."""
    with replacing(path, private=True) as fresh, fresh.open("wb") as file:
        writer = LockWriter(file, key)
        yield writer
        writer.end()


def student_line(
    student: str, name: str, questions: Sequence[Mapping[str, Any]], also: Sequence[str] = (), section: str = ""
) -> dict[str, Any]:
    """Return a student's line, with frequently read fields at its ends; `also` contains their aliases in course systems."""
    points = round(sum(float(question["points"]) for question in questions), 4)
    others = {**({"also": list(also)} if also else {}), **({"section": section} if section else {})}
    return {"name": name, "points": points, **others, "questions": questions, "student": student}


def line_of(data: Mapping[str, Any]) -> str:
    """Return an unsigned line as in a lock file. It keeps the given order, which matters for arguments and for the student."""
    return json.dumps(data, ensure_ascii=False) + "\n"


def _signed(key: bytes, unsigned: bytes, before: bytes) -> bytes:
    """Return a line with its signature as the last entry."""
    body = unsigned.removesuffix(b"}\n")
    return body + b', "signature": "' + _hmac(key, before + body) + b'"}\n'


def _hmac(key: bytes, text: bytes) -> bytes:
    return hmac.digest(key, b"shardwise lock\0" + text, "sha256").hex().encode()


def _signature_in(line: bytes) -> bytes:
    found = _SIGNATURE.search(line[-_END:])
    return found[1] if found else b""


def _signature_of(line: bytes, key: bytes, before: bytes) -> bytes | None:
    """Return a line's signature, if it is valid for the line and the previous signature."""
    signature = _signature_in(line)
    body = line[: -len(b', "signature": ""}\n') - len(signature)]
    return signature if signature and hmac.compare_digest(signature, _hmac(key, before + body)) else None


def _student_of(line: bytes) -> str:
    """Return the student of a line without parsing it: only the signature follows the student."""
    found = re.search(rb'"student": "([^"\\]+)", "signature"', line[-_END - 64 :])
    return found[1].decode() if found else str(json.loads(line)["student"])


def _about(line: bytes, student: str) -> _About:
    """Return what a line says about its student, without parsing the questions."""
    found = _ABOUT.match(line)
    if not found:
        return _About(student)
    return _About(
        json.loads(found[1]), float(found[2]), tuple(json.loads(found[3] or b"[]")), json.loads(found[4] or b'""')
    )


def due_in(header: Mapping[str, Any], section: str) -> Any:
    """Return the due date that a lock file's header gives a section, as it is written; None without one."""
    own = header.get("sections", {}).get(section)
    return own["due"] if own else header.get("due")


def choice_in(entry: Any) -> tuple[list[str], int]:
    """Return the problems of an entry in a lock file's header, and how many of them each student gets."""
    return ([entry], 1) if isinstance(entry, str) else (entry["pool"], entry["choose"])


def problems_in(header: Mapping[str, Any]) -> list[str]:
    """Return the ids of all problems that a lock file's header names."""
    return [str(name) for entry in header["problems"] for name in choice_in(entry)[0]]


def read_line(line: bytes) -> tuple[str, tuple[Question, ...]]:
    """Return a student's name and questions from a line of a lock file. Raises ShardwiseError if it is damaged."""
    try:
        data = json.loads(line)
        return str(data.get("name", "")), tuple(_question(question) for question in data["questions"])
    except (AttributeError, *_DAMAGE) as error:
        raise ShardwiseError(f"a line of this lock file is damaged: {error}") from None


def _question(data: Mapping[str, Any]) -> Question:
    """Return a question as it was drawn. Raises ShardwiseError if the data is not a valid question."""
    kind = kinds().get(str(data.get("kind")))
    if kind is None:
        raise ShardwiseError(f"the kind {data.get('kind')!r} is not installed here: install the package that adds it")
    try:
        form, key = kind.Form.model_validate(data["form"]), kind.Key.model_validate(data["key"])
        return Question.model_validate({**data, "form": form, "key": key})
    except (ValueError, KeyError) as error:
        raise ShardwiseError(f"question {data.get('id')!r} of this lock file is damaged: {error}") from None
