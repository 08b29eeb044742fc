"""Responses: the answers of a class to a set, question by question, each with the question as it was drawn."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean
from typing import Any

import numpy as np

from shardwise.analysis.measures import Numbers
from shardwise.course.assigning.lockfile import Lock
from shardwise.errors import Unreadable
from shardwise.grading.results import Result
from shardwise.kinds import kind_of
from shardwise.question import Feedback, Outcome, Question


@dataclass(frozen=True)
class Response:
    """One student's answer to one question, with its feedback."""

    student: str
    question: Question
    feedback: Feedback

    @property
    def credit(self) -> float:
        """The share of the points; nan if the grader failed."""
        said = self.feedback
        if said.outcome == Outcome.BROKEN:
            return math.nan
        return said.points / said.max_points if said.max_points else said.credit

    @cached_property
    def value(self) -> Any:
        """The answer as its kind parses it; None if it could not be read."""
        try:
            read = self.feedback.read
            return kind_of(self.question).parse(self.question.form, read) if read else None
        except Unreadable:  # another version of the grader read it
            return None


@dataclass(frozen=True)
class ItemResponses:
    """A problem of the set, with the responses of every student who got it."""

    slug: str
    title: str
    kind: str
    responses: tuple[Response, ...]

    @property
    def points(self) -> float:
        """The question points."""
        return self.responses[0].feedback.max_points

    @property
    def credits(self) -> Numbers:
        """The credit of each response."""
        return np.array([response.credit for response in self.responses])

    def share(self, outcome: Outcome) -> float:
        """Return the share of the responses with this outcome."""
        return sum(response.feedback.outcome == outcome for response in self.responses) / len(self.responses)


@dataclass(frozen=True)
class ClassResponses:
    """The responses of a class to a set, from its graded notebooks."""

    results: tuple[Result, ...]  # one for each student
    items: tuple[ItemResponses, ...]  # in the order of the set
    unmatched: int = 0  # answers to questions that are not in the lock file

    @cached_property
    def graded(self) -> tuple[Result, ...]:
        """The results with points."""
        return tuple(result for result in self.results if result.complete)

    @cached_property
    def points(self) -> Numbers:
        """The points of each graded student (row) for each item (column); nan where the item does not count for the student."""
        return self._table(lambda response: response.credit * (response.feedback.max_points or math.nan))

    @cached_property
    def credits(self) -> Numbers:
        """The credit of each response, in the same rows and columns; nan where the student was not asked the item."""
        return self._table(lambda response: response.credit)

    @cached_property
    def most(self) -> Numbers:
        """The largest possible points, in the same rows and columns."""
        return self._table(lambda response: response.feedback.max_points)

    def _table(self, value: Callable[[Response], float]) -> Numbers:
        rows = {result.student: row for row, result in enumerate(self.graded)}
        table = np.full((len(rows), len(self.items)), np.nan)
        for column, item in enumerate(self.items):
            for response in item.responses:
                if response.student in rows:
                    table[rows[response.student], column] = value(response)
        return table


def responses_of(results: Iterable[Result], lock: Lock) -> ClassResponses:
    """Return the responses of a class, with the questions from its lock file. Raises ShardwiseError for a damaged lock file."""
    counted = tuple(_per_student(result for result in results if result.set == lock.set_name))
    found: dict[str, list[Response]] = defaultdict(list)
    places: dict[str, list[int]] = defaultdict(list)
    unmatched = 0
    for result in counted:
        asked = _questions(lock, result.student) if result.status == "graded" else {}
        for place, answer in enumerate(result.answers if result.status == "graded" else ()):
            question = asked.get(answer.feedback.question)
            if question is None:
                unmatched += 1
                continue
            found[question.id].append(Response(result.student, question, answer.feedback))
            places[question.id].append(place)
    items = [
        ItemResponses(of[0].question.slug, of[0].question.title, of[0].question.kind, tuple(of))
        for name, of in sorted(found.items(), key=lambda pair: fmean(places[pair[0]]))  # in a pool, its place varies
    ]
    return ClassResponses(counted, tuple(items), unmatched)


def _questions(lock: Lock, student: str) -> Mapping[str, Question]:
    return {question.id: question for question in lock.questions(student)} if student in lock.places else {}


def _per_student(results: Iterable[Result]) -> Iterator[Result]:
    """Yield one result for each student, the last graded one or else the last, and every notebook whose owner is unknown."""
    by_student: dict[str, Result] = {}
    for result in results:
        before = by_student.get(result.student)
        if not result.student:
            yield result
        elif before is None or result.status == "graded" or before.status != "graded":
            by_student[result.student] = result
    yield from by_student.values()
