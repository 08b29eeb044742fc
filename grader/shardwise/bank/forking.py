"""Forks: copies of a problem, with the references that it needs, in a bank of one's own."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from shardwise.atomic_files import write_together
from shardwise.bank.bank import Bank, Catalogue, Problem
from shardwise.bank.dependencies import Dependencies, module_at
from shardwise.bank.scaffold import must_be_own, settings_of, with_problem
from shardwise.errors import ShardwiseError

# A reference or an oracle as a template names it: `oracle: ring.steps`, or `ref("ring.steps")` in a text.
_NAMED = re.compile(r"""\b(ref|reference|oracle)['"]*\s*[:(][\s'"\\]*([A-Za-z_]\w*(?:\.\w+)*)\.\w+""")
_RECORD = "# Forked from {name}, digest {digest}. `shardwise fork --check` reports when that problem changes.\n"
_RECORDED = re.compile(r"^# Forked from (?P<name>\S+), digest (?P<digest>\w+)\.", re.MULTILINE)
_LESSON = (
    "# {title}\n\nThis chapter replaces problems of another bank. If that bank is open too, students see its lesson.\n"
)


@dataclass(frozen=True)
class Forked:
    """The files that a fork wrote, the problem first, and the modules that its bank already had and that differ."""

    written: tuple[Path, ...]
    kept: tuple[Path, ...]
    is_new_bank: bool


def fork_problem(problem: Problem, into: Path) -> Forked:
    """Copy a problem into the bank in a folder, under the same id, and create that bank if it does not exist.

    Raises ShardwiseError if the bank has a problem with that name. An existing module is never overwritten.
    """
    original, folder = Bank.open(problem.bank), into.resolve()
    must_be_own(folder)
    if folder == original.folder:
        raise ShardwiseError(f"{problem.id} is a problem of {into} itself. Name another folder with --into.")
    is_new = not (folder / "problems").is_dir()
    own = None if is_new else Bank.open(folder)
    taken = next((name for name in own.problems if name.rpartition("/")[2] == problem.slug), None) if own else None
    if taken:
        raise ShardwiseError(f"{into} already has the problem {taken}. Nothing was written.")
    needed = _modules(problem, Dependencies(original))
    copies = {into / name: text for name, text in needed.items()}
    kept = [path for path, text in copies.items() if path.exists() and path.read_bytes() != text]
    record = _RECORD.format(name=problem.id, digest=_digest(problem, needed))
    files = {into / "problems" / f"{problem.id}.yaml": (record + problem.text).encode()}
    files |= _listing(problem, original, own, into)
    files |= {path: text for path, text in copies.items() if not path.exists()}
    if is_new:
        files |= {path: text.encode() for path, text in settings_of(into).items()}
    write_together(files)
    return Forked(tuple(files), tuple(kept), is_new)


def _listing(problem: Problem, original: Bank, own: Bank | None, into: Path) -> dict[Path, bytes]:
    """Return the chapter.yaml that lists a fork, and a lesson if the chapter is new."""
    chapter = into / "problems" / problem.chapter
    listing = chapter / "chapter.yaml"
    if own and problem.chapter in own.chapters:
        return {listing: with_problem(listing.read_text("utf-8"), problem.slug).encode()}
    about = original.chapters[problem.chapter]
    title, summary = (json.dumps(text, ensure_ascii=False) for text in (about.title, about.summary))
    text = f"title: {title}\nsummary: {summary}\nproblems:\n  - {problem.slug}\n"
    return {listing: text.encode(), chapter / "lesson.md": _LESSON.format(title=about.title).encode()}


def changed_originals(own: Bank, banks: Catalogue) -> Iterator[tuple[str, str]]:
    """Yield each fork's id with how its original in other banks differs now, "" for an unchanged original."""
    dependencies = cache(lambda folder: Dependencies(Bank.open(folder)))
    for problem in own.problems.values():
        found = _RECORDED.search(problem.text)
        if found is None:
            continue
        original = banks.problems.get(found["name"])
        if original is None:
            yield problem.id, f"the original {found['name']} no longer exists"
        elif _digest(original, _modules(original, dependencies(original.bank))) != found["digest"]:
            yield problem.id, f"the original has changed: compare {original.path}"
        else:
            yield problem.id, ""


def _modules(problem: Problem, dependencies: Dependencies) -> dict[str, bytes]:
    """Return the files of the modules that a problem needs, by their names in the bank, with the data that they read."""
    solutions = problem.references.folder
    named = {
        file
        for what, module in _NAMED.findall(problem.text)
        for file in module_at(solutions.joinpath(*["oracles"][: what == "oracle"], *module.split(".")))
    }
    files = {}
    for module in sorted(dependencies.with_imports(named)):
        text = module.read_text("utf-8")
        beside = (file for file in module.parent.iterdir() if file.suffix not in (".py", "") and file.name in text)
        for file in (module, *sorted(beside)):
            files[file.relative_to(problem.bank).as_posix()] = file.read_bytes()
    return files


def _digest(problem: Problem, modules: Mapping[str, bytes]) -> str:
    digest = hashlib.sha256(problem.text.encode())
    for name, text in sorted(modules.items()):
        digest.update(f"\0{name}\0".encode() + text)
    return digest.hexdigest()[:16]
