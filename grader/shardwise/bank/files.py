"""Models of a bank's YAML files: problem, chapter, curriculum and prose."""

from __future__ import annotations

import re
from functools import cache, cached_property
from operator import or_
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Discriminator, Field, Tag, TypeAdapter, model_validator

from shardwise.errors import ShardwiseError
from shardwise.kinds import kinds
from shardwise.template.model import AuthorModel
from shardwise.units import in_plural, system_text
from shardwise.units.table import SYSTEMS

PROSE = "prose.yaml"  # next to the chapters
UNITS = "units.yaml"  # next to the chapters
_UNIT_NAME = r"^[A-Za-z_Ωµμ°]+$"
_Slugs = Annotated[tuple[str, ...], Field(min_length=1)]
_Sections = Annotated[dict[str, _Slugs], Field(min_length=1)]


class ChapterFile(AuthorModel):
    """A folder of problems with a lesson: `chapter.yaml`."""

    title: str = Field(min_length=3, description="The title of the chapter.")
    summary: str = Field(min_length=10, description="A sentence for tables of chapters.")
    problems: Annotated[
        Annotated[_Slugs, Tag("list")] | Annotated[_Sections, Tag("sections")],
        Discriminator(lambda listed: "sections" if isinstance(listed, dict) else "list"),
    ] = Field(
        description="Every problem of the folder in the notebook's order: one list, if they follow the lesson; or a list "
        "for each `## ` heading of lesson.md that problems follow, in the lesson's order."
    )


class CurriculumRow(AuthorModel):
    """A row of the curriculum: one thing that the bank teaches."""

    id: str = Field(
        pattern=r"^[A-Za-z0-9][A-Za-z0-9.-]*$",
        max_length=40,
        description="The name that a problem lists under `covers`.",
    )
    asks: str = Field(min_length=3, max_length=120, description="A few words.")
    kind: Literal["row", "erratum"] = Field("row", description="An erratum is a common claim that is wrong.")
    chapter: str = Field("", description="The folder of its chapter, which may not be written yet.")
    lesson: str = Field("", description="The heading of the section in that chapter's lesson that covers it.")
    note: str = Field("", description="What else covers it, or why the bank omits it.")

    @model_validator(mode="after")
    def _has_a_place(self) -> CurriculumRow:
        if not (self.chapter or self.note):
            raise ValueError(f"{self.id} needs a chapter, or a note that says why the bank omits it")
        if self.lesson and not self.chapter:
            raise ValueError(f"{self.id} has a lesson but no chapter")
        return self


class CurriculumFile(AuthorModel):
    """What a bank teaches: `problems/curriculum.yaml`."""

    about: str = Field(min_length=10, description="Where the rows come from, and how they are named.")
    rows: tuple[CurriculumRow, ...] = Field(min_length=1, description="What the bank should teach, a row each.")


class Avoided(AuthorModel):
    """A phrase to avoid in prose."""

    avoid: str = Field(
        min_length=2, description="A regular expression for whole words; a space also matches the end of a line."
    )
    write: str = Field(min_length=2, description="What to write instead.")

    @model_validator(mode="after")
    def _is_an_expression(self) -> Avoided:
        try:
            empty = self.pattern.search("")
        except (re.error, OverflowError, RecursionError) as error:
            why = getattr(error, "msg", error)  # its position would be that in `pattern`
            raise ValueError(f"“{self.avoid:.60}” is not a regular expression: {why}") from None
        if empty:
            raise ValueError(f"“{self.avoid:.60}” matches an empty text, so it would be found everywhere")
        return self

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The expression for whole words, ignoring case and line breaks."""
        return re.compile(rf"(?<!\w)(?:{self.avoid.replace(' ', chr(92) + 's')})(?!\w)", re.IGNORECASE)


class ProseFile(AuthorModel):
    """Phrases that a bank's prose avoids: `problems/prose.yaml`."""

    avoid: tuple[Avoided, ...] = Field((), description="Phrases to avoid, each with what to write instead.")
    longest_sentence: int | None = Field(None, ge=10, description="In words.")


class OwnUnit(AuthorModel):
    """A unit that a bank defines: as a multiple of another, or as a dimension of its own."""

    size: str | None = Field(None, alias="is", description="A number with a unit, such as 201.168 m.")
    dimension: str | None = Field(None, pattern=r"^[a-z_]+$", description="Or what it counts, such as widget.")
    plural: str | None = Field(None, pattern=_UNIT_NAME, description="By default, the name with an s.")
    aliases: tuple[Annotated[str, Field(pattern=_UNIT_NAME)], ...] = Field(
        (), description="Symbols and other spellings."
    )
    prefixes: bool = Field(False, description="Whether it takes prefixes such as kilo and k.")

    @model_validator(mode="after")
    def _is_defined_once(self) -> OwnUnit:
        if (self.size is None) == (self.dimension is None):
            raise ValueError("a unit has either `is`, as in 201.168 m, or a `dimension` of its own")
        return self


def _by_its_size(given: Any) -> Any:
    return {"is": given} if isinstance(given, str) else given


class UnitsFile(AuthorModel):
    """The units that answers may have: `problems/units.yaml`."""

    systems: tuple[Literal[tuple(SYSTEMS)], ...] = Field(  # type: ignore[valid-type]
        ("computing",), min_length=1, description="Tables of units; a later one decides what a symbol means."
    )
    units: dict[
        Annotated[str, Field(pattern=_UNIT_NAME)],
        Annotated[OwnUnit, BeforeValidator(_by_its_size, json_schema_input_type=str | OwnUnit)],
    ] = Field(default_factory=dict, description="Units of this bank: a number with a unit, or more about it.")

    @model_validator(mode="after")
    def _can_be_read(self) -> UnitsFile:
        try:
            _ = self.text
        except ShardwiseError as error:
            raise ValueError(str(error)) from None
        return self

    @cached_property
    def text(self) -> str:
        """The system of units, as `shardwise.units.qualified` takes it."""
        own = {
            " ".join((name, unit.plural or in_plural(name), *unit.aliases)): unit.size or f"[{unit.dimension}]"
            for name, unit in self.units.items()
        }
        return system_text(self.systems, own, tuple(name for name, unit in self.units.items() if unit.prefixes))


def template_model() -> Any:
    """Return the union of all kinds' templates, with `kind` as the discriminator."""
    models = [kind.Template for kind in kinds().values()]
    union: Any = models[0]
    for model in models[1:]:
        union = or_(union, model)
    return Annotated[union, Field(discriminator="kind")]


@cache
def adapter(of: str) -> TypeAdapter[Any]:
    """Return the validator of a "problem", or of a "chapter", "curriculum", "prose" or "units" file."""
    if of == "problem":
        return TypeAdapter(template_model())
    return TypeAdapter(
        {"chapter": ChapterFile, "curriculum": CurriculumFile, "prose": ProseFile, "units": UnitsFile}[of]
    )


@cache
def template_adapter(kind: str) -> TypeAdapter[Any]:
    """Return the validator for problems of one kind, without loading any other kind."""
    return TypeAdapter(kinds()[kind].Template) if kind in kinds() else adapter("problem")
