"""The data of a code problem: the template an author writes, the signature a student sees, and the cases of the key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field, model_validator

from shardwise.kinds.inputs import Input
from shardwise.question import Form, Key
from shardwise.template import model as author
from shardwise.template.parameters import Scalar


class Answer(author.AuthorModel):
    """The `answer` of a code problem."""

    function: str = Field(pattern=r"^[a-z_][a-z0-9_]*$", description="Name of the function that the student writes.")
    reference: author.Reference
    oracle: author.Oracle
    arguments: author.Arguments = Field({})
    unit: author.UnitName | None = Field(None, description="Unit of the number that the student's function returns.")
    rel_tol: float = Field(1e-6, gt=0, lt=0.1, description="Results within this are equal, relative.")
    inputs: Mapping[str, Input] = Field(min_length=1, description="The arguments, and the values that the calls draw.")
    edges: tuple[Mapping[str, Scalar], ...] = Field(
        (),
        description="Inputs that are always tried; a function that is wrong on these alone earns half of the points.",
    )
    always: tuple[Mapping[str, Scalar], ...] = Field(
        (),
        description="Inputs that are always tried and are ordinary: each tells a rule of the prompt from a broken one.",
    )

    @model_validator(mode="after")
    def _named_inputs(self) -> Answer:
        for what, several in (("edges", self.edges), ("always", self.always)):
            for given in several:
                if strangers := set(given) - set(self.inputs):
                    raise ValueError(
                        f"`{what}` names {', '.join(sorted(strangers))}; the inputs are {', '.join(self.inputs)}"
                    )
        return self


class Mistake(author.AuthorModel):
    """A wrong implementation that teachers know."""

    factor: float | None = Field(None, description="The right result times this.")
    value: author.Value | None = Field(None, description="Expression over the reference's arguments and `key`.")
    say: author.Say

    @model_validator(mode="after")
    def _one(self) -> Mistake:
        if (self.factor is None) == (self.value is None):
            raise ValueError("a mistake has either a factor or a value")
        return self


class CodeTemplate(author.Template):
    """A problem answered by a function."""

    kind: Literal["code"]
    answer: Answer
    mistakes: tuple[Mistake, ...] = ()


class Argument(Form):
    """One argument of the required function."""

    name: str
    unit: str = ""
    means: str = ""


class CodeForm(Form):
    """The required signature."""

    function: str
    arguments: tuple[Argument, ...]
    returns: str = ""


class CodeCase(Key):
    """One call, what it must return, and what each recognised mistake returns."""

    inputs: Mapping[str, Any]
    expected: Any
    raises: bool = False
    edge: bool = False
    mistakes: tuple[Any, ...] = ()


class CodeKey(Key):
    """All cases, simplest first."""

    cases: tuple[CodeCase, ...]
    rel_tol: float
    say: tuple[str, ...] = ()
