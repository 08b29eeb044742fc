"""A question: one problem drawn for one seed, complete in itself, so that a lock file can keep it for good."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, SerializeAsAny


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
    prompt: str  # what the author wrote; the kind's own part, such as options, stands in the form
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


class Row(BaseModel):
    """The bars of one row of a timeline, in their order and apart from each other."""

    model_config = ConfigDict(frozen=True)

    label: str
    bars: tuple[Bar, ...]


class Timeline(BaseModel):
    """A picture as plain data: who did what when. Where it is shown it is drawn, and every text of it escaped."""

    model_config = ConfigDict(frozen=True)

    about: str  # what it shows, for those who do not see it
    rows: tuple[Row, ...]
    end: int  # what no bar covers from 0 to here is idle
    mark: int | None = None  # a time to which the end is held


class Note(BaseModel):
    """What became of a part of a question, for a form that says it beside the part (`say` is Markdown)."""

    model_config = ConfigDict(frozen=True)

    outcome: Outcome
    earned: float
    say: str = ""


class Verdict(BaseModel):
    """What marking found: the share of the points earned, and what to tell the student (Markdown)."""

    model_config = ConfigDict(frozen=True)

    credit: float
    is_right: bool | None = None  # None: it is right when it earns all points
    say: str = ""
    mistake: int | None = None  # which recognised mistake it was, counted from 0
    parts: Mapping[str, bool] = Field(default_factory=dict)
    earned: Mapping[str, float] = Field(default_factory=dict)  # the points of each part, where parts have points
    notes: Mapping[str, Note] = Field(default_factory=dict)  # what `say` says, part by part
    picture: Timeline | None = None


class Feedback(BaseModel):
    """The answer to an answer."""

    model_config = ConfigDict(frozen=True)

    question: str
    outcome: Outcome | None  # None: read, and not judged here
    credit: float = 0.0
    points: float = 0.0
    max_points: float
    read: str = ""  # how the answer was read
    written: str = ""  # the beginning of an answer that could not be read, or not in every part
    unread: str = ""  # why parts of an answer could not be read, where others were
    say: str = ""  # Markdown
    mistake: int | None = None
    parts: Mapping[str, bool] = Field(default_factory=dict)
    earned: Mapping[str, float] = Field(default_factory=dict)
    notes: Mapping[str, Note] = Field(default_factory=dict, exclude=True)  # `say` holds it too: it is kept once
    picture: Timeline | None = None
