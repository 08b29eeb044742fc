"""Rulings: what the overrides say about one student's notebook and each of its questions, as frozen data for a worker."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from shardwise.errors import ShardwiseError, Unreadable
from shardwise.grading.overrides.model import Accept, LateRule
from shardwise.kinds import kind_of
from shardwise.kinds.answers import parsed_answer
from shardwise.kinds.base import NumericKind
from shardwise.markdown.plain import to_plain
from shardwise.marking import UNMARKED
from shardwise.question import Feedback, Outcome, Question, in_points
from shardwise.template.expressions import evaluate


@dataclass(frozen=True)
class Ruling:
    """The decisions about one question of a student."""

    points: float | None = None
    at_least: float | None = None
    accepted: tuple[tuple[Accept, float | None], ...] = ()  # with the points that it earns, unless it earns all
    is_dropped: bool = False
    is_bonus: bool = False
    notes: tuple[str, ...] = ()  # for the student
    reasons: tuple[str, ...] = ()  # for the record

    def accepting(self, question: Question, raw: Any, feedback: Feedback) -> Feedback:
        """Return the feedback on an answer, which earns points if the instructor accepts it."""
        for accept, points in self.accepted:
            earned = question.points if points is None else min(points, question.points)
            share = earned / question.points if question.points else 1.0  # also if the question does not count
            is_gain = earned > feedback.points if question.points else share > feedback.credit
            if is_gain and _is_accepted(accept, question, raw, feedback):
                judged = Feedback.judged(question, share, "Your instructor accepts this answer.")
                return judged.model_copy(update={"points": earned, "read": feedback.read, "mistake": feedback.mistake})
        return feedback

    def applied(self, feedback: Feedback) -> Feedback:
        """Return the feedback with the points that the instructor decided, and notes for the student first."""
        before, most = feedback.points, feedback.max_points
        points = before if self.points is None else self.points
        points = max(points, self.at_least or 0.0)
        remarks, said = list(self.notes), feedback.remarks
        outcome = feedback.outcome
        if self.is_dropped and outcome == Outcome.BROKEN:  # an error in the grader matters no longer
            outcome = Outcome.INCORRECT
        if self.points is not None or points != before:
            remarks.insert(0, f"Your instructor gave this answer {points:g} of {most:g} points.")
            said = tuple(remark for remark in said if remark != UNMARKED)
            outcome = Outcome.CORRECT if points >= most else Outcome.PARTIAL if points > 0 else Outcome.INCORRECT
        if self.is_dropped:
            points, most = 0.0, 0.0
            remarks.insert(0, "This question does not count.")
        elif self.is_bonus:
            most = 0.0
            remarks.insert(0, "This is a bonus question: its points are added to your total.")
        if not remarks and points == before:
            return feedback
        changed = {"points": points, "max_points": most, "outcome": outcome, "remarks": (*remarks, *said)}
        return feedback.model_copy(update=changed)


def _is_accepted(accept: Accept, question: Question, raw: Any, feedback: Feedback) -> bool:
    """Return whether an answer is the one that the instructor accepts."""
    if accept.feedback is not None:
        words = _plain(accept.feedback)  # from a page or from results.jsonl, which has Markdown
        return words in _plain(feedback.say) or words in _plain(to_plain(feedback.say))
    kind = kind_of(question)
    if accept.answer is not None and isinstance(raw, str) and _plain(raw) == _plain(accept.answer):
        return True
    try:
        given = parsed_answer(kind, question.form, raw)
        if given is None:
            return False
        if isinstance(kind, NumericKind):
            return kind.is_near(question.form, _with_key(kind, question, accept), kind.given(question, given))
        other = parsed_answer(kind, question.form, accept.answer)
    except (Unreadable, ShardwiseError):  # either cannot be read for these numbers
        return False
    return bool(given == other) or kind.read(question.form, given) == kind.read(question.form, other)


def _with_key(kind: NumericKind[Any, Any, Any], question: Question, accept: Accept) -> Any:
    """Return the key that a numeric question would have if the accepted answer were right."""
    if accept.expression is not None:
        number = float(evaluate(accept.expression, {"key": kind.number(question.key)}))
    else:
        number = kind.given(question, parsed_answer(kind, question.form, accept.answer))
    return kind.with_number(question.key, number)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


@dataclass(frozen=True)
class StudentRulings:
    """The decisions about one student's notebook for a set."""

    questions: Mapping[str, Ruling] = field(default_factory=dict)  # by slug
    points: float | None = None  # of the whole notebook
    excused: str = ""  # why the set does not count for the student
    due: datetime | None = None  # the student's own due date
    late: LateRule | None = None
    attempts: str = ""
    notes: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self != NO_RULINGS

    def on(self, question: Question) -> Ruling:
        """Return the ruling on a question."""
        return self.questions.get(question.slug, _NO_RULING)

    def given(self, max_points: float) -> str:
        """Return the note on the points that the instructor gave the notebook; empty if they gave none."""
        return "" if self.points is None else f"{GIVEN}{self.points:g} of {max_points:g} points."

    @property
    def decided(self) -> Mapping[str, str]:
        """The decisions on questions, with their reasons."""
        return {slug: "; ".join(ruling.reasons) for slug, ruling in self.questions.items()}

    def max_points(self, questions: tuple[Question, ...] | list[Question]) -> float:
        """Return the points of a notebook without dropped and bonus questions."""
        counted = (each.points for each in questions if not (self.on(each).is_dropped or self.on(each).is_bonus))
        return round(sum(counted), 4)

    def deduction(self, days: int, max_points: float, earned: float) -> tuple[float, str]:
        """Return the points that a late notebook loses, at most those that it earned, and a note for the student.

        Without a loss, the note is empty.
        """
        points = min(self.late.deduction(days, max_points), earned) if self.late and days else 0.0
        if not points:
            return 0.0, ""
        lateness = "1 day" if days == 1 else f"{days} days"
        return points, f"Handed in up to {lateness} late: {in_points(points)} deducted."


GIVEN = "Your instructor gave this notebook "
_NO_RULING = Ruling()
NO_RULINGS = StudentRulings()
