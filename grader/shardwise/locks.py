"""Lock files: what was drawn for whom, a header and then a line for each student, read one at a time."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from shardwise.bank import revive
from shardwise.errors import ShardwiseError
from shardwise.question import Question

LOCK_SUFFIX = ".lock.jsonl"


class Lock:
    """A lock file: a header, then a line for each student, read one at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.places: dict[str, int] = {}
        try:
            with path.open("rb") as file:
                self.header: dict[str, Any] = json.loads(file.readline())
                place = file.tell()
                for line in file:
                    self.places[_student_of(line)] = place
                    place += len(line)
        except (OSError, ValueError, KeyError) as error:
            raise ShardwiseError(f"{path} cannot be read as a lock file: {error}") from None
        if not isinstance(self.header, dict) or "set" not in self.header:
            raise ShardwiseError(f"{path} is no lock file: its first line names no set.")

    @property
    def set_name(self) -> str:
        """The set that was drawn."""
        return str(self.header["set"])

    @property
    def due(self) -> datetime | None:
        """When notebooks begin to be late."""
        due = self.header.get("due")
        return datetime.fromisoformat(due) if due else None

    def line(self, student: str) -> bytes:
        """A student's line as it stands. Raises KeyError for a stranger."""
        with self.path.open("rb") as file:
            file.seek(self.places[student])
            return file.readline()

    def questions(self, student: str) -> list[Question]:
        """A student's questions, as they were drawn. Raises KeyError for a stranger."""
        return [revive(one) for one in json.loads(self.line(student))["questions"]]

    def students(self) -> Iterator[str]:
        """Every student, in the roster's order."""
        return iter(self.places)


def _student_of(line: bytes) -> str:
    """The student of a line without reading all of it: it stands last."""
    found = re.search(rb'"student": "([^"\\]+)"\}\s*$', line)
    return found[1].decode() if found else str(json.loads(line)["student"])
