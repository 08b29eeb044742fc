"""Questions: a problem drawn for a seed, self-contained so that a lock file can store it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer, SerializeAsAny

PRAISE = "Correct."


class Outcome(StrEnum):
    """The outcome of marking an answer."""

    CORRECT = "correct"
    PARTIAL = "partial"
    INCORRECT = "incorrect"
    UNREADABLE = "unreadable"  # cannot be read, which is not wrong
    BLANK = "blank"
    BROKEN = "broken"  # an error in the grader, never a zero


class Form(BaseModel):
    """The data that a kind needs to read an answer, all of which a student may see.

    `aids` are fields that only help to read an answer: they may change after a set was assigned.
    """

    aids: ClassVar[frozenset[str]] = frozenset()
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class Key(BaseModel):
    """The data that a kind needs to mark an answer, none of which a student may see."""

    model_config = ConfigDict(extra="forbid", frozen=True, ser_json_inf_nan="constants", defer_build=True)


class Question(BaseModel):
    """A problem as a student sees it, with its key, independent of templates and references."""

    model_config = ConfigDict(frozen=True)

    id: str
    seed: str
    kind: str
    title: str
    points: float
    difficulty: str = "medium"
    params: Mapping[str, Any]
    prompt: str  # the author's text; the kind's part, such as options, is in the form
    hints: tuple[str, ...]
    solution: str
    takeaway: str = ""  # a sentence of the solution, shown after a right answer
    form: SerializeAsAny[Form]
    key: SerializeAsAny[Key]
    digest: str  # the template's digest
    rejected: int = 0
    handle: str = ""  # its name in a graded notebook, which reveals nothing about the bank

    @property
    def slug(self) -> str:
        """The last part of the id."""
        return self.id.rpartition("/")[2]

    @property
    def cell(self) -> str:
        """Its name in the metadata of a notebook's cells."""
        return self.handle or self.id

    @property
    def name(self) -> str:
        """The prefix of the ids of a notebook's cells."""
        return self.handle or self.slug

    @property
    def variable(self) -> str:
        """The name of the answer's variable in a notebook."""
        return self.slug.replace("-", "_")


class Bar(BaseModel):
    """A bar of a timeline, from one time to another, with a short label; `wrong` marks an error."""

    model_config = ConfigDict(frozen=True)

    start: int
    end: int
    label: str
    look: Literal["blue", "orange", "green", "wrong"]
    why: str = ""  # what is wrong with it, in plain text


class TimelineRow(BaseModel):
    """A row of a timeline, with its bars in order and without overlaps."""

    model_config = ConfigDict(frozen=True)

    label: str
    bars: tuple[Bar, ...]


class Timeline(BaseModel):
    """A timeline as plain data; the front end draws it and escapes its texts."""

    model_config = ConfigDict(frozen=True)

    about: str  # a description for readers who cannot see it
    rows: tuple[TimelineRow, ...]
    end: int  # slots up to here that no bar covers are idle
    mark: int | None = None  # a target for the end
    idle: str = ""  # which slots are idle, in words, for a reader who has no chart


class Note(BaseModel):
    """The outcome of a part of a question, which a form shows next to the part (`say` is Markdown)."""

    model_config = ConfigDict(frozen=True)

    outcome: Outcome
    earned: float
    say: str = ""


class Guess(BaseModel):
    """The quality of an estimate: its error in powers of ten, whether that is close enough, and the student's confidence."""

    model_config = ConfigDict(frozen=True)

    off: float  # positive if it was too high
    hit: bool
    confidence: float  # from 0 to 1


def in_points(points: float) -> str:
    """Return points in words.

    >>> in_points(1), in_points(2.5)
    ('1 point', '2.5 points')
    """
    return f"{points:g} point{'' if points == 1 else 's'}"


def right_in_words(right: int, total: int, items: str = "") -> str:
    """Return how many items are right, as a sentence.

    >>> right_in_words(1, 5), right_in_words(24, 25, "calls")
    ('1 of 5 is right.', '24 of 25 calls are right.')
    """
    return " ".join(filter(None, [f"{right} of {total}", items, "is" if right == 1 else "are", "right."]))


def _joined(remarks: Iterable[str]) -> str:
    return "\n\n".join(filter(None, remarks))


class Feedback(BaseModel):
    """The feedback on an answer: a kind creates it, marking completes it, and a front end may add remarks.

    In JSON, the remarks are one text, `say`, and fields for use in this process are omitted.
    """

    model_config = ConfigDict(frozen=True, validate_by_name=True, serialize_by_alias=True)

    question: str
    outcome: Outcome | None  # None: read but not judged
    credit: float = 0.0  # the share of the points
    points: float = 0.0
    max_points: float
    read: str = ""  # how the answer was read
    written: str = ""  # the beginning of an answer that could not be read, or only partly
    unread: str = ""  # why some parts of an answer could not be read
    remarks: Annotated[
        tuple[str, ...],
        BeforeValidator(lambda given: (given,) if isinstance(given, str) else given),
        PlainSerializer(_joined, return_type=str),
    ] = Field((), alias="say")  # Markdown, in order; the first belongs to the verdict
    mistake: int | None = None  # index of the recognised mistake, from 0
    parts: Mapping[str, bool] = Field(default_factory=dict)
    earned: Mapping[str, float] = Field(default_factory=dict)  # the points of each part, if parts have points
    notes: Mapping[str, Note] = Field(default_factory=dict, exclude=True)  # the remarks by part
    picture: Timeline | None = None
    guess: Guess | None = Field(None, exclude=True)  # for an estimate, for the student's calibration

    @property
    def say(self) -> str:
        """The remarks as one text."""
        return _joined(self.remarks)

    @classmethod
    def judged(
        cls,
        question: Question,
        credit: float,
        *remarks: str,
        is_right: bool | None = None,
        mistake: int | None = None,
        parts: Mapping[str, bool] | None = None,
        earned: Mapping[str, float] | None = None,
        notes: Mapping[str, Note] | None = None,
        picture: Timeline | None = None,
        guess: Guess | None = None,
    ) -> Self:
        """Return feedback on an answer that earns a share of the points; by default it is correct if that is all of them."""
        right = credit >= 1 if is_right is None else is_right
        praise = (PRAISE,) if credit >= 1 else ()
        return cls(
            question=question.id,
            outcome=Outcome.CORRECT if right else Outcome.PARTIAL if credit > 0 else Outcome.INCORRECT,
            credit=credit,
            # Rounded to hundredths: never more than the maximum, and all points for a correct answer.
            points=question.points if credit >= 1 else min(question.points, round(question.points * credit, 2)),
            max_points=question.points,
            remarks=remarks if any(remarks) else praise,
            mistake=mistake,
            parts=parts or {},
            earned=earned or {},
            notes=notes or {},
            picture=picture,
            guess=guess,
        )

    def saying(self, *remarks: str) -> Self:
        """Return the same feedback with these remarks instead."""
        return self.model_copy(update={"remarks": remarks})
