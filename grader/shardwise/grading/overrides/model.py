"""The entries of `overrides.yaml`: one decision each, the students it applies to, and the reason."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Discriminator, Field, PlainSerializer, Tag, model_validator

from shardwise.course.assigning.dates import DueDate
from shardwise.errors import ShardwiseError
from shardwise.template.expressions import evaluate
from shardwise.template.model import AuthorModel, Expression

_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*(min|minutes?|h|hours?|d|days?)")
_SECONDS = {"m": 60, "h": 3600, "d": 86400}
_MOST_POINTS = 10_000  # a larger number is a typo
_LONGEST = timedelta(days=366)


class Deduction(AuthorModel):
    """Points to deduct, as a number or as a share of the notebook's points."""

    points: float = 0
    share: float = 0

    def of(self, max_points: float) -> float:
        """Return the points to deduct from a notebook with these points."""
        return self.points + self.share * max_points

    def written(self) -> str:
        """Return the amount as an author writes it."""
        return f"{self.share * 100:g}%" if self.share else f"{self.points:g}"


def _deduction(value: Any) -> Any:
    """Read an amount such as 2 or 10%. Raises ValueError."""
    if isinstance(value, dict):
        return value
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(%?)", str(value).strip())
    if isinstance(value, bool) or not found or float(found[1]) > (100 if found[2] else _MOST_POINTS):
        raise ValueError(f"an amount is a number of points or a percentage, such as 2 or 10%, not {value!r}")
    return {"share": float(found[1]) / 100} if found[2] else {"points": float(found[1])}


def _duration(value: Any) -> Any:
    """Read a duration such as 15 min. Raises ValueError."""
    if isinstance(value, timedelta):
        return value
    if not (found := _DURATION.fullmatch(str(value).strip())):
        raise ValueError(f"a duration looks like 15 min, 2 h or 1 day, not {value!r}")
    seconds = float(found[1]) * _SECONDS[found[2][0]]
    if seconds > _LONGEST.total_seconds():
        raise ValueError(f"a duration is at most {_LONGEST.days} days, not {value!r}")
    return timedelta(seconds=seconds)


def _written(duration: timedelta) -> str:
    return f"{duration.total_seconds() / 60:g} min"


_Deduction = Annotated[
    Deduction,
    BeforeValidator(_deduction, json_schema_input_type=str | float),
    PlainSerializer(Deduction.written, return_type=str),
]
_Duration = Annotated[
    timedelta,
    BeforeValidator(_duration, json_schema_input_type=str),
    PlainSerializer(_written, return_type=str),
]


class LateRule(AuthorModel):
    """The rule for late notebooks: what each day costs."""

    per_day: _Deduction = Field(
        description="Deduction for each day that has begun since the due date: points, or a percentage such as 10%."
    )
    grace: _Duration = Field(timedelta(), description="How late a notebook may be without being late, such as 15 min.")
    cap: _Deduction | None = Field(None, description="The largest deduction, such as 50%.")

    def deduction(self, days: int, max_points: float) -> float:
        """Return the points that a notebook loses after this many days."""
        deducted = self.per_day.of(max_points) * days
        return round(min(deducted, self.cap.of(max_points)) if self.cap else deducted, 2)


class Accept(AuthorModel):
    """An answer that also counts as right. Exactly one of the fields is given."""

    answer: str | None = Field(
        None, min_length=1, description="The answer as a student gives it, such as 42 GB or the text of an option."
    )
    expression: Expression | None = Field(
        None,
        description="A number in base units, such as 2 * key, where key is the student's right answer.",
    )
    feedback: str | None = Field(
        None, min_length=8, description="Words of the feedback: every answer that got this feedback counts."
    )

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if sum(value is not None for value in (self.answer, self.expression, self.feedback)) != 1:
            raise ValueError("accept takes exactly one of answer, expression and feedback")
        if self.expression is not None:
            try:
                float(evaluate(self.expression, {"key": 2.0}))
            except (ShardwiseError, TypeError, ValueError) as error:
                raise ValueError(f"the expression can only calculate with key: {error}") from None
        return self


