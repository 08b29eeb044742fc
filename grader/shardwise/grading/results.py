"""A result: what became of one submission. A worker makes it, the ledger keeps it, reports show it; here it becomes JSON."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

from shardwise import __version__
from shardwise.errors import ShardwiseError
from shardwise.question import Feedback, Outcome, Question

Status = Literal["graded", "ungraded", "missing"]


@dataclass(frozen=True)
class Answer:
    """A question of a submission, and what was said to its answer; neither its key nor its texts."""

    title: str
    kind: str
    draw: str  # a digest of the seed: who has the seed and the bank can draw the key
    digest: str  # of the template
    feedback: Feedback

    @property
    def slug(self) -> str:
        """The question's name in tables."""
        return self.feedback.question.rpartition("/")[2]

    @property
    def points(self) -> float | None:
        """The points earned; None where our side failed, which is never a zero."""
        return None if self.feedback.outcome == Outcome.BROKEN else self.feedback.points


@dataclass(frozen=True)
class Result:
    """What became of one submission.

    Its answers stay the JSON text that they were written as until somebody asks for them: tables need only the points.
    """

    student: str
    set: str = ""  # or the chapter of a practice notebook
    name: str = ""
    status: Status = "graded"
    reason: str = ""  # why it is not graded
    points: float | None = None  # None while anything is ungraded, which is never a zero
    max_points: float = 0
    late: bool = False
    notes: tuple[str, ...] = ()
    tier: str = ""  # of the sandbox
    version: str = __version__
    scores: Mapping[str, float | None] = field(default_factory=dict)  # points by question
    answers_json: str = "[]"
    path: str = ""  # of the notebook
    received: str = ""  # when, as ISO 8601 with an offset; empty where nobody knows
    received_by: str = ""  # who says so: file, archive, table, git or gradescope
    seconds: float = field(default=0.0, compare=False)  # that its worker took

    @property
    def complete(self) -> bool:
        """Whether every question has its points."""
        return self.status == "graded" and self.points is not None

    @cached_property
    def answers(self) -> tuple[Answer, ...]:
        """The answers, in the order of the questions. Raises ShardwiseError for a text that is not ours."""
        try:
            return tuple(
                Answer(data["title"], data["kind"], data["draw"], data["digest"], Feedback.model_validate(data))
                for data in json.loads(self.answers_json)
            )
        except (ValueError, TypeError, KeyError, RecursionError):
            raise ShardwiseError(
                f"The ledger is damaged: what {self.student} was told of {self.set} cannot be read. "
                "Take a copy of it from before, or move it away to grade anew."
            ) from None

    @property
    def feedback(self) -> tuple[Feedback, ...]:
        """What was said to each answer, in the order of the questions."""
        return tuple(answer.feedback for answer in self.answers)


def marked(result: Result, questions: Sequence[Question], feedback: Sequence[Feedback]) -> Result:
    """A result with its answers and the points that they earn."""
    answers = [
        Answer(question.title, question.kind, _draw(question.seed), question.digest, said)
        for question, said in zip(questions, feedback, strict=True)
    ]
    complete = all(answer.points is not None for answer in answers)
    return replace(
        result,
        points=round(sum(said.points for said in feedback), 4) if complete else None,
        max_points=round(sum(said.max_points for said in feedback), 4),
        scores={answer.slug: answer.points for answer in answers},
        answers_json=json.dumps([_document(answer) for answer in answers], ensure_ascii=False),
    )


def _draw(seed: str) -> str:
    return hashlib.sha256(seed.encode()).hexdigest()[:16]


def _document(answer: Answer) -> dict[str, object]:
    about = {"title": answer.title, "kind": answer.kind, "draw": answer.draw, "digest": answer.digest}
    return {**answer.feedback.model_dump(mode="json"), **about}


def to_json(result: Result) -> str:
    """A result as JSON, without keys, for it may be handed on; the answers come last, as the text that they are."""
    names = ("path", "student", "name", "set", "status", "reason", "points", "max_points", "late", "received", "received_by", "notes", "tier", "version")  # fmt: skip
    head = json.dumps({name: getattr(result, name) for name in names}, ensure_ascii=False)
    return f'{head.removesuffix("}")}, "questions": {result.answers_json}}}'
