"""The data of a case: parts of other kinds, as an author writes them, as a student sees them, and as marking needs them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property, reduce
from operator import or_
from typing import Annotated, Any, Literal

from pydantic import Field, GetCoreSchemaHandler, SerializeAsAny, create_model, field_validator, model_validator
from pydantic_core import CoreSchema

from shardwise.kinds import kinds
from shardwise.kinds.base import Kind, NumericKind
from shardwise.question import Form, Key, Question
from shardwise.template import model as author
from shardwise.template.parameters import Parameter
from shardwise.template.results import RESULTS, full_name

NAME = r"^[a-z][a-z0-9_]*$"
_NAMED = re.compile(rf"\b{RESULTS}\.(\w+)")
_WITHIN = 30.0  # the factor within which later parts build on a wrong result


class Plausible(author.AuthorModel):
    """Which wrong results of a part later parts may build on; a result outside this range is absurd."""

    within: float = Field(
        _WITHIN, gt=1, le=1000, description="Largest factor between a plausible result and the right one."
    )
    lowest: author.Value | None = Field(None, description="The lowest plausible value: an expression in base units.")
    highest: author.Value | None = Field(None, description="The highest plausible value: an expression in base units.")


class CasePart(author.Template):
    """A part of a case: the keys of its kind, and a name. Title, difficulty and source default to those of the case."""

    name: str = Field(pattern=NAME, max_length=40, description="Name of the part in later parts and in answers.")
    title: str = Field("", max_length=80, description="Its heading; the name by default.")
    difficulty: Literal["easy", "medium", "hard"] = "medium"
    source: str = ""
    params: Mapping[str, Parameter] = Field(default_factory=dict, max_length=0)
    where: tuple[author.Expression, ...] = Field((), description="Constraints that may name earlier results.")
    hints: tuple[author.Prose, ...] = ()
    solution: author.Prose = Field("", description="Worked out; may name earlier results.")
    takeaway: author.Prose = Field("", max_length=0)
    plausible: Plausible = Field(default_factory=Plausible, description="Which wrong results later parts may build on.")

    @field_validator("name")
    @classmethod
    def _is_not_taken(cls, name: str) -> str:
        if name in ("whole", "runs", RESULTS):
            raise ValueError(f"{name!r} means something else in feedback; use another name")
        return name

    @property
    def heading(self) -> str:
        """Its title, or its name in words."""
        return self.title or self.name.replace("_", " ").capitalize()

    @cached_property
    def needs(self) -> tuple[str, ...]:
        """The earlier parts whose results its answer names."""
        return tuple(dict.fromkeys(_NAMED.findall(self.model_dump_json(include={"answer"}))))

    @property
    def names(self) -> tuple[str, ...]:
        """The parts that its expressions name."""
        return tuple(dict.fromkeys(_NAMED.findall(self.model_dump_json(exclude={"solution"}))))


@cache
def part_models() -> Mapping[str, type[CasePart]]:
    """Return the model of a part for each kind that can be one."""
    make: Any = create_model
    return {
        name: make(f"{kind.Template.__name__}OfPart", __base__=(CasePart, kind.Template), kind=(Literal[name], ...))
        for name, kind in kinds().items()
        if kind.may_be_part
    }


class _AnyPart:
    """A part of any kind, distinguished by `kind`. The union is built when a template is validated, since marking does not need it."""

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        union: Any = reduce(or_, part_models().values())
        return handler.generate_schema(Annotated[union, Field(discriminator="kind")])


class CaseTemplate(author.Template):
    """A problem of several parts that share its parameters."""

    kind: Literal["case"]
    points: int | float = Field(gt=0, le=100, description="The sum of its parts' points.")
    hints: tuple[author.Prose, ...] = Field((), description="For all of it; each part has its own.")
    solution: author.Prose = Field("", description="Text that comes before the solutions of the parts.")
    parts: tuple[Annotated[Any, _AnyPart], ...] = Field(
        min_length=2, max_length=40, description="The parts in order, each a problem of its own kind."
    )

    @model_validator(mode="after")
    def _consistent(self) -> CaseTemplate:
        seen: list[str] = []
        for part in self.parts:
            if part.name in seen:
                raise ValueError(f"two parts are called {part.name!r}")
            for needed in part.names:
                if needed not in seen:
                    raise ValueError(
                        f"the part {part.name!r} names {full_name(needed)}, but no earlier part has that name"
                    )
                if not isinstance(kinds()[_kind_of(self.parts, needed)], NumericKind):
                    raise ValueError(
                        f"the part {part.name!r} names {full_name(needed)}, whose answer is not one number"
                    )
            seen.append(part.name)
        total = sum(part.points for part in self.parts)
        if abs(total - self.points) > 1e-9:
            raise ValueError(f"points is {self.points:g}, but its parts add up to {total:g}")
        return self

    @cached_property
    def pieces(self) -> tuple[CasePart, ...]:
        """The parts as templates that are complete: with the case's parameters, and those before them by their full names."""
        results: dict[str, Parameter] = {}
        drawn = {name: parameter.model_copy(update={"derived": None}) for name, parameter in self.params.items()}
        found = []
        for part in self.parts:
            shared = {"title": part.heading, "difficulty": self.difficulty, "source": part.source or self.source}
            found.append(part.model_copy(update={**shared, "params": {**drawn, **results}}))
            unit, way = (getattr(part.answer, name, None) for name in ("unit", "direction"))
            results[full_name(part.name)] = Parameter.model_validate({"fixed": 1, "unit": unit, "direction": way})
        return tuple(found)

    @property
    def answered(self) -> tuple[author.Template, ...]:
        """Its parts."""
        return self.pieces


