"""Lock files: what was drawn for whom, a header and then a line for each student, read one at a time."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, Union

from pydantic import Field, create_model

from shardwise.errors import ShardwiseError
from shardwise.kinds import kinds
from shardwise.question import Question

LOCK_SUFFIX = ".lock.jsonl"
FORMAT = 2  # of lock files: 1 had no handles, and options as part of the prompt
_END = 200  # bytes at the end of a line in which its student stands
_DAMAGE = (ValueError, TypeError, LookupError, RecursionError)  # what JSON of another shape than ours leads to


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
        except OSError as error:
            raise ShardwiseError(f"{path} cannot be read as a lock file: {error.strerror}") from None
        except _DAMAGE as error:
            raise ShardwiseError(f"{path} cannot be read as a lock file: {error}") from None
        if not isinstance(self.header, dict) or "set" not in self.header:
            raise ShardwiseError(f"{path} is no lock file: its first line names no set.")
        if self.header.get("format") != FORMAT:
            raise ShardwiseError(
                f"{path} was written by shardwise {self.header.get('version', '(unknown)')!s:.20} in another format "
                f"({self.header.get('format', 1)!s:.10}); this is format {FORMAT}. Grade it with the version that wrote it."
            )

    @property
    def set_name(self) -> str:
        """The set that was drawn."""
        return str(self.header["set"])

    @property
    def due(self) -> datetime | None:
        """When notebooks begin to be late. Raises ShardwiseError when the header says it in no way that can be read."""
        due = self.header.get("due")
        try:
            found = datetime.fromisoformat(due) if due else None
        except _DAMAGE:
            found = datetime.min
        if found is not None and found.tzinfo is None:
            raise ShardwiseError(f"{self.path} is due at {str(due)[:40]!r}; I expected a time with an offset.")
        return found

    def line(self, student: str) -> bytes:
        """A student's line as it stands. Raises KeyError for a stranger."""
        with self.path.open("rb") as file:
            file.seek(self.places[student])
            return file.readline()

    def questions(self, student: str) -> list[Question]:
        """A student's questions, as they were drawn. Raises KeyError for a stranger, ShardwiseError for a damaged line."""
        line = self.line(student)
        try:
            return list(read_line(line)[1])
        except _DAMAGE as error:
            raise ShardwiseError(f"{self.path}: the line of {student} is damaged: {error}") from None

    def students(self) -> Iterator[str]:
        """Every student, in the roster's order."""
        return iter(self.places)


def line_of(data: Mapping[str, Any]) -> str:
    """A line of a lock file, in the order given: arguments and symbols have one, and the student stands last."""
    return json.dumps(data, ensure_ascii=False) + "\n"


def _student_of(line: bytes) -> str:
    """The student of a line without reading all of it: it stands last."""
    found = re.search(rb'"student": "([^"\\]+)"\}\s*$', line[-_END:])
    return found[1].decode() if found else str(json.loads(line)["student"])


def read_line(line: bytes) -> tuple[str, tuple[Question, ...]]:
    """A student's name and questions out of a line of a lock file. Raises ShardwiseError when it is damaged."""
    try:
        found = _line_model().model_validate_json(line)
    except ValueError as error:
        with suppress(*_DAMAGE):
            for question in json.loads(line)["questions"]:
                _check_question({**question})  # says which
        raise ShardwiseError(f"a line of this lock file is damaged: {error}") from None
    return found.name, found.questions


@cache
def _line_model() -> Any:
    """A line of a lock file, with a model for each kind of question, so that pydantic reads it in one go."""
    models = [
        create_model(name, __base__=Question, kind=(Literal[name], ...), form=(kind.Form, ...), key=(kind.Key, ...))  # type: ignore[arg-type]
        for name, kind in kinds().items()
    ]
    union: Any = Annotated[Union[tuple(models)], Field(discriminator="kind")]  # noqa: UP007  made of a list
    questions: Any = tuple[union, ...]
    return create_model("Line", name=(str, ""), questions=(questions, ...))


def _check_question(data: Mapping[str, Any]) -> None:
    """Raise ShardwiseError when this is no question of ours."""
    kind = kinds().get(str(data.get("kind")))
    if kind is None:
        raise ShardwiseError(f"no kind {data.get('kind')!r} is installed here")
    try:
        form, key = kind.Form.model_validate(data["form"]), kind.Key.model_validate(data["key"])
        Question.model_validate({**data, "form": form, "key": key})
    except (ValueError, KeyError) as error:
        raise ShardwiseError(f"question {data.get('id')!r} of this lock file is damaged: {error}") from None
