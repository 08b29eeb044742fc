"""A bank: a folder with problems/ and solutions/ beside each other, opened; and several banks as one."""

from __future__ import annotations

import difflib
import hashlib
import keyword
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, Self, TypeVar

import shardwise
from shardwise.bank.digests import digest_of, digest_of_text
from shardwise.bank.lesson import lesson_of, misplaced
from shardwise.errors import Fault, Faulty, ShardwiseError
from shardwise.file_names import is_device
from shardwise.template.references import References
from shardwise.text_files import read_text

if TYPE_CHECKING:  # what reads, draws and marks is loaded when it is needed: a list of problems needs none of it
    from shardwise.kinds.base import Kind
    from shardwise.template.model import Template
    from shardwise.template.yaml_source import Source

T = TypeVar("T")


@dataclass(frozen=True)
class Chapter:
    """A folder of problems with a lesson."""

    title: str
    summary: str  # a sentence for tables of chapters
    problems: tuple[str, ...]  # slugs, in the notebook's order
    sections: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # those that follow a heading of the lesson


@dataclass(frozen=True)
class Problem:
    """A template, and where it comes from. The file is read when it is first asked for: a student needs one, not all."""

    id: str  # chapter/slug
    path: Path
    references: References = field(repr=False)

    @cached_property
    def text(self) -> str:
        """What stands in the file. Raises Faulty."""
        return read_text(self.path, _name(self.path))

    @cached_property
    def digest(self) -> str:
        """Digest of the file."""
        return digest_of_text(self.text)

    @cached_property
    def source(self) -> Source:
        """The file with the place of every value. Raises Faulty where it is no YAML."""
        from shardwise.template.yaml_source import parse_yaml

        return parse_yaml(self.text, _name(self.path))

    @cached_property
    def data(self) -> Mapping[str, Any]:
        """The file as plain data, of which a list shows a part. Raises Faulty with all its faults where that part is amiss."""
        if not _can_be_listed(self.source.data):
            _ = self.template
        data: Mapping[str, Any] = self.source.data
        return data

    @cached_property
    def template(self) -> Template:
        """The file as a model. Raises Faulty with all its faults."""
        from shardwise.bank.files import template_adapter
        from shardwise.template.yaml_source import validate

        made: Template = validate(self.source, template_adapter(str(self.source.at(("kind",)))))
        return made

    @property
    def kind(self) -> Kind[Any, Any, Any]:
        """The kind that draws and marks it."""
        from shardwise.kinds import kinds

        return kinds()[self.data["kind"]]

    @property
    def title(self) -> str:
        """A few words."""
        return str(self.data["title"])

    @property
    def chapter(self) -> str:
        """The folder it lies in."""
        return self.id.partition("/")[0]

    @property
    def slug(self) -> str:
        """The last part of the id."""
        return self.id.rpartition("/")[2]

    @property
    def bank(self) -> Path:
        """The folder of the bank that it comes from."""
        return self.path.parents[2]


def _can_be_listed(data: Any) -> bool:
    """Return whether a file holds what a list of problems shows; to validate every file takes seconds."""
    return (
        isinstance(data, Mapping)
        and all(isinstance(data.get(name), str) for name in ("title", "kind", "difficulty", "source"))
        and isinstance(data.get("points"), int | float)
        and all(isinstance(data.get(name, ()), tuple) for name in ("tags", "covers", "parts"))
        and all(isinstance(part, Mapping) for part in data.get("parts", ()))
    )


class Catalogue:
    """What one bank and several banks have in common: chapters and problems, found by name."""

    chapters: Mapping[str, Chapter]
    problems: Mapping[str, Problem]

    def read_all(self) -> Self:
        """Read every problem now, as far as a list shows it. Raises Faulty with every fault of every file."""
        faults: list[Fault] = []
        for problem in self.problems.values():
            try:
                _ = problem.data
            except Faulty as error:
                faults += error.faults
        if faults:
            raise Faulty(faults)
        return self

    def find(self, name: str) -> Problem:
        """A problem by its id, or by its slug alone. Raises ShardwiseError with the nearest names."""
        found = next((known for known in self.problems if name in (known, known.rpartition("/")[2])), None)
        if found is None:
            slugs = [known.rpartition("/")[2] for known in self.problems]
            near = difflib.get_close_matches(name, [*self.problems, *slugs], n=3)
            hint = (
                f" Did you mean {' or '.join(near)}?"
                if near
                else " `shardwise list` shows them all; for another bank, add --bank."
            )
            raise ShardwiseError(f"There is no problem “{name[:100]}”.{hint}")
        return self.problems[found]

    def of_chapter(self, chapter: str) -> list[Problem]:
        """The problems of a chapter in the order of its notebook."""
        return [self.problems[f"{chapter}/{slug}"] for slug in self.chapters[chapter].problems]


