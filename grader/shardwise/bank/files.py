"""Models of a bank's YAML files: problem, chapter, curriculum and prose."""

from __future__ import annotations

import re
from functools import cache, cached_property
from operator import or_
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag, TypeAdapter, model_validator

from shardwise.kinds import kinds
from shardwise.template.model import AuthorModel

PROSE = "prose.yaml"  # next to the chapters
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


def template_model() -> Any:
    """Return the union of all kinds' templates, with `kind` as the discriminator."""
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
