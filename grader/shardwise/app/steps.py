"""Steps: a chapter as the app walks through it, each section of its lesson followed by that section's problems."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, count
from typing import Any

from shardwise.bank.bank import Bank, Banks, Problem
from shardwise.bank.lesson import Section, by_figures, lesson_of, sections_of
from shardwise.bank.pages.interactive_figures import moving, moving_names
from shardwise.errors import ShardwiseError
from shardwise.markdown.escaping import safe
from shardwise.markdown.html import to_html

INTRODUCTION, END, MASTER = "introduction", "end", "master"  # END and MASTER are pages of a chapter that are no steps
SOURCES = "Sources"  # a last section of that name is part of the end and no step
_IMAGE = re.compile(r"^!\[(?P<words>[^\]]*)\]\(figures/(?P<file>[\w.-]+)\)$", re.MULTILINE)
_TAKEAWAY = re.compile(r"^\*Takeaway:\*\s*(.+)$", re.MULTILINE)
_TITLE = re.compile(r"\A# .*\n*")

Data = dict[str, Any]


@dataclass(frozen=True)
class Step:
    """A section of a chapter's lesson, or one of its problems."""

    id: str  # unique within the chapter: the problem's slug, or a slug of the section's heading
    title: str
    section: Section | None = None
    problem: Problem | None = None


@dataclass(frozen=True)
class Walk:
    """The steps through a chapter."""

    name: str
    bank: Bank

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """The steps in the order of the lesson. Raises Faulty for an unreadable lesson."""
        return tuple(self._steps())

    def _steps(self) -> Iterator[Step]:
        chapter = self.bank.chapters[self.name]
        taken = {END, MASTER, *chapter.problems}
        for section in self._sections:
            yield Step(_slug(section.heading, taken), section.heading or "Introduction", section=section)
            yield from self._problems(chapter.sections.get(section.heading, ()))
        if not chapter.sections:
            yield from self._problems(chapter.problems)

    @cached_property
    def _sections(self) -> list[Section]:
        return [section for section in sections_of(self._lesson) if section.heading != SOURCES]

    @cached_property
    def _lesson(self) -> str:
        return lesson_of(self.bank.lessons / self.name)

    def _problems(self, slugs: tuple[str, ...]) -> Iterator[Step]:
        for slug in slugs:
            problem = self.bank.problems[f"{self.name}/{slug}"]
            yield Step(slug, problem.title, problem=problem)

    def section(self, step: str) -> Data:
        """Return the title and the pieces of a section or of the chapter's end. A piece is HTML or an interactive figure.

        Raises ShardwiseError if the chapter has no such section.
        """
        if step == END:
            ends = [{"html": self._takeaways()}, {"html": self._sources()}]
            return {"title": self.bank.chapters[self.name].title, "pieces": ends}
        found = next((known for known in self.steps if known.id == step and known.section), None)
        if found is None or found.section is None:
            raise ShardwiseError(f"The chapter {self.name} has no section “{safe(step[:80])}”.")
        title = found.section.heading or self.bank.chapters[self.name].title
        return {"title": title, "pieces": list(self._pieces(found.section))}

    def _pieces(self, section: Section) -> Iterator[Data]:
        """Yield the pieces of a section without its heading. An interactive figure replaces its still image."""
        text = section.text.partition("\n")[2] if section.heading else _TITLE.sub("", section.text)
        for before, name in by_figures(text):
            figure = moving([self.bank], name) if name else None
            still = f"{figure.module.STILL}.png" if figure else ""
            start = 0
            for image in _IMAGE.finditer(before):
                yield from _prose(before[start : image.start()])
                start = image.end()
                if image["file"] != still:
                    yield {"html": self._image(image["words"], image["file"])}
            yield from _prose(before[start:])
            if figure:
                yield {"figure": figure.view}

    def _image(self, words: str, file: str) -> str:
        return f'<p><img src="figures/{self.name}/{html.escape(file)}" alt="{html.escape(words)}" loading="lazy"></p>'

    def _takeaways(self) -> str:
        found = _TAKEAWAY.findall(self._lesson)
        return to_html("\n".join(f"- {takeaway[0].upper()}{takeaway[1:]}" for takeaway in found))

    def _sources(self) -> str:
        found = (section.text for section in sections_of(self._lesson) if section.heading == SOURCES)
        return to_html("\n\n".join(text.partition("\n")[2] for text in found))


def walks(banks: Banks) -> list[Walk]:
    """Return the walks through all chapters of the banks, in order."""
    return [Walk(name, banks.of(name)) for name in banks.chapters]


def overview(banks: Banks) -> Data:
    """Return what is the same for every student: the chapters with their steps, and the interactive figures."""
    figures = [moving([bank], name) for bank in banks.all for name in moving_names(bank)]
    return {
        "chapters": [_chapter(walk, number) for number, walk in enumerate(walks(banks), 1)],
        "figures": [{"name": each.name, "title": each.title, "chapter": each.module.CHAPTER} for each in figures],
    }


def _chapter(walk: Walk, number: int) -> Data:
    chapter = walk.bank.chapters[walk.name]
    return {
        "name": walk.name,
        "number": number,
        "title": chapter.title,
        "summary": chapter.summary,
        "steps": [_listed(step) for step in walk.steps],
    }


def _listed(step: Step) -> Data:
    if step.problem is None:
        return {"id": step.id, "type": "section", "title": step.title}
    data = step.problem.data
    shown = {name: data[name] for name in ("kind", "difficulty", "points")}
    return {"id": step.id, "type": "problem", "problem": step.problem.id, "title": step.title, **shown}


def _prose(text: str) -> Iterator[Data]:
    if text.strip():
        yield {"html": to_html(text)}


def _slug(heading: str, taken: set[str]) -> str:
    """Return a unique name for a section's address, and add it to `taken`."""
    words = re.sub(r"[^a-z0-9]+", "-", heading.lower()).strip("-") or INTRODUCTION
    slug = next(name for name in chain([words], (f"{words}-{number}" for number in count(2))) if name not in taken)
    taken.add(slug)
    return slug
