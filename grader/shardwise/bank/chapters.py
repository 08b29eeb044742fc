"""Chapters: the file `chapter.yaml`, which lists problems, perhaps under headings of the lesson."""

from __future__ import annotations

import keyword
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import shardwise
from shardwise.bank.lesson import lesson_of, misplaced
from shardwise.errors import Fault, Faulty
from shardwise.file_names import is_device

if TYPE_CHECKING:
    from shardwise.bank.bank import Bank


@dataclass(frozen=True)
class Chapter:
    """A folder of problems with a lesson."""

    title: str
    summary: str  # a sentence for tables of chapters
    problems: tuple[str, ...]  # slugs, in the notebook's order
    sections: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # slugs after each heading of the lesson


def extended(chapter: Chapter, slugs: Sequence[str]) -> Chapter:
    """Return a chapter with these problems as well, after its own."""
    more = tuple(slug for slug in slugs if slug not in chapter.problems)
    if not more:
        return chapter
    sections = dict(chapter.sections)
    if sections:
        sections[list(sections)[-1]] += more
    return replace(chapter, problems=chapter.problems + more, sections=sections)


def file_name(path: Path) -> str:
    """Return a file's name for faults: problems/chapter/slug.yaml."""
    return "/".join(path.parts[-3:])


def bad_slug(slug: str) -> str:
    """Return why a problem cannot have this name, or "". A slug is also the name of the answer's variable in a notebook."""
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", slug) or not 3 <= len(slug) <= 60:
        return f"{slug!r} is not a valid slug: use 3 to 60 lower-case letters and digits, with single hyphens between words"
    if is_device(slug):
        return f"{slug!r} cannot be a file name on Windows, where it is a device"
    taken = ("chapter", "end", "master", "null", "true", "false", "shardwise", *shardwise.__all__)
    if keyword.iskeyword(slug) or slug.replace("-", "_") in taken:
        return f"{slug!r} is reserved: notebooks or the app use that name for something else"
    return ""


def read_chapter(path: Path) -> Chapter:
    """Read a chapter.yaml. Raises Faulty, also if its list and its folder differ."""
    from shardwise.bank.files import adapter
    from shardwise.template.yaml_source import load_yaml, validate

    source = load_yaml(path, file_name(path))
    validate(source, adapter("chapter"))
    data, listed = source.data, source.data["problems"]
    sections = {heading: tuple(slugs) for heading, slugs in listed.items()} if isinstance(listed, Mapping) else {}
    slugs = tuple(slug for part in sections.values() for slug in part) if sections else tuple(listed)
    chapter = Chapter(data["title"], data["summary"], slugs, sections)
    present = {file.stem for file in path.parent.glob("*.yaml")} - {"chapter"}
    if sorted(slugs) == sorted(present) and not any(map(bad_slug, slugs)):
        return chapter
    faults = []
    for number, (place, slug) in enumerate(_listed(chapter)):
        if slug not in present:
            faults.append(source.fault(place, f"problems: cannot find {slug}.yaml in this folder"))
        elif slug in slugs[:number]:
            faults.append(source.fault(place, f"problems: {slug} is listed twice", "Remove one."))
        elif why := bad_slug(slug):
            faults.append(source.fault(place, f"problems: {why}", "Rename the file."))
    faults += [
        source.fault(("problems",), f"problems: {slug}.yaml is in this folder but not in the list", "Add it.")
        for slug in sorted(present - set(slugs))
    ]
    raise Faulty(faults)


def _listed(chapter: Chapter) -> list[tuple[tuple[str | int, ...], str]]:
    """Return the place and the slug of each problem in a chapter.yaml."""
    if not chapter.sections:
        return [(("problems", number), slug) for number, slug in enumerate(chapter.problems)]
    return [
        (("problems", heading, number), slug)
        for heading, slugs in chapter.sections.items()
        for number, slug in enumerate(slugs)
    ]


def section_faults(bank: Bank, chapter: str) -> Sequence[Fault]:
    """Return what is wrong with the headings under which a chapter lists its problems."""
    sections, folder = bank.chapters[chapter].sections, bank.lessons / chapter
    if not sections or not (folder / "lesson.md").exists():  # the lint reports a missing lesson elsewhere
        return ()
    from shardwise.template.yaml_source import load_yaml

    path = folder / "chapter.yaml"
    try:
        return tuple(misplaced(sections, lesson_of(folder), load_yaml(path, file_name(path))))
    except Faulty as error:
        return error.faults
