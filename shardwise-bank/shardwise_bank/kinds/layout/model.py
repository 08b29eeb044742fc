"""Data of a layout problem: the template an author writes, the axes a student sees, and the key."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from shardwise.question import Form, Key
from shardwise.template import model as author

MOST_ROWS = 1000  # combinations in a key: about 30 kB of a lock file
MOST_OPTIONS = 40  # values of an axis
MOST_AXES = 10
MOST_CONSTRAINTS = 8
ANY = "any"  # an axis of the product whose value follows from the others
RESERVED = ("best", "faults", "highest", "key", "limit", "lowest", "oracle", "ref", "result", "seen")

Option = int | str
_Options = Annotated[tuple[Option, ...], Field(min_length=1, max_length=MOST_OPTIONS)]


class Axis(author.AuthorModel):
    """An axis, and the values that it may have."""

    choices: author.Expression | _Options = Field(description='A list, an expression that gives one, or "any".')
    means: author.Prose = Field("", description="A short label of the axis.")
    also: tuple[str, ...] = Field((), description="Other names that students use for it.")
    default: Option | None = Field(None, description="Its value when an answer omits it.")


class Product(author.AuthorModel):
    """Axes whose sizes must multiply to a given number, such as the number of GPUs."""

    of: tuple[str, ...] = Field(min_length=2, description="Names of axes.")
    number: author.Value = Field(alias="is", description="The required product.")
    noun: str = Field("GPUs", description="The unit of that number.")
    follows: str | None = Field(None, description="The axis that an answer may omit; by default dp, or else the last.")


class Constraint(author.AuthorModel):
    """A condition on right layouts: a bound on a number, a whole number, or no fault of the reference."""

    id: str = Field(pattern=r"^[a-z0-9_-]+$", description="Name for use in mistakes; students do not see it.")
    asks: author.Prose = Field(min_length=5, description="Shown with the question. Jinja2, with `limit`.")
    of: author.Value | None = Field(
        None, description="An expression over parameters, axes and the measures of the reference."
    )
    at_most: author.Value | None = Field(
        None, description="The limit; `best` is the smallest value that the other constraints allow."
    )
    at_least: author.Value | None = Field(
        None, description="The limit; `best` is the largest value that the other constraints allow."
    )
    whole: bool = Field(False, description="It must be a whole number.")
    faults: tuple[str, ...] = Field(
        (), description="Instead of `of`: faults of the reference that a right layout must not have."
    )
    unit: author.UnitName = Field("1", description="Unit in which the feedback shows the number.")
    hard: bool = Field(
        False, description="A layout that breaks it earns nothing, and no other constraint is evaluated."
    )
    required: bool = Field(
        False, description="A layout that breaks it earns nothing, but all constraints are evaluated."
    )
    too_close: Literal["reject", "counts"] = Field("reject", description="How to treat a close call, see the docs.")
    say: author.Prose = Field("", description="Shown when it is broken. Jinja2, with `seen`, `limit` and the axes.")

    @property
    def is_relative(self) -> bool:
        """Whether its limit depends on the best value that the other constraints allow."""
        return any(re.search(r"\bbest\b", str(limit)) for limit in (self.at_most, self.at_least))

    @model_validator(mode="after")
    def _one_of_each(self) -> Constraint:
        if (self.of is None) == (not self.faults):
            raise ValueError("a constraint needs either `of`, an expression, or `faults`, a list of names")
        bounds = (self.at_most is not None) + (self.at_least is not None) + self.whole
        if self.of is not None and bounds != 1:
            raise ValueError("a constraint needs one of `at_most`, `at_least` and `whole: true`")
        if self.faults and (bounds or self.too_close == "counts"):
            raise ValueError("faults have no limit")
        if self.of is not None and len(self.say) < 10:
            raise ValueError("write under `say` what a student reads when a layout breaks it, with {{ seen }}")
        return self


class Answer(author.AuthorModel):
    """The `answer` of a layout problem."""

    axes: Mapping[str, Axis] = Field(
        min_length=1, max_length=MOST_AXES, description="What the student chooses, by name."
    )
    product: Product | None = Field(
        None, description="Axes whose sizes must multiply to a given number, such as the GPUs."
    )
    reference: str | None = Field(None, description="A function of solutions/ that judges a layout: module.function.")
    oracle: str | None = Field(
        None, description="An independent computation of the same; the lint compares all verdicts."
    )
    arguments: Mapping[str, author.Value] = Field(default_factory=dict, description="keyword: expression")
    constraints: tuple[Constraint, ...] = Field(
        min_length=1,
        max_length=MOST_CONSTRAINTS,
        description="The conditions of a right layout, each worth a part of the points.",
    )
    solution: Mapping[str, author.Value] = Field(
        description="A value for each axis; or {lowest: expression} or {highest: expression} for the best right layout."
    )

    @field_validator("axes", mode="before")
    @classmethod
    def _short(cls, axes: object) -> object:
        """Expand `tp: [1, 2]` to `tp: {choices: [1, 2]}`."""
        if not isinstance(axes, Mapping):
            return axes
        return {name: axis if isinstance(axis, Mapping | Axis) else {"choices": axis} for name, axis in axes.items()}

    @model_validator(mode="after")
    def _consistent(self) -> Answer:
        for name in self.axes:
            if name in RESERVED or not name.isidentifier() or not name.islower():
                raise ValueError(
                    f"{name!r} cannot name an axis; use lower case, digits and _, and none of {', '.join(RESERVED)}"
                )
        if len({constraint.id for constraint in self.constraints}) != len(self.constraints):
            raise ValueError("two constraints have the same id")
        of = self.product.of if self.product else ()
        follows = self.product.follows if self.product else None
        strangers = [name for name in (*of, *([follows] if follows else [])) if name not in self.axes]
        if strangers or len(set(of)) != len(of):
            raise ValueError(
                f"the product names {', '.join(strangers) or 'an axis twice'}; the axes are {', '.join(self.axes)}"
            )
        anything = [name for name, axis in self.axes.items() if axis.choices == ANY]
        if len(anything) > 1 or not set(anything) <= set(of):
            raise ValueError("only one axis may be `any`, and it must be part of the product")
        if not set(self.solution) <= set(self.axes) and set(self.solution) not in ({"lowest"}, {"highest"}):
            raise ValueError("a solution needs a value for each axis, or only `lowest` or `highest`")
        return self


class Mistake(author.AuthorModel):
    """A kind of wrong layout that authors expect."""

    when: author.Condition = Field(description="A condition over parameters, axes and the measures of the reference.")
    say: author.Prose = Field(min_length=10, description="What to tell a student who makes it; Jinja2, with the axes.")


class LayoutTemplate(author.Template):
    """A problem answered by a layout."""

    kind: Literal["layout"]
    answer: Answer
    mistakes: tuple[Mistake, ...] = ()

    @cached_property
    def written(self) -> str:
        """Everything that decides the result of a draw, as text."""
        return repr((self.answer, self.mistakes))

    @model_validator(mode="after")
    def _names_apart(self) -> LayoutTemplate:
        if both := sorted(set(self.params) & set(self.answer.axes)):
            raise ValueError(f"{', '.join(both)} is both a parameter and an axis")
        return self


class ShownAxis(BaseModel):
    """An axis as the student sees it; without options, any whole number is allowed."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    means: str = ""
    options: tuple[Option, ...] = ()
    also: tuple[str, ...] = ()
    default: Option | None = None


class LayoutForm(Form):
    """The axes, the product rule, and the constraints in words."""

    axes: tuple[ShownAxis, ...]
    asks: tuple[str, ...]
    of: tuple[str, ...] = ()  # axes whose product is fixed
    number: int = 1  # the required product
    noun: str = ""
    follows: str | None = None  # the axis that follows from the others when an answer omits it


class JudgedConstraint(Key):
    """A constraint with its finding for every combination: a number, or the index of a fault's message."""

    seen: tuple[int | float | None, ...]  # None: not evaluated, since a hard constraint is broken
    at_most: int | float | None = None
    at_least: int | float | None = None
    words: tuple[str, ...] | None = None  # of faults
    unit: str = "1"
    hard: bool = False
    required: bool = False  # a layout that breaks it earns nothing
    counts: bool = False  # a close call counts as met
    say: str = ""


class LayoutKey(Key):
    """The findings for every combination, in the order of `grid.combinations`."""

    constraints: Mapping[str, JudgedConstraint]
    solution: int
    wrong: tuple[int | None, ...]  # the mistake that a combination makes
    mistakes: tuple[str, ...] = ()
