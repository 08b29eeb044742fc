"""Beginnings: a bank, a chapter and a problem that pass the lint at once, for an author to change."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from shardwise.atomic_files import write_together
from shardwise.bank.bank import Bank, Banks, bad_slug
from shardwise.errors import Faulty, ShardwiseError
from shardwise.file_names import is_device
from shardwise.kinds import kinds
from shardwise.template.yaml_source import parse
from shardwise.text_files import read_text

_HEAD = """\
title: "{title}"
kind: {kind}
points: 2
difficulty: easy
tags: [draft]
source: "Kurose & Ross, Computer Networking, 8th ed., section 1.4"

"""
_TAIL = """\
hints:
  - A sentence that moves the student a step, and not to the end.
solution: |
  Why it is so, with the student's own numbers{key}
"""
_KEY = ":\n\n  {{ key }}"  # the right answer as the student reads it
_REFERENCE = '''\
"""Examples that new problems begin with: how long a file takes to cross a link. Put references of your own beside it."""

from __future__ import annotations


def transfer_seconds(*, file_bytes: float, bandwidth_bytes_per_s: float, latency_s: float) -> float:
    """Time from the first bit that is sent to the last one that arrives, in seconds.

        seconds = latency + bytes / bandwidth

    Units:   bytes, bytes per second, seconds.
    Raises:  ValueError for a link without bandwidth, and for less than nothing.
    Source:  Kurose & Ross, Computer Networking, 8th ed., section 1.4.

    >>> transfer_seconds(file_bytes=1e9, bandwidth_bytes_per_s=12.5e9, latency_s=0.05)
    0.13
    """
    if not bandwidth_bytes_per_s > 0:  # nor is nan, which is no number
        raise ValueError(f"bandwidth_bytes_per_s must be above 0, not {bandwidth_bytes_per_s!r}")
    for name, value in (("file_bytes", file_bytes), ("latency_s", latency_s)):
        if not value >= 0:
            raise ValueError(f"{name} must be 0 or more, not {value!r}")
    crossing_s = file_bytes / bandwidth_bytes_per_s
    return latency_s + crossing_s
'''
_ORACLE = '''\
"""A second road to each number of the examples: the file is sent packet by packet."""

from __future__ import annotations

from fractions import Fraction

PACKETS = 1000


def played_transfer_seconds(*, file_bytes: float, bandwidth_bytes_per_s: float, latency_s: float) -> float:
    """When the last of many packets arrives, if each leaves as soon as the one before it has left."""
    left_at = Fraction(0)
    arrived_at = Fraction(latency_s)
    for _ in range(PACKETS):
        left_at += Fraction(file_bytes) / PACKETS / Fraction(bandwidth_bytes_per_s)
        arrived_at = left_at + Fraction(latency_s)
    return float(arrived_at)
'''
_CHAPTER = """\
title: {title}
summary: What this chapter is about, in a sentence.
problems:
"""
_LESSON = """\
# {title}

What a student has to know for the problems below: what question this answers, the formula with every symbol and its unit, and an
example that is worked out.

$$t = L + \\frac{{B}}{{W}}$$

