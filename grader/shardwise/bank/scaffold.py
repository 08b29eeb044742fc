"""Scaffolds: a bank, a chapter and a problem that pass the lint, for an author to edit."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from importlib import resources
from pathlib import Path
from typing import Any

from shardwise.atomic_files import write_together
from shardwise.bank.bank import Bank, Banks
from shardwise.bank.chapters import bad_slug
from shardwise.errors import Faulty, ShardwiseError
from shardwise.file_names import is_device
from shardwise.kinds import OURS, kinds
from shardwise.template.yaml_source import parse_yaml
from shardwise.text_files import read_text

_KEY = ":\n\n  {{ key }}"  # the right answer as the student reads it


USUAL = "quantity"  # the kind of most problems


def _text(name: str) -> str:
    """Return the text of a template file for new problems and banks."""
    return resources.files(__package__).joinpath("beginnings", name).read_text("utf-8")


def starter(kind: str, title: str) -> str:
    """Return the text of a new problem. Raises ShardwiseError for an unknown kind."""
    if kind not in kinds():
        raise ShardwiseError(f"Unknown kind {kind!r}. The kinds are {', '.join(kinds())}.")
    chosen = kinds()[kind]
    program = f":\n\n```python\n{chosen.starter_program}```".replace("\n", "\n  ").replace("\n  \n", "\n\n")
    ending = program if chosen.starter_program else "." if chosen.is_program else _KEY
    return _text("problem.yaml").format(title=title, kind=kind, answer=chosen.starter, end=ending)


def init_bank(folder: Path, named: Iterable[str] = OURS) -> list[Path]:
    """Create a bank in a folder: a chapter with a problem of each kind, references and oracles. Returns the written files.

    It uses only built-in kinds, so that everybody with shardwise can use the bank; numeric problems come first.

    Raises ShardwiseError if any of the files exists already.
    """
    chapter = folder / "problems" / "01-first-chapter"
    slugs = {kind: f"first-{kind}" for kind in sorted(named, key=lambda kind: kind != USUAL)}
    files = {
        **settings_of(folder),
        folder / "solutions" / "example.py": _text("reference.py"),
        folder / "solutions" / "oracles" / "example.py": _text("oracle.py"),
        chapter / "lesson.md": _text("lesson.md").format(title="First chapter"),
        chapter / "chapter.yaml": _text("chapter.yaml").format(title="First chapter")
        + "".join(f"  - {slug}\n" for slug in slugs.values()),
        **{chapter / f"{slug}.yaml": starter(kind, _title(slug)) for kind, slug in slugs.items()},
    }
    taken = [path for path in (folder / "problems", folder / "solutions", folder / "shardwise.toml") if path.exists()]
    if taken:
        raise ShardwiseError(
            f"{', '.join(map(str, taken))} already {'exists' if len(taken) == 1 else 'exist'}. Nothing was written; name a new folder."
        )
    write_together({path: text.encode() for path, text in files.items()})
    return list(files)


def settings_of(folder: Path) -> dict[Path, str]:
    """Return the files of a new bank that are not about problems. Raises ShardwiseError if there cannot be such a folder."""
    if is_device(folder.name):
        raise ShardwiseError(f"Cannot create {folder.name}: on Windows that is a device. Nothing was written.")
    nearest = next(path for path in (folder, *folder.absolute().parents) if os.path.lexists(path))
    if not nearest.is_dir():
        raise ShardwiseError(f"{nearest} is not a folder. Nothing was written; name a new folder.")
    ignored = folder / ".gitignore"
    return {
        folder / "shardwise.toml": _text("shardwise.toml"),
        ignored: with_missing_lines(ignored, _text("gitignore")),
    }


def with_missing_lines(path: Path, text: str) -> str:
    """Return the text of a .gitignore, which may exist, with the missing lines added and the existing ones kept."""
    before = read_text(path, str(path)) if path.is_file() else ""
    new = [line for line in text.splitlines() if line not in before.splitlines()]
    return before + ("\n" if before and not before.endswith("\n") else "") + "".join(f"{line}\n" for line in new)


def new_problem(problem: str, kind: str, banks: Banks) -> list[Path]:
    """Create a problem in the first of some banks, list it in its chapter, and give it a reference.

    Creates the chapter too, if necessary. Returns the written files, the problem first. Raises ShardwiseError if the problem
    exists, its name is invalid, or the bank is an installed one.
    """
    bank = banks.all[0]
    chapter, _, slug = problem.partition("/")
    if not slug:
        example = "my-problem" if bad_slug(chapter) else chapter
        raise ShardwiseError(
            f"{problem!r} does not name a chapter and a problem. Write chapter/problem, such as {_some_chapter(bank)}/{example}."
        )
    if why := bad_slug(slug):
        raise ShardwiseError(f"{why}.")
    if not re.fullmatch(r"[0-9]{2}-[a-z0-9]+(-[a-z0-9]+)*", chapter):
        raise ShardwiseError(
            f"{chapter!r} is not a valid chapter name. Write two digits and a slug, such as {_some_chapter(bank)}."
        )
    must_be_own(bank.folder)
    taken = next((name for name in bank.problems if name.rpartition("/")[2] == slug), None)
    if taken:
        raise ShardwiseError(f"{taken} already has this slug. Slugs must be unique in a bank.")
    folder = bank.lessons / chapter
    listing = folder / "chapter.yaml"
    text = starter(kind, _title(slug))
    files = {folder / f"{slug}.yaml": text}
    if chapter in bank.chapters:
        files[listing] = with_problem(listing.read_text("utf-8"), slug)
    else:
        title = _title(chapter[3:])
        files[folder / "lesson.md"] = _text("lesson.md").format(title=title)
        files[listing] = _text("chapter.yaml").format(title=title) + f"  - {slug}\n"
    if "example." in text:
        solutions = bank.folder / "solutions"
        examples = {
            solutions / "example.py": _text("reference.py"),
            solutions / "oracles" / "example.py": _text("oracle.py"),
        }
        files |= {path: content for path, content in examples.items() if not path.exists()}
    present = [str(path) for path in files if path.exists() and path != listing]
    if present:
        raise ShardwiseError(
            f"{', '.join(present)} already {'exists' if len(present) == 1 else 'exist'}. Nothing was written; choose another name."
        )
    named = {listing: files[listing], **files}  # the chapter's list is written last, when the problem exists
    write_together({path: content.encode() for path, content in named.items()})
    return list(files)


def _title(slug: str) -> str:
    return slug.replace("-", " ").capitalize()


def _some_chapter(bank: Bank) -> str:
    return next(iter(bank.chapters))


def must_be_own(folder: Path) -> None:
    """Raise ShardwiseError for a bank inside Python's package folders."""
    if any(part in ("site-packages", "dist-packages") for part in folder.parts):
        raise ShardwiseError(
            f"{folder} is an installed bank, and an update would delete your problem. Create your own bank:  "
            "shardwise init bank DIR"
        )


def with_problem(text: str, slug: str) -> str:
    """Return chapter.yaml with a problem appended to its list, or to its last section; everything else stays unchanged.

    Raises ShardwiseError if the list is written in a form that cannot be extended.
    """
    before = parse_yaml(text, "chapter.yaml")
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
        if _flat(parse_yaml(made, "chapter.yaml").data) == [*_flat(before.data), slug]:
            return made
    raise ShardwiseError("Cannot add the problem to the list in chapter.yaml. Add it by hand.")


def _flat(chapter: Mapping[str, Any]) -> list[str]:
    """Return the slugs that a chapter.yaml lists."""
    listed = chapter["problems"]
    return [slug for part in listed.values() for slug in part] if isinstance(listed, Mapping) else list(listed)