def _names(value: Any) -> Any:
    """Read one name or a list of names. Raises ValueError for an empty list, which would otherwise mean everybody."""
    if isinstance(value, str | int):
        return (str(value),)
    if isinstance(value, tuple | list) and not value:
        raise ValueError("an empty list is about nobody; leave it out if you mean everybody")
    numbers_as_text = isinstance(value, tuple | list)
    return tuple(str(each) if isinstance(each, int) else each for each in value) if numbers_as_text else value


def _sort_of_lateness(value: Any) -> str:
    """Return the tag of a late rule, `none` or a rule, so that pydantic reports faults of that one only."""
    return "none" if value == "none" else "rule"


_Names = Annotated[tuple[str, ...], BeforeValidator(_names, json_schema_input_type=str | list[str])]
_Yes = Literal[True]
_Points = Annotated[float, Field(ge=0, le=_MOST_POINTS)]
_Late = Annotated[
    Annotated[LateRule, Tag("rule")] | Annotated[Literal["none"], Tag("none")], Discriminator(_sort_of_lateness)
]


class Override(AuthorModel):
    """One decision, the students it applies to, and the reason."""

    set: str = Field(
        "", description="The set's name. Without it, a late rule or a choice of attempts holds for all sets."
    )
    student: _Names = Field((), description="Students by id, alias or name. Without students and sections: everybody.")
    section: _Names = Field((), description="Sections of the roster.")
    question: str = Field("", description="The question: its problem's slug or id.")
    points: _Points | None = Field(
        None,
        description="Points of the question, or of the notebook if no question is named; with accept, points of the accepted answer.",
    )
    at_least: _Points | None = Field(None, description="Points that the question earns even if the grader gives fewer.")
    accept: Accept | None = Field(None, description="An answer that also counts as right, for everybody who gave it.")
    drop: _Yes | None = Field(None, description="The question counts for nobody: neither its points nor its maximum.")
    bonus: _Yes | None = Field(None, description="The question's points count, but its maximum does not.")
    excuse: _Yes | None = Field(None, description="The set does not count for these students.")
    due: DueDate | None = Field(None, description="Their due date, such as 2026-12-08T23:59:00+01:00.")
    late: _Late | None = Field(None, description="What lateness costs; none: nothing.")
    attempts: Literal["last", "best", "average"] | None = Field(
        None, description="Which of a student's notebooks counts."
    )
    note: str = Field("", description="Words for the student, shown on the feedback page.")
    why: str = Field(min_length=3, description="The reason, for the record; students do not see it.")
    by: str = Field("", description="Who decided; `shardwise override` writes it.")
    at: str = Field("", description="When; `shardwise override` writes it.")

    @property
    def action(self) -> str:
        """The name of the field with the decision."""
        return next((name for name in ACTIONS if getattr(self, name) is not None), "note")

    @model_validator(mode="after")
    def _makes_sense(self) -> Self:
        given = [name for name in ACTIONS if getattr(self, name) is not None]
        if given == ["accept", "points"]:
            given = ["accept"]
        if len(given) > 1:
            raise ValueError(
                f"an entry decides one thing, but this one has {' and '.join(given)}: write one entry for each"
            )
        if not given and not self.note:
            raise ValueError(f"an entry needs a decision: {', '.join(ACTIONS)} or note")
        if missing := self._missing():
            raise ValueError(f"{self.action} needs {missing}")
        return self

    def _missing(self) -> str:
        """Return what an entry needs but lacks: a set, a question or students; empty for a complete entry."""
        action, is_for_some = self.action, bool(self.student or self.section)
        if not self.set and action not in ("late", "attempts"):
            return "a set"
        if action in ("accept", "drop", "bonus", "at_least") and not self.question:
            return "a question"
        if not is_for_some and action == "due":
            return "a student or a section. To change it for everybody, edit the set and run `shardwise assign` again"
        if not is_for_some and (action == "excuse" or (action == "points" and not self.question)):
            return "a student or a section"
        if self.question and action in ("excuse", "due", "late", "attempts"):
            return "no question: it is about the whole notebook"
        return ""


ACTIONS = ("accept", "points", "at_least", "drop", "bonus", "excuse", "due", "late", "attempts")
