"""The files of a bank as models: what a problem's and a chapter's YAML may hold."""

from __future__ import annotations

from functools import cache
from operator import or_
from typing import Annotated, Any

from pydantic import Discriminator, Field, Tag, TypeAdapter

from shardwise.kinds import OURS, kinds
from shardwise.template.model import AuthorModel

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


def template_model() -> Any:
    """The union of all kinds' templates, told apart by `kind`."""
    models = [kind.Template for kind in kinds().values()]
    union: Any = models[0]
    for model in models[1:]:
        union = or_(union, model)
    return Annotated[union, Field(discriminator="kind")]


@cache
def adapter(of: str) -> TypeAdapter[Any]:
    """What validates a "problem" or a "chapter"."""
    return TypeAdapter(template_model() if of == "problem" else ChapterFile)


def is_ours(data: Any) -> bool:
    """Whether a file's validity depends on this package alone, and not on a kind that another package adds."""
    return "kind" not in data or data["kind"] in OURS
