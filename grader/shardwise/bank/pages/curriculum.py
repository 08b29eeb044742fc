"""A bank's curriculum: what it teaches, row by row, and which problem, lesson or note covers each row."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from shardwise.bank.bank import Bank
from shardwise.bank.lesson import lesson_of, sections_of
from shardwise.errors import Fault, Faulty

if TYPE_CHECKING:  # the code that reads files is slow to import, and a list of problems does not need it
    from shardwise.bank.files import CurriculumRow
    from shardwise.template.yaml_source import Source

FILE = "curriculum.yaml"  # next to the chapters
NAME = f"problems/{FILE}"


@dataclass(frozen=True)
class Curriculum:
    """The rows of one bank, and its problems by row."""

    about: str  # where the rows come from
    rows: tuple[CurriculumRow, ...]
    bank: Bank

    @cached_property
    def problems(self) -> Mapping[str, Sequence[str]]:
        """The ids of the problems that cover each row. Raises Faulty if a problem cannot be read."""
        found: dict[str, list[str]] = {row.id: [] for row in self.rows}
        for problem in self.bank.problems.values():
            for row in dict.fromkeys(row for _, row in covered(problem.data)):
                found.setdefault(row, []).append(problem.id)
        return found

    def is_covered(self, row: CurriculumRow) -> bool:
        """Return whether a problem, a lesson or a note covers a row."""
        return bool(self.problems[row.id] or row.lesson or row.note)

    def is_missing(self, row: CurriculumRow) -> bool:
        """Return whether nothing covers a row although its chapter is written."""
        return row.chapter in self.bank.chapters and not self.is_covered(row)

    @property
    def chapters(self) -> list[str]:
        """The chapters of the rows in order, including those that are not written yet."""
        return sorted({row.chapter for row in self.rows if row.chapter})


def covered(data: Mapping[str, Any]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield the place and the name of each row that a problem or one of its parts covers."""
    for place, row in enumerate(data.get("covers", ())):
        yield ("covers", place), row
    for number, part in enumerate(data.get("parts", ())):
        for place, row in enumerate(part.get("covers", ())):
            yield ("parts", number, "covers", place), row


def curriculum_of(bank: Bank) -> Curriculum | None:
    """Return the curriculum of a bank, if it has one. Raises Faulty if the file is invalid."""
    path = bank.lessons / FILE
    if not path.exists() and not path.is_symlink():  # a dangling link is a fault, not a missing curriculum
        return None
    from shardwise.bank.files import adapter
    from shardwise.template.yaml_source import load_yaml, validate

    made = validate(load_yaml(path, NAME), adapter("curriculum"))
    return Curriculum(made.about.strip(), made.rows, bank)


def curriculum_faults(bank: Bank, problems: Sequence[str]) -> Iterator[Fault]:
    """Yield the contradictions between a bank's curriculum, its chapters, and the given problems."""
    curriculum = curriculum_of(bank)
    if curriculum is None:
        return
    from shardwise.template.yaml_source import load_yaml

    yield from _row_faults(curriculum, load_yaml(bank.lessons / FILE, NAME))
    known = {row.id for row in curriculum.rows}
    for name in problems:
        for place, row in covered(bank.problems[name].data):
            if row not in known:
                message = f"covers: {FILE} has no row {row!r}"
                yield bank.problems[name].source.fault(place, message, _nearest(row, known))


def _row_faults(curriculum: Curriculum, source: Source) -> Iterator[Fault]:
    chapters, seen = curriculum.bank.chapters, set[str]()
    headings: dict[str, list[str]] = {}
    for number, row in enumerate(curriculum.rows):
        place = ("rows", number)
        if row.id in seen:
            yield source.fault((*place, "id"), f"rows: {row.id} is listed twice", "Remove one.")
        seen.add(row.id)
        like = [name for name in chapters if name[:3] == row.chapter[:3]]
        if row.chapter and row.chapter not in chapters and like:
            message = f"rows: {row.id} belongs to {row.chapter!r}, but another chapter has that number"
            yield source.fault((*place, "chapter"), message, f"Did you mean {like[0]!r}?")
        elif row.lesson and row.chapter not in chapters:
            message = f"rows: {row.id} names a lesson of {row.chapter}, which is not written yet"
            yield source.fault((*place, "lesson"), message, "Remove `lesson` until it is.")
        elif row.lesson:
            known = headings.setdefault(row.chapter, _headings(curriculum.bank, row.chapter))
            if row.lesson not in known:
                message = f"rows: the lesson of {row.chapter} has no heading “## {row.lesson}”"
                yield source.fault((*place, "lesson"), message, _nearest(row.lesson, known))


def _headings(bank: Bank, chapter: str) -> list[str]:
    try:
        return [section.heading for section in sections_of(lesson_of(bank.lessons / chapter))]
    except Faulty:  # the lint reports that elsewhere
        return []


def _nearest(name: str, known: Sequence[str] | set[str]) -> str:
    near = difflib.get_close_matches(name, sorted(known), n=1)
    return f"Did you mean {near[0]!r}?" if near else "Correct it, or add a row."