A file of $B$ bytes crosses a link of $W$ bytes per second with a latency of $L$ seconds in $t$ seconds.
"""
# What nobody else is to read, or what is made anew: patterns of git.
IGNORED = (
    "*.key", "*.lock.jsonl", "*.lock.jsonl.*.old", "submitted/", "results/", "ledger.sqlite*", "feedback/", "grades.csv", "unreadable.csv",
    "results.jsonl", "__pycache__/", ".ipynb_checkpoints/",
)  # fmt: skip
_IGNORE = "# Keys, draws with their answers, what was handed in, and results: they stay with you, and out of git.\n"
_SETTINGS = """\
# The banks that shardwise reads in this folder and below it, the first that has a problem first.
# "shipped" is the bank that is installed as shardwise-bank.
bank = ["."]
"""


def starter(kind: str, title: str) -> str:
    """The text of a new problem. Raises ShardwiseError for a kind that does not exist."""
    if kind not in kinds():
        raise ShardwiseError(f"There is no kind {kind!r}; the kinds are {', '.join(kinds())}.")
    chosen = kinds()[kind]
    program = f":\n\n```python\n{chosen.starter_program}```".replace("\n", "\n  ").replace("\n  \n", "\n\n")
    tail = _TAIL.format(key=program if chosen.starter_program else "." if chosen.is_program else _KEY)
    return _HEAD.format(title=title, kind=kind) + chosen.starter + tail


def init_bank(folder: Path) -> list[Path]:
    """Start a bank in a folder: a chapter with a problem of each kind, its references and oracles. Gives what was written.

    Raises ShardwiseError when anything that it would write is there already.
    """
    chapter = folder / "problems" / "01-first-chapter"
    slugs = {kind: f"first-{kind}" for kind in kinds()}
    files = {
        folder / "shardwise.toml": _SETTINGS,
        folder / ".gitignore": _ignoring(folder / ".gitignore"),
        folder / "solutions" / "example.py": _REFERENCE,
        folder / "solutions" / "oracles" / "example.py": _ORACLE,
        chapter / "lesson.md": _LESSON.format(title="First chapter"),
        chapter / "chapter.yaml": _CHAPTER.format(title="First chapter")
        + "".join(f"  - {slug}\n" for slug in slugs.values()),
        **{chapter / f"{slug}.yaml": starter(kind, _title(slug)) for kind, slug in slugs.items()},
    }
    if is_device(folder.name):
        raise ShardwiseError(f"{folder.name} is a device on Windows, and no name for a folder; nothing was written.")
    nearest = next(path for path in (folder, *folder.absolute().parents) if os.path.lexists(path))
    if not nearest.is_dir():
        raise ShardwiseError(f"{nearest} is no folder; nothing was written. Name a new folder.")
    taken = [path for path in (folder / "problems", folder / "solutions", folder / "shardwise.toml") if path.exists()]
    if taken:
        raise ShardwiseError(f"{', '.join(map(str, taken))} is there already; nothing was written. Name a new folder.")
    write_together({path: text.encode() for path, text in files.items()})
    return list(files)


def _ignoring(path: Path) -> str:
    """Return a .gitignore with the missing entries added and the existing ones kept."""
    before = read_text(path, str(path)) if path.is_file() else ""
    new = [pattern for pattern in IGNORED if pattern not in before.splitlines()]
    return (
        before
        + ("\n" if before and not before.endswith("\n") else "")
        + _IGNORE
        + "".join(f"{pattern}\n" for pattern in new)
    )


def new_problem(problem: str, kind: str, banks: Banks) -> list[Path]:
    """Start a problem in the first of some banks, list it in its chapter, and give it a reference to begin with.

    A chapter that does not exist is started, too. Gives what was written, the problem first. Raises ShardwiseError when the
    problem exists, its name cannot be, or the bank is an installed one, which is not to be written into.
    """
    bank = banks.all[0]
    chapter, _, slug = problem.partition("/")
    if not slug:
        raise ShardwiseError(
            f"{problem!r} names no chapter. Write chapter/problem, such as {_some_chapter(bank)}/{problem}."
        )
    if why := bad_slug(slug):
        raise ShardwiseError(f"{why}.")
    if not re.fullmatch(r"[0-9]{2}-[a-z0-9]+(-[a-z0-9]+)*", chapter):
        raise ShardwiseError(
            f"{chapter!r} is no chapter's name: write two digits and a slug, such as {_some_chapter(bank)}."
        )
    if _is_installed(bank.folder):
        raise ShardwiseError(
            f"{bank.folder} is installed, and an update would take your problem away. Start a bank of your own:  "
            "shardwise init bank DIR"
        )
    taken = next((name for name in bank.problems if name.rpartition("/")[2] == slug), None)
    if taken:
        raise ShardwiseError(f"{taken} has this slug already; slugs are unique in the whole bank.")
    folder = bank.lessons / chapter
    listing = folder / "chapter.yaml"
    text = starter(kind, _title(slug))
    files = {folder / f"{slug}.yaml": text}
    if chapter in bank.chapters:
        files[listing] = _listed(listing.read_text("utf-8"), slug)
    else:
        title = _title(chapter[3:])
        files[folder / "lesson.md"] = _LESSON.format(title=title)
        files[listing] = f"{_CHAPTER.format(title=title)}  - {slug}\n"
    if "example." in text:
        solutions = bank.folder / "solutions"
        examples = {solutions / "example.py": _REFERENCE, solutions / "oracles" / "example.py": _ORACLE}
        files |= {path: content for path, content in examples.items() if not path.exists()}
    present = [str(path) for path in files if path.exists() and path != listing]
    if present:
        raise ShardwiseError(f"{', '.join(present)} is there already; nothing was written. Take another name.")
    named = {listing: files[listing], **files}  # the chapter names the problem once that is there
    write_together({path: content.encode() for path, content in named.items()})
    return list(files)


def _title(slug: str) -> str:
    return slug.replace("-", " ").capitalize()


def _some_chapter(bank: Bank) -> str:
    return next(iter(bank.chapters))


def _is_installed(folder: Path) -> bool:
    """Whether a bank lies among Python's packages."""
    return any(part in ("site-packages", "dist-packages") for part in folder.parts)


def _listed(text: str, slug: str) -> str:
    """chapter.yaml with one more problem at the end of its list, or of its last section; all else stays as it is written.

    Raises ShardwiseError where the list is written in a way that cannot be added to.
    """
    before = parse(text, "chapter.yaml")
    path: tuple[str, ...] = ("problems",)
    slugs = before.data["problems"]
    if isinstance(slugs, Mapping):
        path, slugs = ("problems", list(slugs)[-1]), list(slugs.values())[-1]
    row, column = before.places[(*path, len(slugs) - 1)]
    lines = text.split("\n")
    written = re.compile(rf"(['\"]?){re.escape(slugs[-1])}\1").match(lines[row], column)
    if written and re.fullmatch(r"\s*- +", lines[row][:column]):
        lines.insert(row + 1, lines[row][:column] + slug)
    elif written:
        lines[row] = f"{lines[row][: written.end()]}, {slug}{lines[row][written.end() :]}"
    made = "\n".join(lines)
    with suppress(Faulty):
        if _flat(parse(made, "chapter.yaml").data) == [*_flat(before.data), slug]:
            return made
    raise ShardwiseError("chapter.yaml has no list of problems that I can add to; add the new one by hand.")


def _flat(chapter: Mapping[str, Any]) -> list[str]:
    """The slugs that a chapter.yaml lists."""
    listed = chapter["problems"]
    return [slug for part in listed.values() for slug in part] if isinstance(listed, Mapping) else list(listed)
