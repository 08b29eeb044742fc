"""A question: one problem drawn for one seed, complete in itself, so that a lock file can keep it for good."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer, SerializeAsAny

PRAISE = "Correct."


class Outcome(StrEnum):
    """What became of an answer."""

    CORRECT = "correct"
    PARTIAL = "partial"
    INCORRECT = "incorrect"
    UNREADABLE = "unreadable"  # cannot be read, and is not wrong
    BLANK = "blank"
    BROKEN = "broken"  # our fault, never a zero


class Form(BaseModel):
    """What a kind must know to read an answer: nothing that a student may not see.

    `aids` are its fields that help to read an answer and ask for none: they may change after a set was handed out.
    """

    aids: ClassVar[frozenset[str]] = frozenset()
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class Key(BaseModel):
    """What a kind must know to mark an answer: nothing that a student may see."""

    model_config = ConfigDict(extra="forbid", frozen=True, ser_json_inf_nan="constants", defer_build=True)


class Question(BaseModel):
    """One problem as one student sees it, with its key. Needs neither template nor reference any more."""

    model_config = ConfigDict(frozen=True)

    id: str
    seed: str
    kind: str
    title: str
    points: float
    difficulty: str = "medium"
    params: Mapping[str, Any]
    prompt: str  # what the author wrote; the kind's own part, such as options, is in the form
    hints: tuple[str, ...]
    solution: str
    takeaway: str = ""  # a sentence of the solution, shown after a right answer
    form: SerializeAsAny[Form]
    key: SerializeAsAny[Key]
    digest: str  # of the template this was drawn from
    rejected: int = 0
    handle: str = ""  # what a graded notebook calls it; tells nothing of the bank

    @property
    def slug(self) -> str:
        """The last part of the id."""
        return self.id.rpartition("/")[2]

    @property
    def cell(self) -> str:
        """What the metadata of a notebook's cells call it."""
        return self.handle or self.id

    @property
    def name(self) -> str:
        """What the ids of a notebook's cells begin with."""
        return self.handle or self.slug

    @property
    def variable(self) -> str:
        """The name that the answer has in a notebook."""
        return self.slug.replace("-", "_")


class Bar(BaseModel):
    """Something that lasts from one time to another, with a short label; `wrong` where it is what went wrong."""

    model_config = ConfigDict(frozen=True)

    start: int
    end: int
    label: str
    look: Literal["blue", "orange", "green", "wrong"]


class TimelineRow(BaseModel):
    """The bars of one row of a timeline, in their order and apart from each other."""

    model_config = ConfigDict(frozen=True)

    label: str
    bars: tuple[Bar, ...]


class Timeline(BaseModel):
    """A picture as plain data: who did what when. Where it is shown it is drawn, and every text of it escaped."""

    model_config = ConfigDict(frozen=True)

    about: str  # what it shows, for those who do not see it
    rows: tuple[TimelineRow, ...]
    end: int  # what no bar covers from 0 to here is idle
    mark: int | None = None  # a time to which the end is held


class Note(BaseModel):
    """What became of a part of a question, for a form that shows it next to the part (`say` is Markdown)."""

    model_config = ConfigDict(frozen=True)

    outcome: Outcome
    earned: float
    say: str = ""


class Guess(BaseModel):
    """How good an estimate was: its error in powers of ten, whether that was near enough, and how sure its author was."""

    model_config = ConfigDict(frozen=True)

    off: float  # above 0 when it was too high
    hit: bool
    confidence: float  # from 0 to 1


def _joined(remarks: Iterable[str]) -> str:
    return "\n\n".join(filter(None, remarks))


class Feedback(BaseModel):
    """What became of an answer: a kind makes it, marking completes it, and whoever shows it may add remarks.

    JSON has the remarks as one text, `say`, and omits what only this process uses.
    """

    model_config = ConfigDict(frozen=True, validate_by_name=True, serialize_by_alias=True)

    question: str
    outcome: Outcome | None  # None: read, and not judged here
    credit: float = 0.0  # the share of the points
    points: float = 0.0
    max_points: float
    read: str = ""  # how the answer was read
    written: str = ""  # the beginning of an answer that could not be read, or not in every part
    unread: str = ""  # why parts of an answer could not be read, where others were
    remarks: Annotated[
        tuple[str, ...],
        BeforeValidator(lambda given: (given,) if isinstance(given, str) else given),
        PlainSerializer(_joined, return_type=str),
    ] = Field((), alias="say")  # Markdown, in order; the first is the verdict's own
    mistake: int | None = None  # which recognised mistake it was, counted from 0
    parts: Mapping[str, bool] = Field(default_factory=dict)
    earned: Mapping[str, float] = Field(default_factory=dict)  # the points of each part, where parts have points
    notes: Mapping[str, Note] = Field(default_factory=dict, exclude=True)  # the remarks again, part by part
    picture: Timeline | None = None
    guess: Guess | None = Field(None, exclude=True)  # of an answer that is an estimate, for the student's calibration

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
        """Return the feedback to an answer that earns a share of the points; it is right when it earns them all, unless said."""
        right = credit >= 1 if is_right is None else is_right
        praise = (PRAISE,) if credit >= 1 else ()
        return cls(
            question=question.id,
            outcome=Outcome.CORRECT if right else Outcome.PARTIAL if credit > 0 else Outcome.INCORRECT,
            credit=credit,
            # In hundredths: never more than there are, and all of them for what is right.
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
        """Return the same feedback with these remarks."""
        return self.model_copy(update={"remarks": remarks})
