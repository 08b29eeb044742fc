"""A bank, a folder with problems/ and solutions/; and several banks that act as one."""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, Self, TypeVar

from shardwise.bank.chapters import Chapter, extended, file_name, read_chapter
from shardwise.bank.digests import digest_of, digest_of_text
from shardwise.errors import Fault, Faulty, ShardwiseError
from shardwise.template.references import References
from shardwise.text_files import read_text

if (
    TYPE_CHECKING
):  # the code that reads, draws and marks is loaded on demand, because a list of problems does not need it
    from shardwise.kinds.base import Kind
    from shardwise.template.model import Template
    from shardwise.template.yaml_source import Source

T = TypeVar("T")


@dataclass(frozen=True)
class Problem:
    """A template and its file, which is read on first use: a student needs one problem, not all."""

    id: str  # chapter/slug
    path: Path
    references: References = field(repr=False)

    @cached_property
    def text(self) -> str:
        """The text of the file. Raises Faulty."""
        return read_text(self.path, file_name(self.path))

    @cached_property
    def digest(self) -> str:
        """The digest of the file and of its bank's units."""
        return digest_of_text(self.text + self.references.units)

    @cached_property
    def source(self) -> Source:
        """The file with the position of every value. Raises Faulty if it is not YAML."""
        from shardwise.template.yaml_source import parse_yaml

        return parse_yaml(self.text, file_name(self.path))

    @cached_property
    def data(self) -> Mapping[str, Any]:
        """The file as plain data. Raises Faulty with all its faults if the fields that a list shows are invalid."""
        if not _can_be_listed(self.source.data):
            _ = self.template
        data: Mapping[str, Any] = self.source.data
        return data

    @cached_property
    def template(self) -> Template:
        """The file as a model. Raises Faulty with all of its faults."""
        from shardwise.bank.files import template_adapter
        from shardwise.template.yaml_source import validate

        adapter = template_adapter(str(self.source.at(("kind",))))
        made: Template = validate(self.source, adapter, self.references.units)
        return made

    @property
    def kind(self) -> Kind[Any, Any, Any]:
        """The kind that draws and marks it."""
        from shardwise.kinds import kinds

        return kinds()[self.data["kind"]]

    @property
    def title(self) -> str:
        """The title."""
        return str(self.data["title"])

    @property
    def chapter(self) -> str:
        """The name of its chapter's folder."""
        return self.id.partition("/")[0]

    @property
    def slug(self) -> str:
        """The last part of the id."""
        return self.id.rpartition("/")[2]

    @property
    def bank(self) -> Path:
        """The folder of its bank."""
        return self.path.parents[2]

    def is_among(self, names: Sequence[str]) -> bool:
        """Return whether one of some names is the slug or the beginning of the id. No names at all mean every problem."""
        return not names or self.id.startswith(tuple(names)) or self.slug in names


def _can_be_listed(data: Any) -> bool:
    """Return whether a file has the fields that a list of problems shows; validating every file takes seconds."""
    return (
        isinstance(data, Mapping)
        and all(isinstance(data.get(name), str) for name in ("title", "kind", "difficulty", "source"))
        and isinstance(data.get("points"), int | float)
        and all(isinstance(data.get(name, ()), tuple) for name in ("tags", "covers", "parts"))
        and all(isinstance(part, Mapping) for part in data.get("parts", ()))
    )


class Catalogue:
    """Chapters and problems found by name: the common part of one bank and of several."""

    chapters: Mapping[str, Chapter]
    problems: Mapping[str, Problem]

    def read_all(self) -> Self:
        """Read of every problem what a list shows. Raises Faulty with every fault of every file."""
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
        """Return a problem by its id or slug. Raises ShardwiseError with the closest names."""
        found = next((known for known in self.problems if name in (known, known.rpartition("/")[2])), None)
        if found is None:
            slugs = [known.rpartition("/")[2] for known in self.problems]
            near = difflib.get_close_matches(name, [*self.problems, *slugs], n=3)
            hint = (
                f" Did you mean {' or '.join(near)}?"
                if near
                else " `shardwise list` shows all problems; for another bank, add --bank."
            )
            raise ShardwiseError(f"Unknown problem “{name[:100]}”.{hint}")
        return self.problems[found]

    def find_chapter(self, name: str | int) -> str:
        """Return the name of a chapter, given its name, its number, or a part of its name or title.

        Raises ShardwiseError with the candidates if none or several match.
        """
        found = self.chapters_like(name)
        if len(found) == 1:
            return found[0]
        if found:
            raise ShardwiseError(
                f"Several chapters match {name!r}: {', '.join(found)}. Give a number or more of the name."
            )
        raise ShardwiseError(f"Unknown chapter {str(name)[:100]!r}. The chapters are {', '.join(self.chapters)}.")

    def chapters_like(self, name: str | int) -> list[str]:
        """Return the chapters that a name can mean. A whole name or title beats a part of one."""
        wanted = _folded(str(name)).removeprefix("chapter ")
        if wanted.isdecimal() and len(wanted) < 10:
            return [
                known
                for known in self.chapters
                if known.partition("-")[0].isdecimal() and int(known.partition("-")[0]) == int(wanted)
            ]
        names = {
            known: (_folded(known), _folded(known.partition("-")[2]), _folded(chapter.title))
            for known, chapter in self.chapters.items()
        }
        whole = [known for known, ours in names.items() if wanted in ours]
        return whole or [
            known for known, ours in names.items() if wanted and any(f" {wanted}" in f" {each}" for each in ours)
        ]

    def label(self, problem: str) -> str:
        """Return a problem's number: its chapter's number and its place in the chapter, such as 1.4."""
        chapter, _, slug = problem.partition("/")
        number, place = chapter.partition("-")[0], self.chapters[chapter].problems.index(slug) + 1
        return f"{int(number)}.{place}" if number.isdecimal() else str(place)

    def of_chapter(self, chapter: str) -> list[Problem]:
        """Return the problems of a chapter in the order of its notebook."""
        return [self.problems[f"{chapter}/{slug}"] for slug in self.chapters[chapter].problems]