@dataclass(frozen=True)
class Bank(Catalogue):
    """One folder with problems/, solutions/ and solutions/oracles/."""

    folder: Path
    chapters: Mapping[str, Chapter]
    problems: Mapping[str, Problem]
    references: References

    @classmethod
    def open(cls, folder: Path) -> Bank:
        """Open the bank in a folder: its chapters are read, each problem when it is asked for.

        Raises ShardwiseError when no bank lies there, and Faulty with the faults of the chapters.
        """
        folder = Path(folder).resolve()
        problems = folder / "problems"
        if not problems.is_dir():
            raise ShardwiseError(
                f"{folder} holds no folder problems/, so it is no bank. To start one:  shardwise init bank {quote(str(folder))}"
            )
        references = References(folder / "solutions")
        chapters: dict[str, Chapter] = {}
        faults: list[Fault] = []
        for path in sorted(problems.glob("*/chapter.yaml")):
            try:
                chapters[path.parent.name] = _chapter(path)
            except Faulty as error:
                faults += error.faults
        if faults:
            raise Faulty(faults)
        if not chapters:
            raise ShardwiseError(f"{problems} holds no chapter, a folder with a chapter.yaml.")
        names = [f"{name}/{slug}" for name, chapter in chapters.items() for slug in chapter.problems]
        found = {name: Problem(name, problems / f"{name}.yaml", references) for name in names}
        return cls(folder, chapters, found, references)

    @property
    def lessons(self) -> Path:
        """Where the chapters' folders lie."""
        return self.folder / "problems"

    @cached_property
    def digest(self) -> str:
        """Digest of every file of the bank."""
        return digest_of(self.folder / "problems", self.folder / "solutions")


class Banks(Catalogue):
    """Several banks as one; where two have a problem of the same id, the first bank's counts."""

    def __init__(self, banks: Sequence[Bank]) -> None:
        self.all = tuple(banks)
        self.chapters = _merged([bank.chapters for bank in banks])
        self.problems = _merged([bank.problems for bank in banks])

    def of(self, chapter: str) -> Bank:
        """The bank that has a chapter. Raises ShardwiseError."""
        for bank in self.all:
            if chapter in bank.chapters:
                return bank
        raise ShardwiseError(f"There is no chapter {chapter!r}; the chapters are {', '.join(self.chapters)}.")

    @property
    def digest(self) -> str:
        """Digest of every file of every bank."""
        return hashlib.sha256(" ".join(bank.digest for bank in self.all).encode()).hexdigest()[:12]

    def __str__(self) -> str:
        return ", ".join(
            f"{bank.folder} ({len(bank.chapters)} chapter{'s' * (len(bank.chapters) != 1)}, "
            f"{len(bank.problems)} problem{'s' * (len(bank.problems) != 1)})"
            for bank in self.all
        )


def _merged(mappings: Sequence[Mapping[str, T]]) -> dict[str, T]:
    """Merge mappings into one; for each name, the first that has it counts."""
    found: dict[str, T] = {}
    for mapping in mappings:
        found |= {name: value for name, value in mapping.items() if name not in found}
    return found


def _name(path: Path) -> str:
    """What faults call a file: problems/chapter/slug.yaml."""
    return "/".join(path.parts[-3:])


def bad_slug(slug: str) -> str:
    """Why a problem cannot have this name, or nothing: a slug is also the name of the answer in a notebook."""
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", slug) or not 3 <= len(slug) <= 60:
        return f"{slug!r} is no slug: use 3 to 60 lower-case letters and digits, and single hyphens between words"
    if is_device(slug):
        return f"{slug!r} is a device on Windows, and no name for a file"
    taken = ("chapter", "null", "true", "false", "shardwise", *shardwise.__all__)
    if keyword.iskeyword(slug) or slug.replace("-", "_") in taken:
        return f"{slug!r} is a name that notebooks need for something else"
    return ""


def _chapter(path: Path) -> Chapter:
    """One chapter.yaml. Raises Faulty, also when its list and its folder differ."""
    from shardwise.bank.files import adapter
    from shardwise.template.yaml_source import load_yaml, validate

    source = load_yaml(path, _name(path))
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
            faults.append(source.fault(place, f"problems: there is no {slug}.yaml in this folder"))
        elif slug in slugs[:number]:
            faults.append(source.fault(place, f"problems: {slug} is listed twice", "Remove one."))
        elif why := bad_slug(slug):
            faults.append(source.fault(place, f"problems: {why}", "Rename the file."))
    faults += [
        source.fault(("problems",), f"problems: {slug}.yaml lies in this folder and is not listed", "Add it.")
        for slug in sorted(present - set(slugs))
    ]
    raise Faulty(faults)


def _listed(chapter: Chapter) -> list[tuple[tuple[str | int, ...], str]]:
    """Each slug of a chapter.yaml, after its place there."""
    if not chapter.sections:
        return [(("problems", number), slug) for number, slug in enumerate(chapter.problems)]
    return [
        (("problems", heading, number), slug)
        for heading, slugs in chapter.sections.items()
        for number, slug in enumerate(slugs)
    ]


def section_faults(bank: Bank, chapter: str) -> Sequence[Fault]:
    """What is wrong with the headings under which a chapter lists its problems."""
    sections, folder = bank.chapters[chapter].sections, bank.lessons / chapter
    if not sections or not (folder / "lesson.md").exists():  # the lint says by itself that there is none
        return ()
    from shardwise.template.yaml_source import load_yaml

    path = folder / "chapter.yaml"
    try:
        return tuple(misplaced(sections, lesson_of(folder), load_yaml(path, _name(path))))
    except Faulty as error:
        return error.faults
