"""Drawing for a class: each student gets a line of the lock file and a notebook."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from shardwise.bank.bank import Catalogue, Problem
from shardwise.bank.posing import pose
from shardwise.course.assigning.handed_out import asks_the_same
from shardwise.course.assigning.lockfile import choice_in, line_of, read_line, student_line
from shardwise.course.assigning.roster import Student
from shardwise.course.collecting.students_notebook import student_notebook
from shardwise.errors import ShardwiseError
from shardwise.question import Question


def seed_for(key: bytes, student: str, set_name: str, problem: str) -> str:
    """Return the seed of a student's question: an HMAC-SHA256, so that nobody can predict it without the key."""
    text = "\0".join((student, set_name, problem))
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()[:24]


class Maker:
    """Maker of students' lines and notebooks. `header` is the lock file's, which names the problems."""

    def __init__(self, bank: Catalogue, header: Mapping[str, Any], key: bytes) -> None:
        self._header, self._key = header, key
        entries = map(choice_in, header["problems"])
        self._entries = [([bank.find(name) for name in names], choose) for names, choose in entries]

    def line(self, student: Student, out: Path | None) -> bytes:
        """Return a student's line of the lock file, not signed yet.

        Raises ShardwiseError if a notebook at `out` asks other questions than those drawn now.
        """
        questions = self._questions(student.id)
        if out is not None and out.exists():
            self._must_ask_the_same(out, student, questions)
        dumped = [question.model_dump(mode="json") for question in questions]
        return line_of(student_line(student.id, student.name, dumped, student.also, student.section)).encode()

    def notebook(self, student: str, line: bytes, section: str) -> str:
        """Return the text of a student's notebook, made only from the lock file."""
        name, questions = read_line(line)
        return student_notebook(self._header, student, name or student, questions, section)

    def _questions(self, student: str) -> list[Question]:
        found: list[Question] = []
        for problem, points in self._chosen(student):
            question = pose(problem, seed_for(self._key, student, self._header["set"], problem.id))
            changed: dict[str, Any] = {"handle": f"q{len(found) + 1}"}
            if points is not None:
                changed["points"] = points
            found.append(question.model_copy(update=changed))
        return found

    def _chosen(self, student: str) -> Iterator[tuple[Problem, float | None]]:
        """Yield a student's problems with the set's points; the chosen ones of a pool are in the pool's order."""
        for (problems, choose), points in zip(self._entries, self._header["points"], strict=True):
            ranks = {each.id: seed_for(self._key, student, self._header["set"], f"pool {each.id}") for each in problems}
            chosen = sorted(ranks, key=ranks.__getitem__)[:choose]
            yield from ((problem, points) for problem in problems if problem.id in chosen)

    def _must_ask_the_same(self, path: Path, student: Student, questions: Sequence[Question]) -> None:
        """Raise ShardwiseError if an existing notebook asks other questions than those drawn now: it could not be graded."""
        if not asks_the_same(path, student_notebook(self._header, student.id, student.name, questions)):
            raise ShardwiseError(
                f"{path} already exists, but no lock file has its draws, and the questions drawn now are different. If a student has "
                "it, restore the lock file or the problems that it was drawn from. If not, use --force to overwrite it."
            )