@dataclass(frozen=True)
class Bank(Catalogue):
    """A folder with problems/, solutions/ and solutions/oracles/."""

    folder: Path
    chapters: Mapping[str, Chapter]
    problems: Mapping[str, Problem]
    references: References

    @classmethod
    def open(cls, folder: Path) -> Bank:
        """Open the bank in a folder: read its chapters, but each problem only when it is used.

        Raises ShardwiseError if the folder is not a bank, and Faulty with the faults of its units or its chapters.
        """
        folder = Path(folder).resolve()
        problems = folder / "problems"
        if not problems.is_dir():
            raise ShardwiseError(
                f"{folder} is not a bank: it has no folder problems/. To create one:  shardwise init bank {quote(str(folder))}"
            )
        references = References(folder / "solutions", _units(problems / "units.yaml"))
        chapters: dict[str, Chapter] = {}
        faults: list[Fault] = []
        for path in sorted(problems.glob("*/chapter.yaml")):
            try:
                chapters[path.parent.name] = read_chapter(path)
            except Faulty as error:
                faults += error.faults
        if faults:
            raise Faulty(faults)
        if not chapters:
            raise ShardwiseError(f"{problems} contains no chapter. A chapter is a folder with a chapter.yaml.")
        names = [f"{name}/{slug}" for name, chapter in chapters.items() for slug in chapter.problems]
        found = {name: Problem(name, problems / f"{name}.yaml", references) for name in names}
        return cls(folder, chapters, found, references)

    @property
    def lessons(self) -> Path:
        """The folder that contains the chapters."""
        return self.folder / "problems"

    @cached_property
    def digest(self) -> str:
        """The digest of all files of the bank."""
        return digest_of(self.folder / "problems", self.folder / "solutions")


class Banks(Catalogue):
    """Several banks as one; if two have a problem with the same id, the first bank's is used.

    A chapter that several banks have is that of the bank with most of its problems: the others replace some, or add some.
    """

    def __init__(self, banks: Sequence[Bank]) -> None:
        self.all = tuple(banks)
        problems = _merged([bank.problems for bank in banks])
        leaders = {name: bank for bank in banks for name in bank.chapters if self._leader(name) is bank}
        self.chapters = {
            name: extended(bank.chapters[name], [its.slug for its in problems.values() if its.chapter == name])
            for name, bank in leaders.items()
        }
        names = (f"{name}/{slug}" for name, chapter in self.chapters.items() for slug in chapter.problems)
        self.problems = {name: problems[name] for name in names}

    def _leader(self, chapter: str) -> Bank:
        """Return the bank with most of the problems of a chapter."""
        having = [bank for bank in self.all if chapter in bank.chapters]
        return max(having, key=lambda bank: len(bank.chapters[chapter].problems))

    def of(self, chapter: str) -> Bank:
        """Return the bank that a chapter is from, with the problems that other banks replace or add. Raises ShardwiseError."""
        if chapter not in self.chapters:
            raise ShardwiseError(f"Unknown chapter {chapter!r}. The chapters are {', '.join(self.chapters)}.")
        leader, its = self._leader(chapter), {problem.id: problem for problem in self.of_chapter(chapter)}
        chapters = {**leader.chapters, chapter: self.chapters[chapter]}
        return replace(leader, chapters=chapters, problems={**leader.problems, **its})

    @property
    def digest(self) -> str:
        """The digest of all files of all banks."""
        return hashlib.sha256(" ".join(bank.digest for bank in self.all).encode()).hexdigest()[:12]

    def __str__(self) -> str:
        return ", ".join(
            f"{bank.folder} ({len(bank.chapters)} chapter{'s' * (len(bank.chapters) != 1)}, "
            f"{len(bank.problems)} problem{'s' * (len(bank.problems) != 1)})"
            for bank in self.all
        )


def _folded(name: str) -> str:
    """Return a name for comparisons: without hyphens, capitals and double spaces."""
    return " ".join(name.casefold().replace("-", " ").split())


def _merged(mappings: Sequence[Mapping[str, T]]) -> dict[str, T]:
    """Merge mappings into one; the first mapping that has a name decides its value."""
    found: dict[str, T] = {}
    for mapping in mappings:
        found |= {name: value for name, value in mapping.items() if name not in found}
    return found


def _units(path: Path) -> str:
    """Return the system of units of a bank: that of computing, unless it has a `units.yaml`. Raises Faulty."""
    if not path.exists():
        return ""
    from shardwise.bank.files import adapter
    from shardwise.template.yaml_source import load_yaml, validate

    source = load_yaml(path, f"problems/{path.name}")
    return str(validate(source, adapter("units")).text)
