"""The files of a bank as models: what the YAML of a problem, of a chapter and of a curriculum may hold."""

from __future__ import annotations

import re
from functools import cache
from operator import or_
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag, TypeAdapter, model_validator

from shardwise.kinds import kinds
from shardwise.template.model import AuthorModel

PROSE = "prose.yaml"  # next to the chapters
_Slugs = Annotated[tuple[str, ...], Field(min_length=1)]
_Sections = Annotated[dict[str, _Slugs], Field(min_length=1)]


class ChapterFile(AuthorModel):
    """A folder of problems with a lesson; `chapter.yaml`."""

    title: str = Field(min_length=3)
    summary: str = Field(min_length=10, description="A sentence for tables of chapters.")
    problems: Annotated[
        Annotated[_Slugs, Tag("list")] | Annotated[_Sections, Tag("sections")],
        Discriminator(lambda listed: "sections" if isinstance(listed, dict) else "list"),
    ] = Field(
        description="Every problem of the folder, in the notebook's order: a list, after the whole lesson; or a list "
        "under each `## ` heading of lesson.md that problems follow, in the lesson's order."
    )


class CurriculumRow(AuthorModel):
    """One thing that the bank has to teach."""

    id: str = Field(
        pattern=r"^[A-Za-z0-9][A-Za-z0-9.-]*$", max_length=40, description="What `covers` of a problem names."
    )
    asks: str = Field(min_length=3, max_length=120, description="A few words.")
    kind: Literal["row", "erratum"] = Field("row", description="An erratum is what is often said and wrong.")
    chapter: str = Field("", description="The folder of the chapter that it belongs to, written already or not.")
    lesson: str = Field("", description="The heading of the section of that chapter's lesson that carries it.")
    note: str = Field("", description="What else carries it, or why it is left out.")

    @model_validator(mode="after")
    def _has_a_place(self) -> CurriculumRow:
        if not (self.chapter or self.note):
            raise ValueError(f"{self.id} has neither a chapter nor a note that says why it is left out")
        if self.lesson and not self.chapter:
            raise ValueError(f"{self.id} is carried by a lesson and has no chapter")
        return self


class CurriculumFile(AuthorModel):
    """What a bank has to teach; `problems/curriculum.yaml`."""

    about: str = Field(min_length=10, description="Where the rows come from, and how they are called.")
    rows: tuple[CurriculumRow, ...] = Field(min_length=1)


class Avoided(AuthorModel):
    """A phrase to avoid in prose."""

    avoid: str = Field(
        min_length=2, description="A regular expression for whole words; a space also matches the end of a line."
    )
    write: str = Field(min_length=2, description="What to write instead.")

    @model_validator(mode="after")
    def _is_an_expression(self) -> Avoided:
        try:
            _ = self.pattern
        except re.error as error:
            raise ValueError(f"“{self.avoid}” is not a regular expression: {error.msg}") from None
        return self

    @property
    def pattern(self) -> re.Pattern[str]:
        """The expression for whole words, in capitals or not, over the ends of lines."""
        return re.compile(rf"(?<!\w)(?:{self.avoid.replace(' ', chr(92) + 's')})(?!\w)", re.IGNORECASE)


class ProseFile(AuthorModel):
    """What a bank's prose avoids; `problems/prose.yaml`."""

    avoid: tuple[Avoided, ...] = ()
    longest_sentence: int | None = Field(None, ge=10, description="In words.")


def template_model() -> Any:
    """The union of all kinds' templates, told apart by `kind`."""
    models = [kind.Template for kind in kinds().values()]
    union: Any = models[0]
    for model in models[1:]:
        union = or_(union, model)
    return Annotated[union, Field(discriminator="kind")]


@cache
def adapter(of: str) -> TypeAdapter[Any]:
    """Return the validator of a "problem", a "chapter", a "curriculum" or a "prose" file."""
    if of == "problem":
        return TypeAdapter(template_model())
    return TypeAdapter({"chapter": ChapterFile, "curriculum": CurriculumFile, "prose": ProseFile}[of])


@cache
def template_adapter(kind: str) -> TypeAdapter[Any]:
    """Return the validator for problems of one kind, without loading any other kind."""
    return TypeAdapter(kinds()[kind].Template) if kind in kinds() else adapter("problem")