def _kind_of(parts: Sequence[Any], name: str) -> str:
    return next(str(part.kind) for part in parts if part.name == name)


class PartForm(Form):
    """A part as a student sees it."""

    name: str
    title: str
    kind: str
    points: float
    prompt: str
    form: SerializeAsAny[Form]
    hints: int = 0  # how many of the question's hints are for it; these come last, in the order of the parts

    @field_validator("form", mode="before")
    @classmethod
    def _of_its_kind(cls, form: Any, info: Any) -> Any:
        return kinds()[info.data["kind"]].Form.model_validate(form) if isinstance(form, Mapping) else form

    @property
    def its_kind(self) -> Kind[Any, Any, Any]:
        """The kind that reads and marks it."""
        return kinds()[self.kind]


class CaseForm(Form):
    """The parts as a student sees them."""

    parts: tuple[PartForm, ...]


class Way(Key):
    """How the right answer follows from earlier results, for all results that satisfy the guards.

    Values are numbered: first the results that it needs, then the constants, then the result of each step, which takes two values.
    """

    needs: tuple[int, ...]  # places of parts
    numbers: tuple[float, ...] = ()
    steps: tuple[tuple[str, int, int], ...] = ()
    guards: tuple[tuple[int, str, int], ...] = ()
    result: int | None = None  # the right number
    key: Mapping[str, Any] | None = None  # or the key, if the answer of the part is not a number


class FormulaBefore(Key):
    """An earlier part that asks for the formula of this part's number, and the values of its symbols here."""

    place: int
    point: Mapping[str, float]


class PartKey(Key):
    """The key of a part as plain data, and how it follows from others; its kind is in the form."""

    key: Mapping[str, Any]
    ways: tuple[Way, ...] = ()
    formula: FormulaBefore | None = None
    within: float = _WITHIN
    lowest: float | None = None
    highest: float | None = None


class CaseKey(Key):
    """The keys of the parts, in their order."""

    parts: tuple[PartKey, ...]


def questions_of(question: Question) -> Iterator[tuple[PartForm, PartKey, Question]]:
    """Yield each part of a question, with the question that it forms by itself."""
    form, key = question.form, question.key
    assert isinstance(form, CaseForm) and isinstance(key, CaseKey)
    for part, known in zip(form.parts, key.parts, strict=True):
        alone = {
            "kind": part.kind,
            "title": part.title,
            "points": part.points,
            "prompt": part.prompt,
            "form": part.form,
        }
        its_key = part.its_kind.Key.model_validate(known.key)
        yield part, known, question.model_copy(update={**alone, "key": its_key, "hints": (), "solution": ""})
