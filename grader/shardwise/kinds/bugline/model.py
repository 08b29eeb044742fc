"""The data of a bug hunt: the template an author writes, the listing a student sees, and the key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from shardwise.kinds.inputs import Input
from shardwise.question import Form, Key
from shardwise.template import model as author

PARTS = ("line", "input", "fix")
LONGEST_LINE = 300  # characters of a line that an author or a student writes


class Answer(author.AuthorModel):
    """The `answer` of a bug hunt."""

    reference: str = Field(
        description="module.function in solutions/, whose listing the student sees with one line changed."
    )
    rel_tol: float = Field(
        1e-6, gt=0, lt=0.1, description="Results that differ by more than this are different, relative."
    )
    inputs: Mapping[str, Input] = Field(min_length=1, description="The arguments and their values, in base units.")


class Slip(author.AuthorModel):
    """One way to get a line of the listing wrong."""

    line: str = Field(description="A line of the listing, exactly as written, without its indentation.", min_length=3)
    reads: str = Field(description="What the student sees in its place.", min_length=3, max_length=LONGEST_LINE)
    say: str = Field(description="What went wrong, in a few words: {{ change }} in the solution.", min_length=3)


class BuglineTemplate(author.Template):
    """A hunt for one wrong line: a slip from the author's list, or a mutation if there is no list."""

    kind: Literal["bugline"]
    answer: Answer
    slips: tuple[Slip, ...] = Field((), description="The hunt draws from these alone; without them, from mutations.")


class BuglineForm(Form):
    """The listing, and the arguments with their usual lowest and highest values."""

    aids = frozenset(("typical",))
    function: str
    listing: tuple[str, ...]
    domain: Mapping[str, tuple[float, float]]
    whole: tuple[str, ...] = ()  # arguments that are whole numbers
    optional: tuple[str, ...] = ()  # arguments with a default
    typical: Mapping[str, Any] = {}  # a call to begin with


class BuglineKey(Key):
    """The original, the mutant, and cases on which a fixed listing is tested."""

    original: str
    mutant: str
    line: int
    original_line: str
    mutated_line: str
    change: str
    witness: Mapping[str, Any]
    cases: tuple[Mapping[str, Any], ...]
    expected: tuple[Any, ...]
    rel_tol: float
