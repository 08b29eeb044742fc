"""The common part of all problem templates, to which each kind adds its `answer` and `mistakes`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, field_validator

from shardwise.errors import ShardwiseError
from shardwise.template.expressions import check_syntax
from shardwise.template.parameters import UnitName as UnitName
from shardwise.template.parameters import Written


def valid_expression(text: Any) -> Any:
    """Validate an expression's syntax. Raises ValueError, which pydantic collects."""
    return _checked(text, is_prose=False)


def valid_prose(text: Any) -> Any:
    """Validate the syntax of prose. Raises ValueError, which pydantic collects."""
    return _checked(text, is_prose=True)


def _checked(text: Any, *, is_prose: bool) -> Any:
    if isinstance(text, str):
        try:
            check_syntax(text, is_prose=is_prose)
        except ShardwiseError as error:
            raise ValueError(str(error)) from None
    return text


Expression = Annotated[str, AfterValidator(valid_expression)]
Value = Annotated[str | int | float, AfterValidator(valid_expression)]  # a number, or an expression that gives one
Condition = Annotated[bool | str, AfterValidator(valid_expression)]
Prose = Annotated[str, AfterValidator(valid_prose)]
Say = Annotated[
    str,
    Field(min_length=10, description="What to tell a student who makes it: one or two sentences, with Jinja2."),
    AfterValidator(valid_prose),
]
Reference = Annotated[str, Field(description="module.function in solutions/, which computes the key.")]
Oracle = Annotated[str, Field(description="module.function in solutions/oracles/, which confirms the key.")]
Arguments = Annotated[
    Mapping[str, Value], Field(description="keyword: expression, where an argument and its parameter differ in name.")
]


class AuthorModel(BaseModel):
    """Base of all models of authors' files: immutable, and unknown keys are faults."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, defer_build=True
    )  # deferred, because grading does not need these models


class Template(AuthorModel):
    """A parametrised problem in a YAML file."""

    title: str = Field(description="A few words, without drawn numbers.", min_length=3, max_length=80)
    kind: str = Field(description="The kind of question; `shardwise kinds` lists them.")
    points: int | float = Field(gt=0, le=20, description="Points for a right answer; a set may change them.")
    difficulty: Literal["easy", "medium", "hard"] = Field(description="How hard it is for a student of the chapter.")
    tags: tuple[str, ...] = Field((), description="Words for `shardwise list --tag`.")
    covers: tuple[str, ...] = Field((), description="Rows of the curriculum that this problem covers.")
    source: str = Field(description="Where the formula or fact comes from: paper and section.", min_length=5)
    params: Mapping[str, Written] = Field(default_factory=dict, description="Drawn once per student and seed.")
    where: tuple[Expression, ...] = Field((), description="Constraints; a draw that violates one is rejected.")
    prompt: Prose = Field(description="The question for the student, in Markdown with LaTeX and Jinja2.", min_length=20)
    hints: tuple[Prose, ...] = Field(
        min_length=1, description="Hints in order; each takes the student one step further."
    )
    solution: Prose = Field(description="The worked solution, with the student's numbers.", min_length=20)
    takeaway: Prose = Field(
        "", description="A sentence of the solution, shown after a right answer; the solution has {{ takeaway }}."
    )

    @property
    def explanation(self) -> str:
        """The author's own words for the solution: its text, and the takeaway that it prints."""
        return f"{self.solution}\n{self.takeaway}"

    @property
    def answered(self) -> tuple[Template, ...]:
        """The templates with an `answer` of their own that this one is made of."""
        return (self,)

    @field_validator("params")
    @classmethod
    def _names_are_identifiers(cls, params: Mapping[str, Any]) -> Mapping[str, Any]:
        for name in params:
            if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or name in ("key", "ref", "oracle", "takeaway"):
                raise ValueError(
                    f"{name!r} is not a valid parameter name: use lower case, digits and _, but not key, ref, oracle or takeaway"
                )
        return params
