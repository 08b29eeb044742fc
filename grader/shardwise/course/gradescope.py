"""Gradescope's metadata: who submitted what in an export of a class, and who submitted the notebook being graded."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path

from shardwise.course.collecting.names import Called, Names
from shardwise.text_files import read_bounded

EXPORT = "submission_metadata.yml"  # next to the folders submission_123 of an export
METADATA = (
    "submission_metadata.json"  # next to the submission while an autograder runs (autograder_samples/docs/specs.md)
)
_MOST = 20_000_000  # bytes; a class of 300 has about one million
_SUBMISSION = re.compile(r"(submission_\d+):")
_CREATED = re.compile(r" {0,2}:created_at:\s*(.+)")  # 2026-06-01 10:00:00.123456789 Z, as Ruby writes YAML
_SUBMITTER = re.compile(r"\s+(?:- )?:(name|sid|email):\s*(.*)")

People = tuple[Mapping[str, str], ...]  # the people who submitted together, each with name, sid and email


@dataclass(frozen=True)
class _Submission:
    """The entry of one folder in an export."""

    people: People = ()
    at: datetime | None = None


def is_of_gradescope(folder: Path) -> bool:
    """Return whether a folder is a submission in a Gradescope export, which says who submitted it."""
    return re.fullmatch(r"submission_\d+", folder.name) is not None and (folder.parent / EXPORT).is_file()


def uploaders_of(folder: Path, names: Names) -> Called:
    """Return the students who submitted a folder of an export."""
    return called(_said_of(folder).people, names)


def exported_at(folder: Path) -> datetime | None:
    """Return when a folder of an export was submitted."""
    return _said_of(folder).at


def _said_of(folder: Path) -> _Submission:
    file = folder.parent / EXPORT
    return _export(file, file.stat().st_mtime_ns).get(folder.name, _Submission())


def submitters(path: Path) -> People:
    """Return who submitted the notebook being graded, according to Gradescope's metadata; empty without metadata."""
    with suppress(OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError):
        users = json.loads(read_bounded(path, _MOST))["users"]
        return tuple({name: str(user.get(name) or "") for name in ("name", "sid", "email")} for user in users)
    return ()


def submitted_at(path: Path) -> datetime | None:
    """Return when it was submitted, according to Gradescope's metadata."""
    with suppress(OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError):
        return _time(json.loads(read_bounded(path, _MOST))["created_at"])
    return None


def called(people: Iterable[Mapping[str, str]], names: Names) -> Called:
    """Return the students who match some people: by number or address, or else by name."""
    found: set[str] = set()
    given = ""
    for person in people:
        given = given or person.get("name", "")
        by_id = names.with_id(person.get("sid", "")) or names.with_id(person.get("email", ""))
        found |= by_id or names.person(person.get("name", ""))
    return Called(frozenset(found), given)


@lru_cache(maxsize=4)  # called for each notebook; read again if the file is replaced
def _export(file: Path, _changed: int) -> Mapping[str, _Submission]:
    """Return each submission's people and time, reading only those lines: the file also contains all test output."""
    with suppress(OSError, ValueError):
        return dict(_submissions(read_bounded(file, _MOST).decode("utf-8-sig").splitlines()))
    return {}


def _submissions(lines: Iterable[str]) -> Iterator[tuple[str, _Submission]]:
    submission, people, is_open = "", [dict[str, str]()], False
    at: datetime | None = None
    for line in [*lines, "submission_0:"]:
        if found := _SUBMISSION.fullmatch(line.rstrip()):
            if submission:
                yield submission, _Submission(tuple(filter(None, people)), at)
            submission, people, is_open, at = found[1], [{}], False, None
        elif re.match(r" {0,2}:\w", line):
            is_open = line.strip() == ":submitters:"
            if created := _CREATED.match(line):
                at = _time(created[1])
        elif is_open and (said := _SUBMITTER.match(line)):
            if line.lstrip().startswith("- "):
                people.append({})
            people[-1][said[1]] = said[2].strip().strip("\"'")


def _time(text: str) -> datetime | None:
    """Parse a time with an offset, which may follow a space; None for anything else."""
    with suppress(ValueError):
        found = datetime.fromisoformat(re.sub(r"\s+(?=[Z+-])", "", text.strip().strip("\"'")))
        return found if found.tzinfo else None
    return None
