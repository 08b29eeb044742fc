"""The result of one submission: what a worker gives back, a ledger keeps and reports show."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from shardwise import __version__
from shardwise.question import Feedback, Outcome, Question


@dataclass(frozen=True)
class Marked:
    """A question of a submission, and what was said to its answer."""

    title: str
    kind: str
    seed: str
    digest: str  # of the template
    feedback: Feedback

    @classmethod
    def of(cls, question: Question, feedback: Feedback) -> Marked:
        """What is kept of a question: neither its key nor its texts."""
        return cls(question.title, question.kind, question.seed, question.digest, feedback)

    @property
    def slug(self) -> str:
        """The question's name in tables."""
        return self.feedback.question.rpartition("/")[2]

    @property
    def points(self) -> float | None:
        """The points earned; None where our side failed, which is never a zero."""
        return None if self.feedback.outcome == Outcome.BROKEN else self.feedback.points


@dataclass(frozen=True)
class Graded:
    """What became of one submission. `status` is graded, ungraded (with a reason) or missing."""

    path: str
    student: str
    name: str = ""
    set: str = ""
    status: str = "graded"
    reason: str = ""
    answers: tuple[Marked, ...] = ()
    notes: tuple[str, ...] = ()
    late: bool = False
    tier: str = ""
    version: str = __version__

    @property
    def feedback(self) -> tuple[Feedback, ...]:
        """What was said to each answer, in the order of the questions."""
        return tuple(one.feedback for one in self.answers)

    @property
    def complete(self) -> bool:
        """Whether every question has its points."""
        return self.status == "graded" and all(one.points is not None for one in self.answers)

    @property
    def points(self) -> float | None:
        """The points earned; None while anything is ungraded, which is never a zero."""
        return round(sum(one.feedback.points for one in self.answers), 4) if self.complete else None

    @property
    def max_points(self) -> float:
        """The points that could be earned."""
        return round(sum(one.feedback.max_points for one in self.answers), 4)

    def document(self) -> dict[str, Any]:
        """The result as plain data; without keys, for it may be handed on."""
        return {
            "path": self.path,
            "student": self.student,
            "name": self.name,
            "set": self.set,
            "status": self.status,
            "reason": self.reason,
            "points": self.points,
            "max_points": self.max_points,
            "late": self.late,
            "notes": list(self.notes),
            "tier": self.tier,
            "version": self.version,
            "questions": [
                {
                    **one.feedback.model_dump(mode="json"),
                    "title": one.title,
                    "kind": one.kind,
                    "seed": one.seed,
                    "digest": one.digest,
                }
                for one in self.answers
            ],
        }


def from_document(data: Mapping[str, Any]) -> Graded:
    """A result out of its document."""
    answers = tuple(
        Marked(one["title"], one["kind"], one["seed"], one["digest"], Feedback.model_validate(one))
        for one in data["questions"]
    )
    texts = {
        name: str(data[name]) for name in ("path", "student", "name", "set", "status", "reason", "tier", "version")
    }
    return Graded(**texts, answers=answers, notes=tuple(data["notes"]), late=bool(data["late"]))


@dataclass(frozen=True)
class Row:
    """One line of the reports: what was earned, and the whole result as text."""

    path: str
    student: str
    set: str
    status: str  # graded, ungraded or missing
    reason: str = ""
    name: str = ""
    points: float | None = None
    max_points: float | None = None
    late: bool = False
    tier: str = ""
    scores: Mapping[str, float | None] | None = None
    document: str = ""  # JSON: the whole result, but for the notebook's path

    @classmethod
    def of(cls, graded: Graded) -> Row:
        """A result as a row."""
        told = {
            name: getattr(graded, name)
            for name in ("path", "student", "set", "status", "reason", "name", "late", "tier")
        }
        if graded.status != "graded":
            return cls(**told)
        scores = {one.slug: one.points for one in graded.answers}
        document = json.dumps({**graded.document(), "path": ""}, ensure_ascii=False)
        return cls(**told, points=graded.points, max_points=graded.max_points, scores=scores, document=document)

    @property
    def complete(self) -> bool:
        """Whether every question has its points."""
        return self.points is not None

    @property
    def graded(self) -> Graded:
        """The whole result."""
        if self.status != "graded":
            return Graded(self.path, self.student, self.name, self.set, self.status, self.reason)
        return replace(from_document(json.loads(self.document)), path=self.path)
