"""What every student of a class gets: a line of the lock file and a notebook."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from shardwise.bank.bank import Catalogue
from shardwise.bank.posing import pose
from shardwise.course.assigning.handed_out import asks_the_same
from shardwise.course.assigning.lockfile import line_of, read_line, student_line
from shardwise.course.assigning.roster import Student
from shardwise.course.collecting.students_notebook import student_notebook
from shardwise.errors import ShardwiseError
from shardwise.question import Question


def seed_for(key: bytes, student: str, set_name: str, problem: str) -> str:
    """The seed of one student's question: HMAC-SHA256, so that nobody without the key can foresee it."""
    text = "\0".join((student, set_name, problem))
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()[:24]


class Maker:
    """Makes what a student gets, for one after the other. `header` is that of the lock file, which names the problems."""

    def __init__(self, bank: Catalogue, header: Mapping[str, Any], key: bytes) -> None:
        self._header, self._key = header, key
        self._problems = [bank.find(name) for name in header["problems"]]

    def line(self, student: Student, out: Path | None) -> bytes:
        """A student's line of the lock file, not signed yet.

        With a notebook at `out`, raises ShardwiseError when it asks something else than is drawn now.
        """
        questions = self._questions(student.id)
        if out is not None and out.exists():
            self._must_ask_the_same(out, student, questions)
        dumped = [question.model_dump(mode="json") for question in questions]
        return line_of(student_line(student.id, student.name, dumped, student.also)).encode()

    def notebook(self, student: str, line: bytes) -> str:
        """The text of a student's notebook, from a line of the lock file alone."""
        name, questions = read_line(line)
        return student_notebook(self._header, student, name or student, questions)

    def _questions(self, student: str) -> list[Question]:
        found = []
        for number, (problem, points) in enumerate(zip(self._problems, self._header["points"], strict=True), start=1):
            question = pose(problem, seed_for(self._key, student, self._header["set"], problem.id))
            changed: dict[str, Any] = {"handle": f"q{number}"}
            if points is not None:
                changed["points"] = points
            found.append(question.model_copy(update=changed))
        return found

    def _must_ask_the_same(self, path: Path, student: Student, questions: Sequence[Question]) -> None:
        """Raise ShardwiseError when a notebook is out that asks something else than is drawn now: its lock would be lost."""
        if not asks_the_same(path, student_notebook(self._header, student.id, student.name, questions)):
            raise ShardwiseError(
                f"{path} is there already, no lock file holds its draws, and what is drawn now asks something else. If it is "
                "out, restore the lock file or the problems that it was drawn from; if not, --force writes it anew."
            )
