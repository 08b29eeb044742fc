"""A chapter's lesson: its text, its sections, and the problems that follow each section."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from shardwise.errors import Fault, Faulty
from shardwise.text_files import read_bounded, read_text

if TYPE_CHECKING:
    from shardwise.template.yaml_source import Source

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_FIGURE = re.compile(r'^```python\nfigure\("([\w-]+)"\)\n```$', re.MULTILINE)
_LARGEST_FIGURE = 20_000_000  # bytes; the largest in the shipped bank has 100,000
_HEADING = re.compile(r"## +(\S.*?)(?: +#+)? *")


@dataclass(frozen=True)
class Section:
    """A section of a lesson: a `## ` heading and the text up to the next one."""

    heading: str  # its words; empty for the text before the first heading
    text: str


def lesson_of(chapter: Path) -> str:
    """Return the text of a chapter's lesson.md. Raises Faulty if it is missing or cannot be read."""
    return lesson_with_blank_lines(chapter).strip()


def lesson_with_blank_lines(chapter: Path) -> str:
    """Return a chapter's lesson.md as it is, so that its lines can be counted. Raises Faulty, as `lesson_of` does."""
    name = f"problems/{chapter.name}/lesson.md"
    _must_be_inside(chapter, "lesson.md", name)
    return read_text(chapter / "lesson.md", name)


def figure_of(chapter: Path, file: str) -> bytes:
    """Return a figure's file from a chapter's folder. Raises Faulty if it cannot be read or is a link out of the bank."""
    name = f"problems/{chapter.name}/figures/{file}"
    _must_be_inside(chapter, f"figures/{file}", name)
    try:
        return read_bounded(chapter / "figures" / file, _LARGEST_FIGURE)
    except OSError as error:
        raise Faulty([Fault(name, f"cannot be read: {error.strerror}")]) from None


def _must_be_inside(chapter: Path, file: str, name: str) -> None:
    """Raise Faulty for a link to a file outside of the bank: notebooks would copy that file to every student."""
    if not (chapter / file).resolve().is_relative_to(chapter.parents[1].resolve()):
        raise Faulty([Fault(name, "is a link to a file outside of the bank", "Copy the file into the bank.")])


def sections_of(lesson: str) -> list[Section]:
    """Split a lesson at its `## ` headings, ignoring lines in code blocks that look like headings.

    >>> [section.heading for section in sections_of("# Rings\\n\\nWhy.\\n\\n## Two phases\\n\\nFirst.")]
    ['', 'Two phases']
    """
    found: list[tuple[str, list[str]]] = [("", [])]
    fence = ""
    for line in lesson.splitlines():
        if mark := _FENCE.match(line):
            if not fence:
                fence = mark[1]
            elif mark[1].startswith(fence) and not line[mark.end() :].strip():
                fence = ""
        heading = None if fence else _HEADING.fullmatch(line)
        if heading:
            found.append((heading[1], []))
        found[-1][1].append(line)
    sections = [Section(heading, "\n".join(lines).strip()) for heading, lines in found]
    return [section for section in sections if section.text]


def by_figures(text: str) -> list[tuple[str, str]]:
    """Split a text at the code blocks that show an interactive figure, into pairs of the text before and the figure's name.

    >>> by_figures('Before.\\n\\n```python\\nfigure("ring")\\n```\\n\\nAfter.')
    [('Before.', 'ring'), ('After.', '')]
    """
    pieces = [piece.strip() for piece in _FIGURE.split(text)]
    return [piece for piece in zip(pieces[::2], [*pieces[1::2], ""], strict=True) if any(piece)]


def misplaced(listed: Mapping[str, Sequence[str]], lesson: str, source: Source) -> Iterator[Fault]:
    """Yield what is wrong with the headings under which a chapter.yaml, the `source`, lists its problems.

    A heading must occur in the lesson exactly once, and the headings must be listed in the order of the lesson.
    """
    headings = [section.heading for section in sections_of(lesson) if section.heading]
    reached, before = -1, ""
    for heading in listed:
        name, place = f"problems.{heading}", ("problems", heading)
        if heading not in headings:
            yield source.fault(
                place, f"{name}: lesson.md has no heading “## {heading}”", _nearest(heading, headings), at_key=True
            )
        elif headings.count(heading) > 1:
            message = f"{name}: lesson.md has the heading “## {heading}” {headings.count(heading)} times"
            yield source.fault(place, message, "Give each section a different heading.", at_key=True)
        elif headings.index(heading) < reached:
            message = f"{name}: in lesson.md this section comes before “## {before}”"
            yield source.fault(place, message, "List the sections in the order of the lesson.", at_key=True)
        else:
            reached, before = headings.index(heading), heading


def _nearest(heading: str, headings: Sequence[str]) -> str:
    """Return a suggestion for a heading that a lesson does not have."""
    folded = {known.casefold(): known for known in headings}
    near = difflib.get_close_matches(heading.casefold(), folded, n=1)
    if near:
        return f"Did you mean “{folded[near[0]]}”?"
    return (
        f"The headings are {', '.join(f'“{known}”' for known in headings)}."
        if headings
        else "Add headings to the lesson, or write one plain list."
    )
