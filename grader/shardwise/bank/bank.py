"""A bank: a folder with problems/ and solutions/ beside each other, opened; and several banks as one."""

from __future__ import annotations

import difflib
import hashlib
import keyword
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

import shardwise
from shardwise.bank.compiled import Compiled
from shardwise.bank.digests import digest_of
from shardwise.bank.lesson import lesson_of, misplaced
from shardwise.errors import Fault, Faulty, ShardwiseError
from shardwise.file_names import is_device
from shardwise.template.references import References
from shardwise.text_files import read_text

if TYPE_CHECKING:  # what reads, draws and marks is loaded when it is needed: a list of problems needs none of it
    from shardwise.kinds.base import Kind
    from shardwise.template.model import Template
    from shardwise.template.yaml_source import Source


@dataclass(frozen=True)
class Chapter:
    """A folder of problems with a lesson."""

    title: str
    summary: str  # a sentence for tables of chapters
    problems: tuple[str, ...]  # slugs, in the notebook's order
    sections: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # those that follow a heading of the lesson


@dataclass(frozen=True)
class Problem:
    """A template, and where it comes from."""

    id: str  # chapter/slug
    path: Path
    data: Mapping[str, Any] = field(repr=False)  # the YAML file as plain data, known to be valid
    digest: str  # of the file
    references: References = field(repr=False)

    @cached_property
    def template(self) -> Template:
        """The file as a model."""
        from shardwise.template.model import KNOWN_VALID

        return self.kind.Template.model_validate(self.data, context=KNOWN_VALID)

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

    @cached_property
    def text(self) -> str:
        """What stands in the file."""
        return read_text(self.path, _name(self.path))

    @cached_property
    def source(self) -> Source:
        """The file with the place of every value, for saying faults: slow to read, so whoever wants the text asks for that."""
        from shardwise.template.yaml_source import load

        return load(self.path, _name(self.path))


class Problems(Mapping[str, Problem]):
    """The problems of a bank by id. Each is read when it is first asked for: a student needs one, not all."""

    def __init__(self, folder: Path, names: Sequence[str], references: References, compiled: Compiled) -> None:
        self._folder, self._references, self._compiled = folder, references, compiled
        self._read: dict[str, Problem | None] = dict.fromkeys(names)

    def __getitem__(self, name: str) -> Problem:
        """A problem. Raises KeyError for a stranger, and Faulty with all its faults."""
        found = self._read[name]
        if found is None:
            path = self._folder / f"{name}.yaml"
            data, digest = self._compiled.read(path, _name(path), "problem")
            found = self._read[name] = Problem(name, path, data, digest, self._references)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._read)

    def __len__(self) -> int:
        return len(self._read)


class Catalogue(ABC):
    """What one bank and several banks have in common: chapters and problems, found by name."""

    chapters: Mapping[str, Chapter]
    problems: Mapping[str, Problem]

    @property
    @abstractmethod
    def folders(self) -> tuple[Path, ...]:
        """Where the banks lie."""

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
    compiled: Compiled = field(repr=False)

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
        compiled = Compiled.of(folder)
        references = References(folder / "solutions")
        chapters: dict[str, Chapter] = {}
        faults: list[Fault] = []
        for path in sorted(problems.glob("*/chapter.yaml")):
            try:
                chapters[path.parent.name] = _chapter(path, compiled)
            except Faulty as error:
                faults += error.faults
        if faults:
            raise Faulty(faults)
        if not chapters:
            raise ShardwiseError(f"{problems} holds no chapter, a folder with a chapter.yaml.")
        names = [f"{name}/{slug}" for name, chapter in chapters.items() for slug in chapter.problems]
        return cls(folder, chapters, Problems(problems, names, references, compiled), references, compiled)

    def read_all(self) -> Bank:
        """Read every problem now. Raises Faulty with every fault of every file."""
        faults: list[Fault] = []
        for name in self.problems:
            try:
                self.problems[name]
            except Faulty as error:
                faults += error.faults
        self.compiled.keep()
        if faults:
            raise Faulty(faults)
        return self

    @property
    def folders(self) -> tuple[Path, ...]:
        return (self.folder,)

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
        self.problems = _Merged([bank.problems for bank in banks])

    @property
    def folders(self) -> tuple[Path, ...]:
        return tuple(bank.folder for bank in self.all)

    def of(self, chapter: str) -> Bank:
        """The bank that has a chapter. Raises ShardwiseError."""
        for bank in self.all:
            if chapter in bank.chapters:
                return bank
        raise ShardwiseError(f"There is no chapter {chapter!r}; the chapters are {', '.join(self.chapters)}.")

    def read_all(self) -> Banks:
        """Read every problem now. Raises Faulty with every fault of every file."""
        faults: list[Fault] = []
        for bank in self.all:
            try:
                bank.read_all()
            except Faulty as error:
                faults += error.faults
        if faults:
            raise Faulty(faults)
        return self

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


def _merged(mappings: Sequence[Mapping[str, Chapter]]) -> dict[str, Chapter]:
    found: dict[str, Chapter] = {}
    for mapping in mappings:
        found |= {name: chapter for name, chapter in mapping.items() if name not in found}
    return found


class _Merged(Mapping[str, Problem]):
    """The problems of several banks, each still read when it is first asked for."""

    def __init__(self, parts: Sequence[Mapping[str, Problem]]) -> None:
        self._where = {name: part for part in reversed(parts) for name in part}
        self._names = list(dict.fromkeys(name for part in parts for name in part))

    def __getitem__(self, name: str) -> Problem:
        return self._where[name][name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


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


def _chapter(path: Path, compiled: Compiled) -> Chapter:
    """One chapter.yaml. Raises Faulty, also when its list and its folder differ."""
    data, _ = compiled.read(path, _name(path), "chapter")
    listed = data["problems"]
    sections = {heading: tuple(slugs) for heading, slugs in listed.items()} if isinstance(listed, Mapping) else {}
    slugs = tuple(slug for part in sections.values() for slug in part) if sections else tuple(listed)
    chapter = Chapter(data["title"], data["summary"], slugs, sections)
    present = {file.stem for file in path.parent.glob("*.yaml")} - {"chapter"}
    if sorted(slugs) == sorted(present) and not any(map(bad_slug, slugs)):
        return chapter
    from shardwise.template.yaml_source import load

    source = load(path, _name(path))
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
    from shardwise.template.yaml_source import load

    path = folder / "chapter.yaml"
    try:
        return tuple(misplaced(sections, lesson_of(folder), load(path, _name(path))))
    except Faulty as error:
        return error.faults
